import Foundation
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Running
import Testing

@testable import Distribution

struct FileConnectionTests {
    /// In the place of a caller who takes nothing.
    private final class Wall: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        private var kept: [EventLoopPromise<Void>] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if let promise { kept.append(promise) }
        }

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            for promise in kept { promise.fail(ChannelError.ioOnClosedChannel) }
            context.close(mode: mode, promise: promise)
        }
    }

    @Test("a service that ends waits twenty seconds for callers who don't take their answers, and no longer")
    func farewell() throws {
        let channel = EmbeddedChannel()
        let folder = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
        let connection = FileConnection(
            channel, files: ServedFiles(tree: PublishedDirectory(root: folder)), date: HTTPDate(clock: .system),
            metrics: FileServerMetrics(listener: "listen", PrometheusMetrics()))
        try channel.pipeline.syncOperations.addHandlers(Wall(), connection)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try channel.writeInbound(
            HTTPServerRequestPart.head(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/version")))
        try channel.writeInbound(HTTPServerRequestPart.end(nil))

        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        channel.embeddedEventLoop.advanceTime(by: .seconds(19))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(2))
        #expect(!channel.isActive)
    }
}
