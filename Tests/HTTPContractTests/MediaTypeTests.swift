import HTTPContract
import Testing

@Suite struct MediaTypeTests {
    @Test(
        "a content type matches whatever its case and parameters",
        arguments: [
            ("application/json", true), ("application/json; charset=utf-8", true), ("Application/JSON", true),
            ("application/json ;charset=utf-8", true), ("application/jsonp", false), ("text/json", false), ("", false),
            (";application/json", false),
        ])
    func matches(value: String, expected: Bool) {
        #expect(MediaType.json.matches(contentType: value) == expected)
    }

    @Test(
        "a type with a version matches that version only, named once",
        arguments: [
            ("application/protobuf; version=1.0", true), ("application/protobuf;version=1.0", true),
            ("Application/Protobuf; Version=\"1.0\"", true), ("application/protobuf; a=b; version=1.0", true),
            ("application/protobuf", false), ("application/protobuf; version=1.1", false),
            ("application/protobuf; version=1.0; version=1.1", false), ("application/protobuf; version=", false),
            ("application/protobuf; version", false), ("application/json; version=1.0", false),
            ("application/protobuf; xversion=1.0", false),
        ])
    func version(value: String, expected: Bool) {
        let type = MediaType("application/protobuf", parameters: ["version": "1.0"])
        #expect(type.text == "application/protobuf; version=1.0")
        #expect(type.matches(contentType: value) == expected)
    }
}
