import HTTPMessage
import HTTPTypes
import Testing

@testable import HTTP2

/// Two sessions back to back, and a server opposite to hand-written frames.
@Suite("Requests and answers over HTTP/2")
struct ExchangeTests {
    private func pair(
        server change: (inout HTTP2Limits) -> Void = { _ in }
    ) throws -> (client: Endpoint, server: Endpoint) {
        let client = try Endpoint(.client)
        let server = try Endpoint(.server, change)
        Endpoint.exchange(client, server)
        return (client, server)
    }

    private func answer(_ server: Endpoint, _ status: HTTPResponse.Status, _ body: HTTP2Body?) {
        server.recorder.onEnd = { [unowned session = server.session] stream in
            session.submitResponse(stream, status: status, fields: FieldLines(), body: body)
        }
    }

    @Test("a request and its answer arrive whole")
    func plain() throws {
        let (client, server) = try pair()
        answer(server, 201, .bytes(Array("made".utf8)))
        var fields = FieldLines()
        fields.append(try #require(HTTPField.Name("x-own")), "value")
        fields.append(try #require(HTTPField.Name("connection")), "close")
        let stream = try client.session.submitRequest(
            .post, authority: "localhost:8000", target: "/path?query", fields: fields, unique: 1,
            body: .bytes(Array("body".utf8)))
        Endpoint.exchange(client, server)
        let head = try #require(server.recorder.requests[1])
        #expect(stream == 1)
        #expect(head.method == .post)
        #expect(head.target == "/path?query")
        #expect(head.authority == "localhost:8000")
        #expect(head.fields.count == 1)
        #expect(head.framing == .chunked)
        #expect(server.recorder.bodies[1] == Array("body".utf8))
        #expect(client.recorder.responses[1]?.status.code == 201)
        #expect(client.recorder.bodies[1] == Array("made".utf8))
        #expect(
            client.recorder.events
                == [.settings, .sent(1), .response(1, 201), .body(1, 4), .end(1), .closed(1, .noError)])
        #expect(server.recorder.events.suffix(2) == [.sent(1), .closed(1, .noError)])
        #expect(client.session.openStreams == 0 && server.session.openStreams == 0)
    }

    @Test(
        "a body of a megabyte arrives whole in both directions, in pieces of any size", arguments: [1, 1000, 1 << 20])
    func large(_ size: Int) throws {
        let (client, server) = try pair()
        let body = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        server.recorder.onEnd = { [unowned session = server.session, unowned recorder = server.recorder] stream in
            let source = Pieces(recorder.bodies[stream] ?? [], size)
            session.submitResponse(stream, status: 200, fields: FieldLines(), body: .source(source))
        }
        _ = try client.session.submitRequest(
            .post, authority: "localhost", target: "/", fields: FieldLines(), body: .bytes(body))
        if size == 1 {
            // Too many frames of a byte are a flood.
            Endpoint.exchange(client, server)
            #expect(client.session.failure?.code == .enhanceYourCalm)
        } else {
            Endpoint.exchange(client, server)
            #expect(client.recorder.bodies[1] == body)
        }
    }

    private final class Pieces: HTTP2BodySource {
        private let bytes: [UInt8]
        private let size: Int
        private var start = 0
        var isLate = false

        init(_ bytes: [UInt8], _ size: Int) {
            self.bytes = bytes
            self.size = size
        }

        func next(atMost limit: Int) -> HTTP2BodyPiece {
            if isLate { return .later }
            let end = min(bytes.count, start + min(size, limit))
            defer { start = end }
            return .bytes(Array(bytes[start..<end]), isLast: end == bytes.count)
        }
    }

    @Test("a source that has nothing yet is asked again when it says so")
    func later() throws {
        let (client, server) = try pair()
        let source = Pieces(Array("body".utf8), 2)
        source.isLate = true
        answer(server, 200, .source(source))
        _ = try client.submit()
        Endpoint.exchange(client, server)
        #expect(client.recorder.bodies[1] == nil)
        source.isLate = false
        server.session.resume(1)
        Endpoint.exchange(client, server)
        #expect(client.recorder.bodies[1] == Array("body".utf8))
        #expect(client.recorder.events.last == .closed(1, .noError))
    }

    @Test("a source that fails resets its stream, not the connection")
    func failed() throws {
        final class Broken: HTTP2BodySource {
            func next(atMost limit: Int) -> HTTP2BodyPiece { .failed }
        }
        let (client, server) = try pair()
        answer(server, 200, .source(Broken()))
        _ = try client.submit()
        Endpoint.exchange(client, server)
        #expect(client.recorder.events.last == .closed(1, .internalError))
        _ = try client.submit()
        Endpoint.exchange(client, server)
        #expect(server.recorder.requests[3] != nil)
    }

    @Test("frames leave in portions of about the size that is asked for")
    func portions() throws {
        let server = try Endpoint.server(settings: (4, 1 << 20))
        server.take(window(0, 1 << 20))
        answer(server, 200, .bytes([UInt8](repeating: 1, count: 1 << 20)))
        try server.session.receive(headers(1, request(), end: true).span)
        var count = 0
        while server.session.wantsWrite, count < 1000 {
            var bytes: [UInt8] = []
            server.session.drain(into: &bytes, atMost: 65_536)
            #expect(bytes.count <= 65_536 + 16_393)
            count += 1
        }
        #expect(count > 10)
    }

    // MARK: Messages without a body

    @Test("an answer to HEAD, and 204 and 304, have no DATA", arguments: [("HEAD", 200), ("GET", 204), ("GET", 304)])
    func bodiless(_ method: String, _ status: Int) throws {
        let server = try Endpoint.server()
        var fields = FieldLines()
        fields.append(.contentLength, "4")
        server.recorder.onEnd = { [unowned session = server.session] stream in
            session.submitResponse(
                stream, status: HTTPResponse.Status(code: status), fields: fields, body: .bytes(Array("body".utf8)))
        }
        let frames = server.take(headers(1, request(changes: [":method": method]), end: true))
        let answer = try #require(frames.first { $0.type == Frame.headers })
        #expect(answer.endsStream)
        #expect(!frames.contains { $0.type == Frame.data })
        let length = server.decoder.fields(answer.payload).first { $0.0 == "content-length" }?.1
        #expect(length == (status == 204 ? nil : "4"))
    }

    @Test("a client takes an answer to HEAD with a length and without DATA")
    func head() throws {
        let client = try Endpoint.client()
        let stream = try client.submit(.head, body: nil)
        client.drain()
        client.take(headers(stream, [(":status", "200"), ("content-length", "4")], end: true))
        #expect(client.recorder.events.last == .closed(stream, .noError))
        #expect(client.recorder.responses[stream]?.framing == BodyFraming.none)
    }

    // MARK: Interim answers and trailers

    /// jetty/jetty.project#902.
    @Test("a client that waits before its body gets 100, and the final answer later")
    func expectation() throws {
        let server = try Endpoint.server()
        server.recorder.onRequest = { [unowned session = server.session] stream, head in
            if head.expectsContinue { session.submitInterim(stream, status: .continue) }
        }
        let frames = server.take(headers(1, request(("expect", "100-continue"))))
        let interim = try #require(frames.first { $0.type == Frame.headers })
        #expect(!interim.endsStream)
        #expect(server.decoder.fields(interim.payload).map(\.1) == ["100"])
        server.frames = []
        server.take(data(1, "body"))
        #expect(server.status(1) == "201")
    }

    @Test("a client passes over interim answers, but not over many")
    func interims() throws {
        let client = try Endpoint.client()
        let stream = try client.submit()
        client.drain()
        client.take(headers(stream, [(":status", "100")]) + headers(stream, [(":status", "103"), ("link", "x")]))
        client.take(headers(stream, [(":status", "200")]) + data(stream, "ok"))
        #expect(client.recorder.responses[stream]?.fields.count == 0)
        #expect(client.recorder.bodies[stream] == Array("ok".utf8))

        let second = try client.submit()
        client.drain()
        for _ in 0..<100 { client.take(headers(second, [(":status", "103")])) }
        #expect(client.frames.last?.type == Frame.reset)
        #expect(client.recorder.responses[second] == nil)
    }

    @Test("trailers are dropped, and don't change what was read before")
    func trailers() throws {
        let server = try Endpoint.server()
        server.take(headers(1, request()) + data(1, "body", end: false))
        server.take(headers(1, [("x-evil", "1"), ("content-type", "text/html")], end: true))
        #expect(server.recorder.requests[1]?.fields.values(.contentType) == ["application/json"])
        #expect(server.status(1) == "201")
    }

    @Test("the crumbs of a cookie become one field")
    func cookies() throws {
        let server = try Endpoint.server()
        server.take(headers(1, request(("cookie", "a=1"), ("cookie", "b=2")), end: true))
        #expect(server.recorder.requests[1]?.fields.values(.cookie) == ["a=1; b=2"])
    }

    @Test("a request without length has the framing of its frames")
    func framing() throws {
        let server = try Endpoint.server()
        server.take(
            headers(1, request(), end: true) + headers(3, request()) + headers(5, request(("content-length", "3"))))
        #expect(server.recorder.requests[1]?.framing == BodyFraming.none)
        #expect(server.recorder.requests[3]?.framing == .chunked)
        #expect(server.recorder.requests[5]?.framing == .length(3))
    }

    @Test("a request that can't be written is refused, and nothing is sent", arguments: ["/a b", "x", "/a\r\nb", ""])
    func invalid(_ target: String) throws {
        let client = try Endpoint.client()
        #expect(throws: InvalidField.self) { _ = try client.submit(target: target) }
        #expect(throws: InvalidField.self) {
            _ = try client.session.submitRequest(
                .get, authority: "a@b", target: "/", fields: FieldLines(), body: nil)
        }
        #expect(client.session.openStreams == 0)
    }

    @Test("an answer to a stream that has ended, or a second answer, is dropped")
    func late() throws {
        let server = try Endpoint.server()
        server.recorder.onEnd = { _ in }
        server.take(headers(1, request(), end: true))
        #expect(server.session.submitResponse(1, status: 200, fields: FieldLines(), body: nil))
        #expect(!server.session.submitResponse(1, status: 200, fields: FieldLines(), body: nil))
        server.drain()
        #expect(!server.session.submitResponse(1, status: 200, fields: FieldLines(), body: nil))
        #expect(!server.session.submitInterim(1, status: .continue))
        server.session.reset(1, .cancel)
        #expect(server.drain().isEmpty)
    }
}
