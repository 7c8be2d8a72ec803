import Foundation
import HTTPContract
import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP1
import NIOHTTP2
import Running
import Synchronization
import Testing
import VerificationAPI

@testable import MetadataProxy

/// What a connection makes the proxy keep if it sends requests without reading, or waiting for, their answers.
@Suite struct SentAheadTests {
    /// Counts the reads that the connection asks for.
    private final class Reads: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        var count = 0

        func read(context: ChannelHandlerContext) {
            count += 1
            context.read()
        }
    }

    private final class Stage {
        let channel = EmbeddedChannel()
        let reads = Reads()
        let valve = RequestValve()
        let shared: ProxyLoop
        let memory: BytesInFlight

        /// - Parameter bytes: for all requests, of which a quarter is one address prefix's.
        init(bytes: Int = 1 << 20) throws {
            memory = BytesInFlight(limit: bytes, metrics: PrometheusMetrics())
            var plan = ProxyPlan(
                listener: "test", schedule: DeadlineSchedule(interval: .milliseconds(250)), bytesInFlight: memory,
                limit: PrefixLimit(1_000_000, clock: .system), clock: .system, metrics: PrometheusMetrics())
            let upstream = try Upstream(
                base: "http://upstream:8010", tls: nil, name: "upstream", on: channel.embeddedEventLoop)
            plan.forward(EndpointDescription(VerificationAPI.tan), to: upstream)
            shared = try ProxyLoop(plan, on: channel.embeddedEventLoop)
        }

        func speakHTTP1() throws -> Stage {
            let timeouts = ConnectionTimeouts(channel, idle: .seconds(10), life: .seconds(60))
            let connection = HTTP1Connection(
                shared, from: AddressPrefix(nil), clock: ArrivalClock(), valve: valve, timeouts: timeouts,
                isDraining: false)
            try channel.pipeline.syncOperations.addHandlers([
                reads, valve, ByteToMessageHandler(HTTPRequestDecoder()), connection,
            ])
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            return self
        }

        func speakHTTP2(maxBodyBytes: Int = 1 << 20) throws -> Stage {
            let gate = AnswerGate()
            try channel.pipeline.syncOperations.addHandler(gate)
            let connection = HTTP2Connection(
                channel, from: AddressPrefix(nil), gate: gate, clock: ArrivalClock(),
                timeouts: ConnectionTimeouts(channel, idle: .seconds(10), life: .seconds(60)),
                maxBodyBytes: maxBodyBytes)
            let bound = NIOLoopBound((shared, connection), eventLoop: channel.eventLoop)
            _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
                mode: .server, connectionConfiguration: .init(), streamConfiguration: .init()
            ) { stream in
                stream.eventLoop.makeCompletedFuture {
                    let (shared, connection) = bound.value
                    try stream.pipeline.syncOperations.addHandler(HTTP2Stream(shared, on: connection))
                }
            }
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            try channel.writeInbound(
                ByteBuffer(string: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "\0\0\0\u{4}\0\0\0\0\0"))
            channel.embeddedEventLoop.run()
            return self
        }

        func end() {
            _ = try? channel.finish(acceptAlreadyClosed: true)
        }

        /// What has been written; each answer is one write.
        func written() throws -> [ByteBuffer] {
            var all: [ByteBuffer] = []
            while let bytes = try channel.readOutbound(as: ByteBuffer.self) { all.append(bytes) }
            return all
        }

        /// The statuses of the answers of HTTP/1.1 that have been written.
        func statuses() throws -> [String] {
            try written().map { String(buffer: $0).dropFirst(9).prefix(3) }.map(String.init)
        }

        /// Whether a request that begins now is admitted.
        var hasRoom: Bool { memory.share(1, for: AddressPrefix(nil)) != nil }

        func setWritable(_ isWritable: Bool) {
            channel.isWritable = isWritable
            channel.pipeline.fireChannelWritabilityChanged()
        }
    }

    private static func http1(_ request: String, times: Int) -> ByteBuffer {
        ByteBuffer(string: String(repeating: request, count: times))
    }

    private static let unknown = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test("bytes sent ahead by a client that reads no answers stay unparsed, and nothing more is read")
    func unread() throws {
        let stage = try Stage().speakHTTP1()
        defer { stage.end() }
        stage.channel.isWritable = false
        try stage.channel.writeInbound(Self.http1(Self.unknown, times: 500))
        let reads = stage.reads.count
        stage.channel.read()
        #expect(try stage.written().isEmpty)
        #expect(!stage.valve.isEmpty)
        #expect(stage.reads.count == reads)
        stage.setWritable(true)
        #expect(try stage.statuses().count == 8)
    }

    @Test("eight refusals of requests that were sent ahead close an HTTP/1.1 connection")
    func eightRefusals() throws {
        let stage = try Stage().speakHTTP1()
        defer { stage.end() }
        try stage.channel.writeInbound(Self.http1(Self.unknown, times: 500))
        let answers = try stage.written().map(String.init(buffer:))
        #expect(answers.count == 8)
        #expect(
            answers.map { $0.contains("\r\nconnection: close\r\n") } == [
                false, false, false, false, false, false, false, true,
            ])
        stage.channel.embeddedEventLoop.run()
        #expect(!stage.channel.isActive)
    }

    @Test("a client that waits for each answer may be refused any number of times")
    func oneByOne() throws {
        let stage = try Stage().speakHTTP1()
        defer { stage.end() }
        for _ in 0..<50 {
            try stage.channel.writeInbound(Self.http1(Self.unknown, times: 1))
            #expect(try stage.statuses() == ["404"])
        }
        #expect(stage.channel.isActive)
    }

    @Test("a refused request takes memory until it is complete, and without memory the connection closes")
    func charged() throws {
        let stage = try Stage(bytes: 4 * BytesInFlight.perRequest).speakHTTP1()
        defer { stage.end() }
        let other = stage.memory.share(BytesInFlight.perRequest, for: AddressPrefix(nil))
        try stage.channel.writeInbound(
            Self.http1("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", times: 1))
        let answer = try stage.written().map(String.init(buffer:))
        #expect(answer.first?.hasPrefix("HTTP/1.1 503 ") == true)
        #expect(answer.first?.contains("\r\nconnection: close\r\n") == true)
        let isHeld = other != nil
        #expect(isHeld)
    }

    @Test("the memory of refused requests is released")
    func released() throws {
        let stage = try Stage(bytes: 4 * BytesInFlight.perRequest).speakHTTP1()
        defer { stage.end() }
        try stage.channel.writeInbound(ByteBuffer(string: "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\na"))
        #expect(!stage.hasRoom)
        try stage.channel.writeInbound(ByteBuffer(string: "bc"))
        #expect(try stage.statuses() == ["404"])
        #expect(stage.hasRoom)
    }

    /// A recursion would take some hundred bytes of stack for each, and crash the process.
    @Test("twenty thousand answers to pipelined requests are written on a small stack")
    func iterative() async throws {
        let statuses = Mutex<Result<[String], any Error>?>(nil)
        await withCheckedContinuation { continuation in
            let thread = Thread {
                statuses.withLock { $0 = Result { try Self.answersSentAhead() } }
                continuation.resume()
            }
            thread.stackSize = 256 << 10
            thread.start()
        }
        let result = try #require(statuses.withLock { $0 }).get()
        #expect(result == Array(repeating: "503", count: 20_000))
    }

    /// For lack of memory all are 503, which close no connection.
    private static func answersSentAhead() throws -> [String] {
        let stage = try Stage(bytes: 1).speakHTTP1()
        defer { stage.end() }
        stage.channel.isWritable = false
        let request =
            "POST /version/v1/tan HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n"
        try stage.channel.writeInbound(http1(request, times: 20_000))
        stage.setWritable(true)
        return try stage.statuses()
    }

    // MARK: HTTP/2

    private static func frame(_ kind: UInt8, _ flags: UInt8, stream: Int, _ payload: ByteBuffer) -> ByteBuffer {
        var bytes = ByteBuffer()
        bytes.writeInteger(UInt32(payload.readableBytes) << 8 | UInt32(kind))
        bytes.writeInteger(flags)
        bytes.writeInteger(UInt32(stream))
        bytes.writeImmutableBuffer(payload)
        return bytes
    }

    private static func headers(_ path: String, stream: Int, ends: Bool) throws -> ByteBuffer {
        var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
        var block = ByteBuffer()
        var headers = HPACKHeaders()
        for (name, value) in [
            (":method", "POST"), (":scheme", "https"), (":authority", "a"), (":path", path),
            ("content-type", "application/json"),
        ] {
            headers.add(name: name, value: value, indexing: .nonIndexable)
        }
        try encoder.encode(headers: headers, to: &block)
        return frame(1, ends ? 5 : 4, stream: stream, block)
    }

    @Test("eight refusals of requests that were sent at once close an HTTP/2 connection")
    func streams() throws {
        let stage = try Stage().speakHTTP2()
        defer { stage.end() }
        _ = try stage.written()
        var requests = ByteBuffer()
        for number in 0..<50 {
            requests.writeImmutableBuffer(try Self.headers("/x", stream: 2 * number + 1, ends: true))
        }
        try stage.channel.writeInbound(requests)
        stage.channel.embeddedEventLoop.run()
        let written = try stage.written()
        #expect(written.filter { $0.readableBytes == AnswerEncoder.length }.count == 8)
        // GOAWAY, ENHANCE_YOUR_CALM.
        #expect(written.contains { $0.getInteger(at: 3, as: UInt8.self) == 7 && $0.readableBytesView.last == 11 })
        #expect(!stage.channel.isActive)
    }

    @Test("on HTTP/2 as well, a client that waits for each answer may be refused any number of times")
    func streamByStream() throws {
        let stage = try Stage().speakHTTP2()
        defer { stage.end() }
        _ = try stage.written()
        for number in 0..<50 {
            try stage.channel.writeInbound(Self.headers("/x", stream: 2 * number + 1, ends: true))
            stage.channel.embeddedEventLoop.run()
            #expect(try stage.written().filter { $0.readableBytes == AnswerEncoder.length }.count == 1)
        }
        #expect(stage.channel.isActive)
    }

    @Test("the bodies of all streams of a connection are bounded together")
    func bodies() throws {
        let stage = try Stage().speakHTTP2(maxBodyBytes: 10_000)
        defer { stage.end() }
        _ = try stage.written()
        for stream in [1, 3] {
            try stage.channel.writeInbound(Self.headers("/version/v1/tan", stream: stream, ends: false))
            try stage.channel.writeInbound(
                Self.frame(0, 0, stream: stream, ByteBuffer(repeating: 0x61, count: 6_000)))
        }
        #expect(try stage.written().filter { $0.readableBytes == AnswerEncoder.length }.isEmpty)
        try stage.channel.writeInbound(Self.frame(0, 1, stream: 3, ByteBuffer()))
        stage.channel.embeddedEventLoop.run()
        #expect(try stage.written().filter { $0.readableBytes == AnswerEncoder.length }.count == 1)
        #expect(stage.channel.isActive)
    }
}
