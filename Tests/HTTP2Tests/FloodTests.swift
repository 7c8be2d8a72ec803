import HTTPMessage
import Testing

@testable import HTTP2

/// Frames that cost their sender nothing end a connection before they cost the receiver much (RFC 9113, section 10.5).
@Suite("Floods end the connection")
struct FloodTests {
    /// Sends a flood in writes of 64 KiB; what of it was taken before the end.
    static func taken(_ flood: [UInt8], by peer: Endpoint, frames limit: Int) -> Int {
        let size = Frame.all(in: flood).count
        var sent = 0
        while sent < limit, !peer.session.isFinished {
            peer.take(flood)
            sent += size
        }
        return peer.session.isFinished ? sent : .max
    }

    static func isCalm(_ peer: Endpoint) -> Bool {
        peer.frames.last.map { $0.type == Frame.goAway && $0.code == 11 } ?? false
    }

    struct Flood: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// Sent before; a request's stream is 1.
        var start: [UInt8] = []
        let frame: [UInt8]
        /// Whether a rule of the protocol ends the connection before the count does.
        var isBroken = false
    }

    static let zeros = [UInt8](repeating: 0, count: 8)
    static let floods: [Flood] = [
        Flood(testDescription: "SETTINGS (CVE-2019-9515)", frame: settings((3, 1))),
        Flood(testDescription: "empty SETTINGS", frame: settings()),
        Flood(testDescription: "changes of the table's size", frame: settings((1, 0), (1, 4096))),
        Flood(
            testDescription: "acknowledged SETTINGS",
            frame: Frame(type: Frame.settings, flags: Frame.acknowledgement).bytes, isBroken: true),
        Flood(testDescription: "PING (CVE-2019-9512)", frame: Frame(type: Frame.ping, payload: zeros).bytes),
        Flood(
            testDescription: "answered PING",
            frame: Frame(type: Frame.ping, flags: Frame.acknowledgement, payload: zeros).bytes),
        Flood(
            testDescription: "PRIORITY (CVE-2019-9513, hyperium/h2#935)",
            frame: Frame(type: Frame.priority, stream: 3, payload: [0, 0, 0, 0, 16]).bytes),
        Flood(testDescription: "unknown frames", frame: Frame(type: 0xEE).bytes),
        Flood(testDescription: "PRIORITY_UPDATE", frame: Frame(type: 0x10, payload: [0, 0, 0, 1, 117, 61, 49]).bytes),
        Flood(testDescription: "GOAWAY", frame: Frame(type: Frame.goAway, payload: zeros).bytes, isBroken: true),
        Flood(
            testDescription: "empty DATA (CVE-2019-9518)", start: headers(1, request()), frame: data(1, [], end: false)),
        Flood(
            testDescription: "DATA of a byte (CVE-2020-12603, CVE-2026-84304)", start: headers(1, request()),
            frame: data(1, [1], end: false)),
        Flood(
            testDescription: "padded DATA", start: headers(1, request()),
            frame: Frame(type: Frame.data, flags: Frame.padded, stream: 1, payload: [0]).bytes),
        Flood(
            testDescription: "resets of a closed stream", start: headers(1, request(), end: true) + reset(1),
            frame: reset(1)),
        Flood(testDescription: "windows of a byte", frame: window(0, 1)),
        Flood(
            testDescription: "windows of a byte of a stream (CVE-2019-9511)", start: headers(1, request()),
            frame: window(1, 1)),
    ]

    @Test("a server ends a flood of cheap frames with ENHANCE_YOUR_CALM", arguments: floods)
    func cheapFrames(_ flood: Flood) throws {
        let server = try Endpoint.server()
        server.recorder.onEnd = { _ in }
        server.take(flood.start)
        let many = Array(repeatElement(flood.frame, count: 4096 / flood.frame.count).joined())
        #expect(Self.taken(many, by: server, frames: 30_000) < 15_000)
        #expect(flood.isBroken || Self.isCalm(server))
    }

    @Test("a client ends a flood of cheap frames as well", arguments: floods.filter { $0.start.isEmpty })
    func cheapFramesToClients(_ flood: Flood) throws {
        // A server's GOAWAY leaves nothing to read if no stream is open.
        let client = try Endpoint.client()
        _ = try client.submit()
        client.drain()
        let many = Array(repeatElement(flood.frame, count: 4096 / flood.frame.count).joined())
        #expect(Self.taken(many, by: client, frames: 150_000) < 60_000)
    }

    @Test("a bucket gets its points back with time")
    func bucket() {
        var now: UInt64 = 0
        var bucket = EffortBucket(capacity: 100, perSecond: 10) { now }
        let taken = [100, 1].map { bucket.take($0) }
        now += 1_000_000_000
        let later = [10, 1].map { bucket.take($0) }
        now += 3_600_000_000_000
        let full = [100, 1].map { bucket.take($0) }
        #expect([taken, later, full] == [[true, false], [true, false], [true, false]])
    }

    // MARK: Resets

    /// CVE-2023-44487; CVE-2023-26964, where streams that were reset waited to be accepted; CVE-2023-45802, where their memory
    /// stayed until the connection ended.
    @Test("requests that are withdrawn at once end the connection, and hardly reach a handler")
    func rapidReset() throws {
        let server = try Endpoint.server()
        var stream: Int32 = 1
        while stream < 4000, !server.session.isFinished {
            let burst = (0..<50).flatMap { headers(stream + 2 * $0, request()) + reset(stream + 2 * $0) }
            server.take(burst)
            stream += 100
        }
        #expect(stream < 1000)
        #expect(Self.isCalm(server))
        // Those whose reset comes in the next piece.
        #expect(server.recorder.requests.count < 10)
        #expect(server.session.openStreams == 0)
        #expect(server.session.heldBytes == 0)
    }

    /// CVE-2025-8671 and CVE-2019-9514: each way makes the server reset a stream or end the connection.
    static let provocations: [(String, @Sendable (Int32) -> [UInt8])] = [
        ("a stream's window over its maximum", { headers($0, request()) + window($0, 0x7FFF_FFFF) }),
        ("a header that is malformed", { headers($0, request(("Upper", "x")), end: true) }),
        ("a length that isn't kept", { headers($0, request(("content-length", "5"))) + data($0, "abc") }),
        ("DATA behind the end", { headers($0, request(), end: true) + data($0, "x") }),
        ("a window of nothing", { headers($0, request()) + window($0, 0) }),
        (
            "trailers over the limit (CVE-2016-1544)",
            {
                headers($0, request())
                    + headers($0, (0..<100).map { ("x-\($0)", String(repeating: "y", count: 100)) }, end: true)
            }
        ),
        ("HEADERS on a stream that isn't finished", { headers($0, request()) + headers($0, request()) }),
    ]

    @Test("resets that a client provokes end the connection", arguments: 0..<provocations.count)
    func madeReset(_ number: Int) throws {
        let provoke = Self.provocations[number].1
        let server = try Endpoint.server()
        // Handlers that don't answer at once.
        server.recorder.onEnd = { _ in }
        var stream: Int32 = 1
        while stream < 8000, !server.session.isFinished {
            server.take((0..<20).flatMap { provoke(stream + 2 * $0) })
            stream += 40
        }
        #expect(stream < 1000)
        #expect(server.frames.last?.type == Frame.goAway)
    }

    @Test("headers over the limit are counted, although each is answered")
    func largeHeads() throws {
        let server = try Endpoint.server()
        let fields = request() + (0..<9).map { ("x-\($0)", String(repeating: "y", count: 1000)) }
        var stream: Int32 = 1
        while stream < 8000, !server.session.isFinished {
            server.take(headers(stream, fields, end: true))
            stream += 2
        }
        #expect(stream < 1000)
        #expect(Self.isCalm(server))
    }

    @Test("a server that resets all of a client's requests ends the client's connection, and its own resets don't")
    func resetClients() throws {
        let client = try Endpoint.client { $0.effort = 10_000 }
        for _ in 0..<1000 {
            client.session.reset(try client.submit(), .cancel)
            client.drain()
        }
        #expect(!client.session.isFinished)
        var count = 0
        while count < 1000, !client.session.isFinished, let stream = try? client.submit() {
            client.drain()
            // Malformed: the client has to reset.
            client.take(headers(stream, [(":status", "200"), ("Upper", "x")], end: true))
            count += 1
        }
        #expect(count < 300)
    }

    // MARK: Headers

    /// CVE-2024-28182, CVE-2024-27316, CVE-2023-45288 and CVE-2024-27919; without payload CVE-2026-33871; and CVE-2022-41723,
    /// where a block in pieces cost the square of its size.
    @Test("a header without end is cut off after a few frames", arguments: [0, 16_000])
    func continuation(_ size: Int) throws {
        let server = try Endpoint.server()
        server.take(Frame(type: Frame.headers, stream: 1, payload: block(request())).bytes)
        let field = block([("foo", String(repeating: "b", count: 100))])
        let payload = Array(repeatElement(field, count: size / field.count).joined())
        var count = 0
        while count < 100, !server.session.isFinished {
            server.take(Frame(type: Frame.continuation, stream: 1, payload: payload).bytes)
            count += 1
        }
        #expect(count < 10)
        #expect(server.frames.last?.type == Frame.goAway)
    }

    /// CVE-2016-6581, and CVE-2026-49975 with empty fields: what is in the table is referenced by one byte each.
    @Test(
        "a header that grows by references to the table ends the connection, wherever it grows",
        arguments: [true, false])
    func bomb(isTrailer: Bool) throws {
        for (name, size) in [("foo", 4000), ("a", 0)] {
            let server = try Endpoint.server()
            let field = block([(name, String(repeating: "b", count: size))])
            // The same field, but with indexing.
            let known = block(request()) + [0x40] + field.dropFirst()
            server.take(Frame(type: Frame.headers, flags: Frame.endHeaders, stream: 1, payload: known).bytes)
            let references = [UInt8](repeating: 0xBE, count: 16_000)
            let payload = isTrailer ? references : block(request()) + references
            server.take(Frame(type: Frame.headers, flags: 5, stream: isTrailer ? 1 : 3, payload: payload).bytes)
            #expect(Self.isCalm(server))
            #expect(server.session.isFinished)
            #expect(server.recorder.requests[3] == nil)
        }
    }

    @Test("acknowledgements that a peer doesn't read are bounded")
    func unreadAcknowledgements() throws {
        let server = try Endpoint.server()
        var count = 0
        let pings = Array(repeatElement(Frame(type: Frame.ping, payload: Self.zeros).bytes, count: 50).joined())
        while count < 100, server.session.failure == nil {
            try? server.session.receive(pings.span)
            count += 1
        }
        #expect(count < 20)
    }
}
