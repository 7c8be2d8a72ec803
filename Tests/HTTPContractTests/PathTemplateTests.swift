import HTTPContract
import Testing

@Suite struct PathTemplateTests {
    private let template = PathTemplate("/batches/{date}/{tag}")

    @Test("a path matches segment by segment, as it was sent")
    func matches() {
        for path in ["/batches/2020-11-22/7", "/batches/%2e%2e/7", "/batches/a%2Fb/7"] {
            #expect(template.matches(path), "\(path)")
        }
        for path in [
            "/batches/7", "/batches//7", "/batches/a/b/c", "/batches/a/b/", "//batches/a/b", "/Batches/a/b", "",
        ] {
            #expect(!template.matches(path), "\(path)")
        }
    }

    @Test("values are decoded once")
    func values() throws {
        #expect(try template.values(in: "/batches/a+b/%2525") == ["date": "a+b", "tag": "%25"])
    }

    @Test(
        "a value that could change the path is malformed",
        arguments: ["%2e%2e", "..", ".", "a%2Fb", "%00", "%", "%c0%ae", "a%0d%0ab"])
    func hostile(value: String) {
        #expect(throws: MalformedMessage()) { try template.values(in: "/batches/\(value)/7") }
    }

    @Test("a template with values gives the path that it reads")
    func path() throws {
        let values: [String: String] = ["date": "2020-11-22", "tag": "a b%c"]
        let path = template.path(with: URLEncodedValues(values))
        #expect(path == "/batches/2020-11-22/a%20b%25c")
        #expect(try template.values(in: path) == values)
    }
}
