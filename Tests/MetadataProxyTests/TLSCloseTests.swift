import NIOCore
import NIOEmbedded
import NIOTLS
import Testing

@testable import MetadataProxy

@Suite struct TLSCloseTests {
    /// In the place of TLS: records what it is told.
    private final class Library: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        var closes: [CloseMode] = []

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            closes.append(mode)
            if mode == .all { context.close(promise: promise) } else { promise?.succeed() }
        }
    }

    private let library = Library()
    private let channel = EmbeddedChannel()

    init() throws {
        let pipeline = channel.pipeline.syncOperations
        let clock = ArrivalClock()
        try pipeline.addHandler(clock)
        try pipeline.addHandler(library)
        try pipeline.addHandler(TLSClose(outside: pipeline.context(handler: clock)))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func completeHandshake() {
        channel.pipeline.fireUserInboundEventTriggered(TLSUserEvent.handshakeCompleted(negotiatedProtocol: nil))
    }

    @Test("TLS only sends close_notify, and a second later the socket is closed")
    func closeNotify() throws {
        completeHandshake()
        channel.close(promise: nil)
        channel.close(promise: nil)
        #expect(library.closes == [.output])
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
        #expect(library.closes == [.output])
    }

    @Test("bytes after close_notify are discarded, and a client that keeps sending is disconnected")
    func rest() throws {
        completeHandshake()
        try channel.writeInbound(ByteBuffer(string: "before"))
        channel.close(promise: nil)
        for _ in 0..<16 { try channel.writeInbound(ByteBuffer(repeating: 0, count: 16 << 10)) }
        #expect(channel.isActive)
        try channel.writeInbound(ByteBuffer(string: "more"))
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive)
        #expect(try channel.readInbound(as: ByteBuffer.self) == ByteBuffer(string: "before"))
        #expect(try channel.readInbound(as: ByteBuffer.self) == nil)
    }

    @Test("before the handshake is complete, there is no close_notify")
    func handshake() {
        channel.close(promise: nil)
        channel.embeddedEventLoop.run()
        #expect(library.closes == [.all])
        #expect(!channel.isActive)
    }
}
