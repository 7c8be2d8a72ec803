import HTTPMessage
import HTTPTypes
import Testing

@testable import HTTP2

/// What a client with many alike requests uses.
struct PatternTests {
    private func pattern(unique: Int = 2) throws -> HTTP2RequestPattern {
        var fields = FieldLines()
        fields.append(try #require(HTTPField.Name("x-topic")), "app")
        fields.append(.authorization, "bearer secret")
        fields.append(try #require(HTTPField.Name("x-id")), "0000")
        return try HTTP2RequestPattern(
            .post, authority: "localhost", target: "/device/", targetRoom: 8, fields: fields, unique: unique)
    }

    private func submit(
        _ pattern: HTTP2RequestPattern, _ end: String, _ id: String, _ client: Endpoint
    ) throws -> Int32? {
        try client.session.submitRequest(
            pattern, targetEnd: end.utf8Span.span, lastValue: id.utf8Span.span, body: .bytes(Array("body".utf8)))
    }

    @Test("requests of a pattern differ in the end of the target and in the last field")
    func differences() throws {
        let client = try Endpoint(.client)
        let server = try Endpoint(.server)
        Endpoint.exchange(client, server)
        let pattern = try pattern()
        for (number, end) in ["abcdefgh", "a", ""].enumerated() {
            let stream = try #require(try submit(pattern, end, "000\(number)", client))
            Endpoint.exchange(client, server)
            let head = try #require(server.recorder.requests[stream])
            #expect(head.method == .post && head.authority == "localhost" && head.target == "/device/" + end)
            var fields: [String] = []
            head.fields.forEach { fields.append("\($0): \($1)") }
            #expect(fields == ["x-topic: app", "authorization: bearer secret", "x-id: 000\(number)"])
            #expect(server.recorder.bodies[stream] == Array("body".utf8))
        }
    }

    @Test("what is unique never enters HPACK's tables, and everything else is sent once")
    func tables() throws {
        let client = try Endpoint.client()
        let pattern = try pattern()
        var lengths: [Int] = []
        for number in 0..<3 {
            _ = try submit(pattern, "a", "000\(number)", client)
            let frames = client.drain().filter { $0.type == Frame.headers }
            lengths += frames.map(\.payload.count)
            for frame in frames { _ = client.decoder.fields(frame.payload) }
        }
        #expect(lengths.count == 3 && lengths[1] < lengths[0] && lengths[2] == lengths[1])
    }

    @Test(
        "a target or a value that can't be sent is refused, and opens no stream",
        arguments: [
            ("a b", "0000"), ("a\r\nb", "0000"), ("#", "0000"), ("abcdefghi", "0000"), ("a", "000"), ("a", "00000"),
            ("a", "0\r\n0"),
        ])
    func refusals(end: String, id: String) throws {
        let client = try Endpoint.client()
        let pattern = try pattern()
        #expect(throws: InvalidField.self) { try submit(pattern, end, id, client) }
        #expect(client.session.openStreams == 0)
        #expect(try submit(pattern, "a", "0000", client) == 1)
    }

    @Test("a pattern needs a target, an authority and a field")
    func malformed() throws {
        var fields = FieldLines()
        fields.append(.accept, "*/*")
        for (authority, target, fields) in [
            ("a b", "/", fields), ("localhost", "device", fields), ("localhost", "/", FieldLines()),
        ] {
            #expect(throws: InvalidField.self) {
                try HTTP2RequestPattern(
                    .get, authority: authority, target: target, targetRoom: 0, fields: fields, unique: 0)
            }
        }
    }

    @Test("no request is submitted before the peer's settings, nor above its limit")
    func limit() throws {
        let early = try Endpoint(.client)
        #expect(try submit(pattern(), "a", "0000", early) == nil)
        let client = try Endpoint.client(settings: (3, 1))
        #expect(try submit(pattern(), "a", "0000", client) == 1)
        #expect(try submit(pattern(), "a", "0000", client) == nil)
    }

    @Test("a client may do without the fields of successes, and still has those of others")
    func successes() throws {
        for status in [200, 503] {
            let client = try Endpoint.client { $0.keepsFieldsOfSuccess = false }
            let stream = try client.submit()
            client.drain()
            client.take(headers(stream, [(":status", String(status)), ("retry-after", "5")], end: true))
            let head = try #require(client.recorder.responses[stream])
            #expect(head.fields.first(.retryAfter) == (status == 200 ? nil : "5"))
            #expect(client.recorder.events.contains(.closed(stream, .noError)))
        }
    }

    @Test("a server counts the streams that it refused above a limit that the client doesn't know yet")
    func overLimit() throws {
        let server = try Endpoint.server { $0.streams = 2 }
        server.recorder.onEnd = { _ in }
        server.take((0..<5).flatMap { headers(2 * $0 + 1, request(), end: true) })
        #expect(server.recorder.events.count { $0 == .overLimit } == 3)
        #expect(server.session.openStreams == 2)
    }
}
