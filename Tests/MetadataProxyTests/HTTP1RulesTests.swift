import Testing

@testable import MetadataProxy

@Suite struct HTTP1RulesTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var version = "HTTP/1.1"
        let fields: [(String, String)]
        let status: Int?
    }

    static let cases = [
        Case(testDescription: "a host", fields: [("Host", "vigil.example:443")], status: nil),
        Case(testDescription: "an address", fields: [("host", "[fd77:1::1]:443")], status: nil),
        Case(testDescription: "chunks", fields: [("Host", "a"), ("Transfer-Encoding", "Chunked")], status: nil),
        Case(testDescription: "HTTP/1.0 without host", version: "HTTP/1.0", fields: [], status: nil),
        Case(testDescription: "no host", fields: [], status: 400),
        Case(testDescription: "two hosts", fields: [("Host", "a"), ("host", "a")], status: 400),
        Case(testDescription: "an empty host", fields: [("Host", "")], status: 400),
        Case(testDescription: "a host with a path", fields: [("Host", "a/b")], status: 400),
        Case(testDescription: "a host with a user", fields: [("Host", "x@a")], status: 400),
        Case(testDescription: "a host with a space", fields: [("Host", "a b")], status: 400),
        Case(
            testDescription: "compressed chunks", fields: [("Host", "a"), ("Transfer-Encoding", "gzip, chunked")],
            status: 501),
        Case(testDescription: "no coding", fields: [("Host", "a"), ("Transfer-Encoding", "identity")], status: 501),
        Case(
            testDescription: "chunks twice",
            fields: [("Host", "a"), ("Transfer-Encoding", "chunked"), ("transfer-encoding", "chunked")], status: 400),
        Case(
            testDescription: "chunks in HTTP/1.0", version: "HTTP/1.0", fields: [("Transfer-Encoding", "chunked")],
            status: 400),
        Case(testDescription: "HTTP/2.0 in a line", version: "HTTP/2.0", fields: [("Host", "a")], status: 505),
        Case(testDescription: "HTTP/0.9", version: "HTTP/0.9", fields: [], status: 505),
    ]

    @Test("a request is refused for its form", arguments: cases)
    func form(_ one: Case) throws {
        let stage = try CoreStage()
        let fields = one.fields.map { "\($0): \($1)\r\n" }.joined()
        let length = one.fields.contains { $0.0.lowercased() == "transfer-encoding" } ? "" : "Content-Length: 0\r\n"
        stage.send("POST /x \(one.version)\r\n\(fields)\(length)\r\n")
        if one.testDescription == "chunks" { stage.send("0\r\n\r\n") }
        // A form that is right gets the answer to an unknown path.
        #expect(stage.client.statuses == [one.status ?? 404])
        #expect(stage.client.bytes.count == 1024)
        if one.status != nil { #expect(stage.client.hasEnded) }
    }
}
