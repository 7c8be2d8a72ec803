import Foundation
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Running
import Testing

@testable import DownloadServer

struct FileConnectionTests {
    /// Stands for a caller who receives nothing.
    private final class StalledCaller: ChannelOutboundHandler {
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

    @Test("a service that shuts down waits twenty seconds for callers who don't receive their answers, and no longer")
    func shutdown() throws {
        let channel = EmbeddedChannel()
        let folder = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
        let connection = FileConnection(
            channel, files: ServedFiles(root: folder, clock: .system), date: HTTPDate(clock: .system),
            metrics: FileServerMetrics(listener: "listen", PrometheusMetrics()))
        try channel.pipeline.syncOperations.addHandlers(StalledCaller(), connection)
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
