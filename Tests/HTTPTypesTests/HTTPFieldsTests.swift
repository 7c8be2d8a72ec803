import HTTPTypes
import Testing

struct HTTPFieldsTests {
    @Test("a name is found whatever its case, and keeps the case that it was given")
    func names() throws {
        let name = try #require(HTTPField.Name("CONTENT-type"))
        #expect(name == .contentType)
        #expect(name.hashValue == HTTPField.Name.contentType.hashValue)
        #expect(name.rawName == "CONTENT-type")
        #expect(name.canonicalName == "content-type")
        #expect(HTTPField.Name.eTag.rawName == "ETag")
        let fields: HTTPFields = [.contentType: "text/plain"]
        #expect(fields[name] == "text/plain")
    }

    @Test(
        "what isn't a token isn't a name",
        arguments: ["", " ", "a b", "a:", "ä", "a\r", "a\n", "a\0", "(a)", "a,b", "\u{7F}", ":path"])
    func wrongNames(text: String) {
        #expect(HTTPField.Name(text) == nil)
    }

    @Test(
        "a value can't end its field",
        arguments: [
            ("a\r\nset-cookie: b", "a  set-cookie: b"), ("a\n", "a"), ("\r\na", "a"), ("a\0b", "a b"),
            (" \t a b \t", "a b"),
            ("\0", ""), (" ", ""), ("", ""), ("ä b", "ä b"),
        ])
    func values(given: String, kept: String) {
        var field = HTTPField(name: .location, value: given)
        #expect(field.value == kept)
        #expect(HTTPField.isValidValue(given) == (given == kept))
        field.value = "x"
        field.value = given
        #expect(field.value == kept)
        var fields: HTTPFields = [.location: given]
        #expect(fields[.location] == kept)
        fields[.location] = given
        #expect(fields[.location] == kept)
        fields[values: .location] = [given]
        #expect(fields[values: .location] == [kept])
    }

    @Test("values of one name are joined, cookies by semicolons")
    func joined() {
        var fields: HTTPFields = [.accept: "a", .host: "h", .accept: "b"]
        #expect(fields[.accept] == "a, b")
        #expect(fields[values: .accept] == ["a", "b"])
        #expect(fields[.date] == nil)
        fields[.cookie] = "a=1; b=2"
        #expect(fields[values: .cookie] == ["a=1", "b=2"])
        #expect(fields[.cookie] == "a=1; b=2")
    }

    @Test("setting replaces fields in place, and removes or adds the rest")
    func setting() {
        var fields: HTTPFields = [.accept: "a", .host: "h", .accept: "b"]
        fields[.accept] = "c"
        #expect(fields.map(\.description) == ["Accept: c", "Host: h"])
        fields[values: .accept] = ["d", "e"]
        #expect(fields.map(\.description) == ["Accept: d", "Host: h", "Accept: e"])
        fields[.accept] = nil
        #expect(fields.map(\.description) == ["Host: h"])
        fields[.date] = "now"
        #expect(fields.count == 2)
        fields.append(HTTPField(name: .date, value: "later"))
        #expect(fields[values: .date] == ["now", "later"])
    }

    @Test("fields are equal whatever the order of names, but not of values")
    func equality() {
        let fields: HTTPFields = [.accept: "a", .host: "h", .accept: "b"]
        let moved: HTTPFields = [.host: "h", .accept: "a", .accept: "b"]
        #expect(fields == moved)
        #expect(fields.hashValue == moved.hashValue)
        #expect(fields != [.host: "h", .accept: "b", .accept: "a"])
        #expect(fields != [.host: "h", .accept: "a"])
        #expect(fields != [.host: "h", .accept: "a", .date: "b"])
    }
}
