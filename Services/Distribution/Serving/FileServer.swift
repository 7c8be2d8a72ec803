import HTTPContract
import NIOCore
import NIOExtras
import NIOHTTP1
import NIOPosix
import ServiceKit
import ServiceLifecycle

/// The embedded edge: serves the published tree over HTTP/1.1, for a single machine.
///
/// Written on SwiftNIO, because there is little to do for a request and much to be saved. Parsing is the library's. Beyond one
/// machine a web server or a CDN serves the same files.
final class FileServer: PortOwner {
    let listener = "listen"
    let bound = BoundPort()
    var checksCallers: Bool { false }
    /// Files have no operations.
    var operations: [EndpointDescription] { [] }

    private let serviceName: String
    private let host: String
    private let port: Int
    private let mostConnections: Int
    private let files: ServedFiles
    private let date: HTTPDate
    private let metrics: FileServerMetrics
    private let group = MultiThreadedEventLoopGroup.singleton

    /// Files that aren't connections: generously counted.
    private static let otherFiles = 256

    /// From `listen.host`, `listen.port` and `listen.connections`.
    init(_ tree: PublishedDirectory, _ runtime: ServiceRuntime) throws {
        let settings = runtime.configuration
        files = ServedFiles(tree: tree)
        serviceName = runtime.name
        host = settings.string("listen.host", default: "127.0.0.1")
        port = try settings.port("listen.port", default: 8040)
        let connections = try settings.int("listen.connections", default: 4096, in: 1...100_000)
        mostConnections = min(connections, max(64, FileDescriptors.limit - Self.otherFiles))
        date = HTTPDate(clock: runtime.clock)
        metrics = FileServerMetrics(listener: listener, runtime.metrics)
    }

    /// Accepts connections until the end; then what was asked for is sent and they are closed.
    func run() async throws {
        let quiescing = ServerQuiescingHelper(group: group)
        let server: any Channel
        do {
            server = try await bootstrap(quiescing).bind(host: host, port: port).get()
        } catch let error as IOError {
            let problem = ListenProblem(
                port: port, listener: listener, host: host, serviceName: serviceName, reason: error.errnoCode)
            bound.resolve(.failure(problem))
            throw problem
        } catch {
            bound.resolve(.failure(error))
            throw error
        }
        bound.resolve(.success(server.localAddress?.port ?? port))
        try? await gracefulShutdown()
        let end = server.eventLoop.makePromise(of: Void.self)
        quiescing.initiateShutdown(promise: end)
        try await end.futureResult.get()
    }

    private func bootstrap(_ quiescing: ServerQuiescingHelper) -> ServerBootstrap {
        let mostConnections = mostConnections
        return ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptLimit(mostConnections))
                    try channel.pipeline.syncOperations.addHandler(
                        quiescing.makeServerChannelHandler(channel: channel))
                }
            }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
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
