import NIOHTTP1
import Testing

@testable import MetadataProxy

@Suite struct HTTP1RulesTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var version = HTTPVersion.http1_1
        let fields: [(String, String)]
        let status: Int?
    }

    static let cases = [
        Case(testDescription: "a host", fields: [("Host", "vigil.example:443")], status: nil),
        Case(testDescription: "an address", fields: [("host", "[fd77:1::1]:443")], status: nil),
        Case(testDescription: "chunks", fields: [("Host", "a"), ("Transfer-Encoding", "Chunked")], status: nil),
        Case(testDescription: "HTTP/1.0 without host", version: .http1_0, fields: [], status: nil),
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
            testDescription: "chunks in HTTP/1.0", version: .http1_0, fields: [("Transfer-Encoding", "chunked")],
            status: 400),
        Case(testDescription: "HTTP/2.0 in a line", version: .http2, fields: [("Host", "a")], status: 505),
        Case(testDescription: "HTTP/0.9", version: .http0_9, fields: [], status: 505),
    ]

    @Test("a request is refused for its form", arguments: cases)
    func form(_ one: Case) {
        let head = HTTPRequestHead(
            version: one.version, method: .POST, uri: "/version/v1/tan", headers: HTTPHeaders(one.fields))
        #expect(HTTP1Rules.refusal(of: head)?.status == one.status)
    }
}
