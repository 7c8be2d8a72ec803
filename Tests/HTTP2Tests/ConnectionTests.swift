import HTTPMessage
import HTTPTypes
import Testing

@testable import HTTP2

@Suite("Windows, limits and ends of a connection")
struct ConnectionTests {
    // MARK: Credit

    /// Sends as much of bodies as the windows take; how many bytes.
    private func fill(_ server: Endpoint, streams: [Int32], bytes: Int) -> Int {
        var room: [Int32: Int] = [:]
        var connection = 65_535
        var seen = 0
        var sent = 0
        var left = Dictionary(uniqueKeysWithValues: streams.map { ($0, bytes) })
        for stream in streams { server.take(headers(stream, request())) }
        var isMoving = true
        while isMoving {
            isMoving = false
            for frame in server.frames[seen...] where frame.type == Frame.window {
                if frame.stream == 0 {
                    connection += Int(frame.number(at: 0))
                } else {
                    room[frame.stream, default: 65_535] += Int(frame.number(at: 0))
                }
            }
            seen = server.frames.count
            for stream in streams {
                let count = min(connection, room[stream, default: 65_535], left[stream] ?? 0, 16_384)
                guard count > 0 else { continue }
                isMoving = true
                connection -= count
                room[stream, default: 65_535] -= count
                left[stream, default: 0] -= count
                sent += count
                server.take(data(stream, [UInt8](repeating: 7, count: count), end: left[stream] == 0))
            }
        }
        return sent
    }

    /// benoitc/gunicorn#3716.
    @Test("a connection holds no more of bodies than its budget and the windows, and the oldest goes on")
    func budget() throws {
        let server = try Endpoint.server { $0.heldBytes = 256 << 10 }
        server.recorder.onEnd = { _ in }
        let streams = (0..<50).map { Int32(2 * $0 + 1) }
        let sent = fill(server, streams: streams, bytes: 1 << 20)
        #expect(sent <= (1 << 20) + (256 << 10) + 50 * 65_535)
        #expect(server.recorder.bodies[1]?.count == 1 << 20)
        #expect(server.recorder.events.contains(.end(1)))
    }

    @Test("bodies that are let go of arrive whole, however many there are")
    func released() throws {
        let server = try Endpoint.server { $0.heldBytes = 128 << 10 }
        server.recorder.onEnd = { _ in }
        server.recorder.onBody = { [unowned session = server.session] in session.release($0, $1) }
        let streams = (0..<20).map { Int32(2 * $0 + 1) }
        #expect(fill(server, streams: streams, bytes: 300_000) == 20 * 300_000)
    }

    @Test("answers that nobody reads count against the budget")
    func unreadAnswers() throws {
        let server = try Endpoint.server(settings: (4, 0)) { $0.heldBytes = 64 << 10 }
        server.recorder.onEnd = { [unowned session = server.session] stream in
            session.submitResponse(
                stream, status: 200, fields: FieldLines(), body: .bytes([UInt8](repeating: 1, count: 100_000)))
        }
        server.take(headers(1, request(), end: true))
        _ = fill(server, streams: [3, 5], bytes: 200_000)
        #expect(server.recorder.bodies[5]?.count == 65_535)
        let held = server.session.heldBytes
        server.take(reset(1))
        #expect(server.session.heldBytes == held - 100_000)
    }

    @Test("a client that is given a whole answer at once holds nothing of it afterwards")
    func wholeAnswer() throws {
        let client = try Endpoint.client()
        for _ in 0..<3 {
            let stream = try client.submit(.get, body: nil)
            client.drain()
            client.take(headers(stream, [(":status", "400")]) + data(stream, "reason"))
            #expect(client.recorder.bodies[stream] == Array("reason".utf8))
            #expect(client.recorder.events.last == .closed(stream, .noError))
            #expect(client.session.heldBytes == 0)
        }
    }

    @Test("a server that answers before it is told of the body holds nothing of it afterwards")
    func earlyAnswer() throws {
        let server = try Endpoint.server()
        server.recorder.onEnd = { _ in }
        server.recorder.onRequest = { [unowned server] stream, _ in
            server.session.submitResponse(stream, status: 404, fields: FieldLines(), body: nil)
            server.drain()
        }
        server.take(headers(1, request()) + data(1, "all of the body"))
        #expect(server.status(1) == "404")
        #expect(server.recorder.events.last == .closed(1, .noError))
        #expect(server.session.heldBytes == 0)
    }

    /// benoitc/gunicorn#3716.
    @Test("a body that isn't wanted any more gets no credit, and its stream ends without an error")
    func refusedUpload() throws {
        let server = try Endpoint.server()
        server.recorder.onBody = { [unowned session = server.session] stream, _ in
            session.stopCredit(stream)
            session.submitResponse(stream, status: 413, fields: FieldLines(), body: nil)
        }
        let sent = fill(server, streams: [1], bytes: 1 << 20)
        #expect(sent < 131_072)
        #expect(server.status(1) == "413")
        #expect(server.session.isReceiving(1))
        server.session.reset(1, .noError)
        let frames = server.drain()
        #expect(frames.map(\.type) == [Frame.reset])
        #expect(frames[0].code == 0)
        // What was on its way is no error.
        server.take(data(1, "more", end: false))
        server.take(headers(3, request(), end: true))
        #expect(server.status(3) == "201")
    }

    // MARK: The client's limits

    @Test("a client opens no stream before the peer's settings, and no more than they allow")
    func streamLimit() throws {
        let client = try Endpoint(.client)
        client.drain()
        #expect(client.session.peerStreamLimit == nil)
        #expect(!client.session.canSubmit)
        client.take(settings((3, 2)))
        #expect(client.session.peerStreamLimit == 2)
        let first = try client.submit()
        _ = try client.submit()
        #expect(!client.session.canSubmit)
        #expect(
            try client.session.submitRequest(
                .get, authority: "a", target: "/", fields: FieldLines(), body: nil) == nil)
        client.drain()
        client.take(headers(first, [(":status", "200")], end: true))
        #expect(client.session.canSubmit)
        client.take(settings((3, 0)))
        #expect(!client.session.canSubmit)
        client.take(settings((3, 10)))
        #expect(client.session.canSubmit)
    }

    @Test("a change of the window's size applies to open streams")
    func changedWindow() throws {
        let client = try Endpoint.client(settings: (4, 10))
        let stream = try client.submit(body: "twenty bytes exactly")
        let first = client.drain()
        #expect(first.filter { $0.type == Frame.data }.map(\.payload.count) == [10])
        client.take(settings((4, 0)) + window(stream, 3))
        #expect(!client.frames.contains { $0.endsStream })
        client.take(settings((4, 100)))
        #expect(client.frames.last { $0.type == Frame.data }?.endsStream == true)
    }

    // MARK: GOAWAY

    @Test("a server that shuts down says so first, answers what comes, and names the last stream later")
    func shutdown() throws {
        let server = try Endpoint.server()
        server.session.shutdownNotice()
        let notice = try #require(server.drain().first { $0.type == Frame.goAway })
        #expect(notice.number(at: 0) == 0x7FFF_FFFF && notice.code == 0)
        server.take(headers(1, request(), end: true))
        #expect(server.status(1) == "201")
        #expect(!server.session.isFinished)
        server.session.goAway(.noError)
        let last = try #require(server.drain().first { $0.type == Frame.goAway })
        #expect(last.number(at: 0) == 1)
        #expect(server.session.isFinished)
    }

    @Test("a client takes the notice and opens no more streams, but gets the answers to those that are open")
    func noticed() throws {
        let client = try Endpoint.client()
        let stream = try client.submit()
        client.drain()
        client.take(Frame(type: Frame.goAway, payload: UInt32(0x7FFF_FFFF).big + UInt32(0).big).bytes)
        #expect(client.recorder.events.contains(.goAway(0x7FFF_FFFF, .noError)))
        #expect(!client.session.canSubmit)
        client.take(headers(stream, [(":status", "200")], end: true))
        #expect(client.recorder.events.last == .closed(stream, .noError))
    }

    @Test("streams above the last one that a server names are refused, so they may be repeated")
    func unprocessed() throws {
        let client = try Endpoint.client()
        for _ in 0..<7 { _ = try client.submit() }
        client.drain()
        client.take(
            Frame(type: Frame.goAway, payload: UInt32(1).big + UInt32(0).big + Array(#"{"reason":"x"}"#.utf8)).bytes)
        let refused = client.recorder.events.filter {
            if case .closed(_, .refusedStream) = $0 { true } else { false }
        }
        #expect(refused.count == 6)
        #expect(client.recorder.goAwayData == Array(#"{"reason":"x"}"#.utf8))
        client.take(headers(1, [(":status", "200")], end: true))
        #expect(client.recorder.events.last == .closed(1, .noError))
    }

    @Test("a server may refuse all streams above any number")
    func simulated() throws {
        let server = try Endpoint.server()
        server.recorder.onEnd = { _ in }
        for stream in [1, 3, 5] as [Int32] { server.take(headers(stream, request(), end: true)) }
        server.session.goAway(.noError, lastStream: 1, data: Array("why".utf8))
        let frame = try #require(server.drain().first { $0.type == Frame.goAway })
        #expect(frame.number(at: 0) == 1)
        #expect(frame.payload.dropFirst(8).elementsEqual("why".utf8))
        #expect(server.recorder.events.suffix(2) == [.closed(3, .refusedStream), .closed(5, .refusedStream)])
    }

    @Test("a connection that is terminated sends GOAWAY and is finished")
    func terminated() throws {
        let client = try Endpoint.client()
        _ = try client.submit()
        client.session.terminate(.noError)
        #expect(client.drain().last?.type == Frame.goAway)
        #expect(client.session.isFinished)
    }

    // MARK: PING

    @Test("a PING is answered, and the answer to ours is reported")
    func ping() throws {
        let server = try Endpoint.server()
        let payload = Array("12345678".utf8)
        let answer = server.take(Frame(type: Frame.ping, payload: payload).bytes)
        #expect(answer.map(\.payload) == [payload])
        server.session.ping()
        let asked = try #require(server.drain().first)
        server.take(Frame(type: Frame.ping, flags: 1, payload: asked.payload).bytes)
        #expect(server.recorder.events.last == .pong)
    }

    // MARK: The client and the rules

    static let rules: [(String, Pairs, Bool)] = [
        ("no status", [("x", "y")], true),
        ("a status of two digits", [(":status", "20")], true),
        ("status 101", [(":status", "101")], false),
        ("a status twice", [(":status", "200"), (":status", "200")], true),
        ("a pseudo-field of requests", [(":status", "200"), (":path", "/")], true),
        ("an upper-case name", [(":status", "200"), ("Upper", "x")], true),
        ("a line break in a value", [(":status", "200"), ("x", "a\r\nb: c")], true),
        ("connection", [(":status", "200"), ("connection", "close")], true),
        ("transfer-encoding", [(":status", "200"), ("transfer-encoding", "chunked")], true),
        ("two lengths", [(":status", "200"), ("content-length", "1"), ("content-length", "2")], true),
        ("a length without a body", [(":status", "200"), ("content-length", "5")], true),
        ("a length with a sign", [(":status", "200"), ("content-length", "+5")], false),
        ("an interim answer that ends the stream", [(":status", "103")], true),
        ("fields over the limit", [(":status", "200"), ("x", String(repeating: "y", count: 9000))], true),
    ]

    @Test("an answer that breaks a rule is no answer", arguments: 0..<rules.count)
    func malformed(_ number: Int) throws {
        let (_, fields, ends) = Self.rules[number]
        let client = try Endpoint.client()
        let stream = try client.submit()
        client.drain()
        client.take(headers(stream, fields, end: ends))
        #expect(client.recorder.responses[stream] == nil)
        #expect(client.frames.contains { $0.type == Frame.reset || $0.type == Frame.goAway })
        let isClosed = client.recorder.events.contains { event in
            if case .closed(stream, let code) = event { code != .noError } else { false }
        }
        #expect(isClosed || client.session.isFinished)
    }

    @Test("frames on streams that a client didn't open end the connection")
    func unasked() throws {
        for bytes in [
            headers(1, [(":status", "200")]), data(1, "x"), headers(2, [(":status", "200")]),
            Frame(type: Frame.promise, flags: 4, stream: 1, payload: [0, 0, 0, 2] + block(request())).bytes,
        ] {
            let client = try Endpoint.client()
            client.take(bytes)
            #expect(client.session.isFinished)
        }
    }

    @Test("more bytes behind an answer's end end the connection")
    func behindTheEnd() throws {
        let client = try Endpoint.client()
        let stream = try client.submit()
        client.drain()
        client.take(headers(stream, [(":status", "200")], end: true))
        client.take(data(stream, "EVIL"))
        #expect(client.session.isFinished)
        #expect(client.recorder.bodies[stream] == nil)
    }

    @Test("what arrives for a request that was cancelled is dropped, and the connection stays")
    func cancelled() throws {
        let client = try Endpoint.client()
        let stream = try client.submit()
        client.drain()
        client.session.reset(stream, .cancel)
        client.drain()
        client.take(headers(stream, [(":status", "200")]) + data(stream, "late"))
        #expect(!client.session.isFinished)
        #expect(client.recorder.responses[stream] == nil)
        #expect(client.session.canSubmit)
    }

    // MARK: Memory

    /// CVE-2023-35945.
    @Test("streams that are open when a session ends are freed with it, bodies and all")
    func freed() throws {
        final class Source: HTTP2BodySource {
            func next(atMost limit: Int) -> HTTP2BodyPiece { .later }
        }
        weak var known: Source?
        do {
            let client = try Endpoint.client()
            let source = Source()
            known = source
            for _ in 0..<50 {
                _ = try client.session.submitRequest(
                    .post, authority: "localhost", target: "/", fields: FieldLines(), body: .source(source))
            }
            client.drain()
            client.take(Frame(type: Frame.goAway, payload: UInt32(1).big + UInt32(0).big).bytes)
        }
        #expect(known == nil)
    }

    @Test("a failed session takes nothing more, and calls nobody")
    func failed() throws {
        let server = try Endpoint.server()
        server.take(Frame(type: Frame.ping, stream: 1, payload: [UInt8](repeating: 0, count: 8)).bytes)
        let count = server.recorder.events.count
        server.take(headers(1, request(), end: true))
        #expect(server.recorder.requests.isEmpty)
        #expect(server.recorder.events.count == count)
        #expect(!server.session.submitResponse(1, status: 200, fields: FieldLines(), body: nil))
    }
}
