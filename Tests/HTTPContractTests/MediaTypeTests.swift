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
}
