import HTTPContract
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Running
import SubmissionAPI
import Testing
import VerificationAPI

@testable import MetadataProxy

/// What a service receives if fields are hostile: they are the only bytes of callers that the proxy puts into a header.
@Suite struct InnerRequestTests {
    private static func route(_ operation: EndpointDescription) throws -> ProxiedRoute {
        let group = EmbeddedEventLoop()
        let upstream = try Upstream(base: "http://upstream:8010", tls: nil, name: "upstream", on: group)
        let metrics = PrometheusMetrics()
        var plan = ProxyPlan(
            listener: "test", schedule: DeadlineSchedule(interval: .seconds(1)),
            bytesInFlight: BytesInFlight(limit: 1 << 20, metrics: metrics), limit: PrefixLimit(1000, clock: .system),
            clock: .system, metrics: metrics)
        plan.forward(operation, to: upstream)
        return ProxiedRoute(plan.operations[0], on: group.next())
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

    private static func bytes(of request: InnerRequest) -> ByteBuffer {
        request.pieces.reduce(into: ByteBuffer()) { $0.writeImmutableBuffer($1) }
    }

    private static func requests(in bytes: ByteBuffer) throws -> [(head: HTTPRequestHead, body: ByteBuffer)] {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
        try channel.writeInbound(bytes)
        var requests: [(head: HTTPRequestHead, body: ByteBuffer)] = []
        var open: (head: HTTPRequestHead, body: ByteBuffer)?
        while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
            switch part {
            case .head(let head): open = (head, ByteBuffer())
            case .body(let bytes): open?.body.writeImmutableBuffer(bytes)
            case .end:
                if let request = open { requests.append(request) }
                open = nil
            }
        }
        return requests
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
            var passed = route.noFields
            // Half of them are what a phone sends.
            let isTame = Bool.random(using: &random)
            if isTame { route.take("content-type", "application/x-protobuf", into: &passed) }
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let name = names.randomElement(using: &random) ?? ""
                route.take(name, isTame && Bool.random(using: &random) ? "0" : Self.hostile(&random), into: &passed)
            }
            guard route.refusal(of: passed) == nil else { continue }
            let body = ByteBuffer(string: Self.hostile(&random))
            var inner = route.innerRequest(passed)
            inner.append(body)
            inner.end()
            let requests = try Self.requests(in: Self.bytes(of: inner))
            #expect(requests.count == 1)
            let request = try #require(requests.first)
            #expect(request.head.method == .POST)
            #expect(request.head.uri == "/version/v1/diagnosis-keys")
            #expect(request.body == body)
            let names = request.head.headers.map(\.name)
            #expect(
                Set(names).isSubset(of: [
                    "host", "content-type", "cwa-authorization", "cwa-otp", "cwa-fake", "content-length",
                ]))
            #expect(Set(names).count == names.count)
            #expect(request.head.headers["host"] == ["upstream:8010"])
            #expect(request.head.headers["content-type"] == ["application/x-protobuf"])
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
            var inner = route.innerRequest(route.noFields)
            let header = Self.bytes(of: inner).readableBytes
            var body = ByteBuffer()
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                // What one read brought, and the slice of it that is body.
                let size = Bool.random(using: &random) ? 16_384 : Int.random(in: 1...64, using: &random)
                let read = ByteBuffer(bytes: (0..<size).map { UInt8(truncatingIfNeeded: $0 + body.readableBytes) })
                let length = Bool.random(using: &random) ? size : Int.random(in: 0...size, using: &random)
                let piece = try #require(read.getSlice(at: size - length, length: length))
                body.writeImmutableBuffer(piece)
                inner.append(piece)
            }
            inner.end()
            #expect(inner.bodyLength == body.readableBytes)
            let bytes = Self.bytes(of: inner)
            #expect(bytes.getSlice(at: header, length: bytes.readableBytes - header) == body)
            #expect(try Self.requests(in: bytes).map(\.body) == [body])
            kept += inner.pieces.count - 1
            for piece in inner.pieces.dropFirst() {
                #expect(piece.storageCapacity <= 2 * piece.readableBytes)
                #expect(piece.readableBytes >= InnerRequest.shortestKept)
            }
        }
        #expect(kept > 100)
    }

    @Test("a forwarded field may appear once", arguments: ["cwa-fake", "CWA-FAKE", "content-type"])
    func twice(name: String) throws {
        let route = try Self.route(EndpointDescription(VerificationAPI.tan))
        var passed = route.noFields
        route.take("content-type", "application/json", into: &passed)
        route.take("cwa-fake", "1", into: &passed)
        #expect(route.refusal(of: passed) == nil)
        route.take(name, "1", into: &passed)
        #expect(route.refusal(of: passed)?.status == 400)
    }

    @Test("a body that is announced as too long is refused before it arrives")
    func announced() throws {
        let route = try Self.route(EndpointDescription(VerificationAPI.tan))
        var passed = route.noFields
        route.take("content-type", "application/json", into: &passed)
        route.take("content-length", "10000", into: &passed)
        #expect(route.refusal(of: passed) == nil)
        route.take("content-length", "10001", into: &passed)
        #expect(route.refusal(of: passed)?.status == 413)
    }
}
