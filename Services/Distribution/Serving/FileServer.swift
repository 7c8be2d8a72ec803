import HTTPContract
import NIOCore
import NIOHTTP1
import NIOPosix
import Running
import Serving

/// The embedded edge: serves the published tree over HTTP/1.1, for a single machine.
///
/// Written on SwiftNIO, because there is little to do for a request and much to be saved. Parsing is the library's. Beyond one
/// machine a web server or a CDN serves the same files.
final class FileServer: PortOwner {
    var listener: String { acceptor.listener }
    var bound: BoundPort { acceptor.bound }
    var checksCallers: Bool { false }
    /// Files have no operations.
    var operations: [EndpointDescription] { [] }

    private let acceptor: Acceptor
    private let files: ServedFiles
    private let date: HTTPDate
    private let metrics: FileServerMetrics

    /// Files that aren't connections: generously counted.
    private static let otherFiles = 256

    /// From `listen.host`, `listen.port` and `listen.connections`.
    init(_ tree: PublishedDirectory, _ runtime: ServiceRuntime) throws {
        let settings = runtime.configuration
        files = ServedFiles(tree: tree)
        acceptor = Acceptor(
            "listen", of: runtime.name, host: settings.string("listen.host", default: "127.0.0.1"),
            port: try settings.port("listen.port", default: 8040),
            connections: try settings.int("listen.connections", default: 4096, in: 1...100_000),
            otherFiles: Self.otherFiles, on: .singleton)
        date = HTTPDate(clock: runtime.clock)
        metrics = FileServerMetrics(listener: acceptor.listener, runtime.metrics)
    }

    /// Accepts connections until the end; then what was asked for is sent and they are closed.
    func run() async throws {
        try await acceptor.run { bootstrap in
            bootstrap
                .childChannelOption(
                    .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 1024, maximum: 8192)
                )
                .childChannelInitializer { [self] channel in
                    channel.eventLoop.makeCompletedFuture {
                        var limits = NIOHTTPDecoderLimitConfiguration()
                        limits.maxHeaderFieldSize = 8 << 10
                        limits.maxHeaderListSize = 8 << 10
                        limits.maxHeaderFieldCount = 100
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.addHandler(
                            ByteToMessageHandler(
                                HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)))
                        try pipeline.addHandler(
                            FileConnection(channel, files: files, date: date, metrics: metrics))
                    }
                }
        }
    }
}
