import HTTPContract
import HTTPTypes
import Testing

struct HTTPFieldsTests {
    @Test("a field that was sent once has a value, whatever its case; one that was sent twice has none")
    func only() {
        var fields: HTTPFields = [.contentLength: "5"]
        fields.append(HTTPField(name: .contentType, value: "text/plain"))
        #expect(fields.only(.contentLength) == "5")
        #expect(HTTPField.Name("CONTENT-LENGTH").flatMap(fields.only) == "5")
        #expect(fields.only(.date) == nil)
        fields.append(HTTPField(name: .contentType, value: "text/plain"))
        #expect(fields.only(.contentType) == nil)
    }
}
