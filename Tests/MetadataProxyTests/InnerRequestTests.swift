import HTTP1
import HTTPContract
import HTTPMessage
import HTTPTypes
import Loop
import Running
import SubmissionAPI
import Testing
import VerificationAPI

@testable import Calling
@testable import MetadataProxy
@testable import Serving

/// What a service receives if fields are hostile: they are the only bytes of callers that the proxy puts into a header.
@Suite struct InnerRequestTests {
    private static func route(_ operation: EndpointDescription) throws -> ProxiedRoute {
        let metrics = PrometheusMetrics()
        var plan = ProxyPlan(
            listener: "test", schedule: DeadlineSchedule(interval: .seconds(1)),
            bytesInFlight: BytesInFlight(limit: 1 << 20, metrics: metrics), limit: PrefixLimit(1000, clock: .system),
            metrics: metrics)
        plan.forward(operation, to: try .upstream("http://upstream:8010", tls: nil, name: "upstream"))
        let origin = try #require(Origin("http://upstream:8010"))
        let core = Core(manual: Moment(nanoseconds: 0))
        return ProxiedRoute(
            plan.operations[0], to: ClientPool(ClientPeer(origin, context: { nil }), on: core, share: 1),
            otherMetrics: plan.otherRequests)
    }

    /// Pieces with a meaning in a header, in any order, with arbitrary bytes between them.
    private static func hostile(_ random: inout some RandomNumberGenerator) -> String {
        let pieces = [
            "\r\n", "\n", "\r", "\0", ":", " ", "\t", "content-length: 0", "transfer-encoding: chunked", "\r\n\r\n",
            "POST /version/v1/tan HTTP/1.1", "host: other", "1", "0", "é", "\u{212A}", "%0d%0a", ",", ";", "\"",
            "63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f", "application/x-protobuf", "\u{7f}",
            String(repeating: "a", count: 300),
        ]
        return (0..<Int.random(in: 0...4, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
            .joined()
    }

    private static func bytes(of request: InnerRequest) -> [UInt8] {
        Array(request.encoded().pieces.joined())
    }

    private static func requests(in bytes: [UInt8]) throws -> [(head: RequestHead, body: [UInt8])] {
        var parser = RequestParser(headBytes: 16 << 10)
        var requests: [(head: RequestHead, body: [UInt8])] = []
        var open: (head: RequestHead, body: [UInt8])?
        var position = 0
        while let part = try parser.next(bytes.span, &position) {
            switch part {
            case .head(let head): open = (head, [])
            case .body(let range): open?.body += bytes[range]
            case .end:
                if let request = open { requests.append(request) }
                open = nil
            }
        }
        #expect(position == bytes.count)
        return requests
    }

    private static func fields(_ all: [(String, String)]) -> FieldLines {
        var fields = FieldLines()
        for (name, value) in all {
            // As parsers do, which refuse what these lines can't hold.
            let value = value.utf8.drop { $0 == 0x20 || $0 == 0x09 }
            try? fields.append(name: Array(name.utf8).span, value: Array(value).span)
        }
        return fields
    }

    @Test(
        "whatever fields contain, a service receives exactly one request with the route's fields and the body, or none")
    func hostileFields() throws {
        var random = SystemRandomNumberGenerator()
        let route = try Self.route(EndpointDescription(SubmissionAPI.diagnosisKeys))
        let names = [
            "content-type", "Content-Type", "cwa-fake", "CWA-Fake", "cwa-authorization", "cwa-otp", "content-length",
            "x-other",
        ]
        var sent = 0
        for _ in 0..<3000 {
            var passed: [(String, String)] = []
            // Half of them are what a phone sends.
            let isTame = Bool.random(using: &random)
            if isTame { passed.append(("content-type", "application/x-protobuf")) }
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let name = names.randomElement(using: &random) ?? ""
                passed.append((name, isTame && Bool.random(using: &random) ? "0" : Self.hostile(&random)))
            }
            guard var inner = try? route.innerRequest(Self.fields(passed), announced: 0) else { continue }
            let body = Array(Self.hostile(&random).utf8)
            inner.append(body.span)
            let requests = try Self.requests(in: Self.bytes(of: inner))
            #expect(requests.count == 1)
            let request = try #require(requests.first)
            #expect(request.head.method == .post)
            #expect(request.head.target == "/version/v1/diagnosis-keys")
            #expect(request.body == body)
            #expect(request.head.authority == "upstream:8010")
            var names: [String] = []
            request.head.fields.forEach { name, _ in names.append(name) }
            #expect(
                Set(names).isSubset(of: ["content-type", "cwa-authorization", "cwa-otp", "cwa-fake", "content-length"]))
            #expect(Set(names).count == names.count)
            #expect(request.head.fields.values(.contentType) == ["application/x-protobuf"])
            sent += 1
        }
        #expect(sent > 200)
    }

    @Test("in whatever pieces a body arrives, it is passed on whole, and keeps at most twice its length alive")
    func pieces() throws {
        var random = SystemRandomNumberGenerator()
        let route = try Self.route(EndpointDescription(SubmissionAPI.diagnosisKeys))
        var kept = 0
        for _ in 0..<200 {
            var inner = try route.innerRequest(
                Self.fields([("content-type", "application/x-protobuf")]), announced: 0)
            let header = Self.bytes(of: inner).count
            var body: [UInt8] = []
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                let size = Bool.random(using: &random) ? 16_384 : Int.random(in: 1...64, using: &random)
                let piece = (0..<size).map { UInt8(truncatingIfNeeded: $0 + body.count) }
                body += piece
                inner.append(piece.span)
            }
            #expect(inner.bodyLength == body.count)
            let bytes = Self.bytes(of: inner)
            #expect(Array(bytes[header...]) == body)
            #expect(try Self.requests(in: bytes).map(\.body) == [body])
            let pieces = inner.encoded().pieces
            kept += pieces.count - 1
            for piece in pieces.dropFirst() {
                #expect(piece.count >= InnerRequest.shortestKept)
                // malloc rounds up.
                #expect(piece.capacity <= 2 * piece.count + 64)
            }
        }
        #expect(kept > 100)
    }

    @Test("a forwarded field may appear once", arguments: ["cwa-fake", "CWA-FAKE", "content-type"])
    func twice(name: String) throws {
        let route = try Self.route(EndpointDescription(VerificationAPI.tan))
        let once = [("content-type", "application/json"), ("cwa-fake", "1")]
        _ = try route.innerRequest(Self.fields(once), announced: 0)
        let refusal = #expect(throws: ProxiedRoute.Refusal.self) {
            try route.innerRequest(Self.fields(once + [(name, "1")]), announced: 0)
        }
        #expect(refusal?.status == .badRequest)
    }

    @Test("a body that is announced as too long is refused before it arrives")
    func announced() throws {
        let route = try Self.route(EndpointDescription(VerificationAPI.tan))
        let fields = Self.fields([("content-type", "application/json")])
        _ = try route.innerRequest(fields, announced: 10_000)
        let refusal = #expect(throws: ProxiedRoute.Refusal.self) {
            try route.innerRequest(fields, announced: 10_001)
        }
        #expect(refusal?.status == .contentTooLarge)
    }
}
