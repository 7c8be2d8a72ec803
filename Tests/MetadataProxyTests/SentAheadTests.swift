import HTTP2
import HTTPMessage
import HTTPTypes
import Loop
import Running
import Testing

@testable import MetadataProxy
@testable import Serving

/// What a connection makes the proxy keep if it sends requests without reading, or waiting for, their answers.
@Suite struct SentAheadTests {
    private static func ahead(_ times: Int, _ request: String = CoreStage.unknown) -> String {
        String(repeating: request, count: times)
    }

    @Test("bytes sent ahead by a client that reads no answers stay unparsed, and nothing more is read")
    func unread() throws {
        // For lack of memory all are 503, which close no connection.
        let stage = try CoreStage(bytes: 1)
        stage.client.isDeaf = true
        let count = 20_000
        stage.send(Self.ahead(count))
        for _ in 0..<10 { stage.turn() }
        let before = Self.shed(stage)
        #expect(before < count)
        for _ in 0..<10 { stage.turn() }
        #expect(Self.shed(stage) == before)
        stage.client.isDeaf = false
        for _ in 0..<5000 where Self.shed(stage) < count { stage.turn() }
        stage.turn()
        #expect(stage.client.statuses == Array(repeating: 503, count: count))
    }

    private static func shed(_ stage: CoreStage) -> Int {
        stage.metrics.text.firstMatch(of: #/requests_shed_total (\d+)/#).flatMap { Int($0.output.1) } ?? 0
    }

    @Test("of answers that aren't read, two wait at most")
    func two() throws {
        let stage = try CoreStage()
        let limits = stage.listener.limits
        #expect(limits.unreadBytes == 1024)
        #expect(limits.sendBuffer == 64 << 10)
    }

    @Test("eight refusals of requests that were sent ahead close an HTTP/1.1 connection")
    func eightRefusals() throws {
        let stage = try CoreStage()
        stage.send(Self.ahead(500))
        #expect(stage.client.statuses == Array(repeating: 404, count: 8))
        let closing = stage.client.text.ranges(of: "\r\nconnection: close\r\n")
        #expect(closing.count == 1)
        let start = stage.client.text.ranges(of: "HTTP/1.1 404").last?.lowerBound
        #expect(try #require(closing.first).lowerBound > #require(start))
        #expect(stage.client.hasEnded)
    }

    @Test("a client that waits for each answer may be refused any number of times")
    func oneByOne() throws {
        let stage = try CoreStage()
        for _ in 0..<50 {
            stage.send(CoreStage.unknown)
            #expect(stage.client.statuses == [404])
            _ = stage.client.take()
        }
        #expect(!stage.client.hasEnded)
    }

    @Test(
        "a refused request takes memory until it is complete, and without memory it is a 503", arguments: [false, true])
    func charged(isShort: Bool) throws {
        let stage = try CoreStage(bytes: 4 * BytesInFlight.perRequest)
        let cell = BytesInFlight.cell(of: AddressPrefix(nil))
        let other = isShort ? stage.memory.share(BytesInFlight.perRequest, cell: cell) : nil
        stage.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\na")
        #expect(!stage.hasRoom)
        stage.send("bc")
        #expect(stage.client.statuses == [isShort ? 503 : 404])
        #expect(stage.hasRoom == !isShort)
        let isHeld = other != nil
        #expect(isHeld == isShort)
    }

    @Test("a request takes memory until its answer has left, even if its caller has disconnected")
    func held() throws {
        let stage = try CoreStage(bytes: 4 * BytesInFlight.perRequest)
        for _ in 0..<4 {
            stage.connect()
            stage.send(CoreStage.post(body: ""))
        }
        stage.client.connection?.abort()
        stage.turn()
        #expect(!stage.hasRoom)
        stage.server.admitted = []
        // The service never replies.
        stage.wait(.seconds(10))
        #expect(stage.hasRoom)
    }

    // MARK: HTTP/2

    @Test("eight refusals of requests that were sent at once close an HTTP/2 connection")
    func streams() throws {
        let stage = try CoreStage(http2: true)
        let client = try HTTP2Client(stage)
        for _ in 0..<50 { try client.submit("/x", body: nil) }
        client.flush()
        let frames = client.takeFrames()
        #expect(frames.count { $0.type == 1 } == 8)
        // GOAWAY, ENHANCE_YOUR_CALM.
        #expect(frames.contains { $0.type == 7 && $0.payload.suffix(4) == [0, 0, 0, 11] })
        #expect(stage.client.hasEnded)
    }

    @Test("on HTTP/2 as well, a client that waits for each answer may be refused any number of times")
    func streamByStream() throws {
        let stage = try CoreStage(http2: true)
        let client = try HTTP2Client(stage)
        for _ in 0..<50 {
            let stream = try client.submit("/x", body: nil)
            client.flush()
            #expect(client.takeLengths() == [stream: 1024])
        }
        #expect(!stage.client.hasEnded)
    }

    /// A body whose end doesn't come.
    private final class Unfinished: HTTP2BodySource {
        private var left: Int
        var isLast = false

        init(_ count: Int) { left = count }

        func next(atMost limit: Int) -> HTTP2BodyPiece {
            if left == 0 { return isLast ? .bytes([], isLast: true) : .later }
            let count = min(left, limit)
            left -= count
            return .bytes([UInt8](repeating: 0x61, count: count), isLast: false)
        }
    }

    @Test("the bodies of all streams of a connection are bounded together")
    func bodies() throws {
        let stage = try CoreStage(http2: true) {
            $0.maxStreamBodyBytes = 10_000
            $0.streamBodyBytes = 10_000
        }
        let client = try HTTP2Client(stage)
        let first = Unfinished(6000)
        let second = Unfinished(6000)
        try client.submit(body: .source(first))
        client.flush()
        let stream = try client.submit(body: .source(second))
        client.flush()
        #expect(client.takeLengths().isEmpty)
        second.isLast = true
        client.session.resume(stream)
        client.flush()
        #expect(client.takeLengths() == [stream: 1024])
        #expect(client.heads[stream]?.status == .serviceUnavailable)
        #expect(!stage.client.hasEnded)
    }
}
