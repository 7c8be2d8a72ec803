import HTTPContract
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Running
import Serving
import TLS

/// Serves the published tree over HTTP/1.1, with or without TLS.
///
/// It is written on SwiftNIO because the work for a request is small compared to what a web framework adds. SwiftNIO parses
/// requests.
final class FileServer: PortOwner, TLSUser {
    var listener: String { acceptor.listener }
    var bound: BoundPort { acceptor.bound }
    var checksCallers: Bool { false }
    /// Files have no operations.
    var operations: [EndpointDescription] { [] }
    var watchedTLS: (any WatchedTLS)? { tls }

    private let acceptor: Acceptor
    private let tls: ReloadedTLS<NIOSSLContext>?
    private let files: ServedFiles
    private let date: HTTPDate
    private let metrics: FileServerMetrics

    /// File descriptors that aren't connections; a generous estimate.
    private static let otherFiles = 256
    private static let headerBytes = 8 << 10

    /// From the keys that the README lists.
    init(_ runtime: ServiceRuntime) throws {
        let settings = runtime.configuration
        files = ServedFiles(
            root: try settings.directory("directory"),
            further: try settings.optionalString("further.directory").map { _ in
                try settings.directory("further.directory")
            }, clock: runtime.clock)
        acceptor = Acceptor(
            "listen", of: runtime.name, host: settings.string("listen.host", default: "127.0.0.1"),
            port: try settings.port("listen.port", default: 8040),
            connections: try settings.int("listen.connections", default: 4096, in: 1...100_000),
            otherFiles: Self.otherFiles, on: .singleton)
        let hasTLS = ["public.certificate", "public.key"].contains { settings.optionalString($0) != nil }
        tls =
            hasTLS
            ? try ReloadedContext.publicServer(
                TLSFiles(settings, prefix: "public", mutual: false), listener: acceptor.listener,
                protocols: ["http/1.1"]) : nil
        date = HTTPDate(clock: runtime.clock)
        metrics = FileServerMetrics(listener: acceptor.listener, runtime.metrics)
    }

    /// Accepts connections until shutdown, then finishes the answers that are under way.
    func run() async throws {
        try await acceptor.run { bootstrap in
            bootstrap
                .childChannelOption(
                    .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 1024, maximum: 8192)
                )
                .childChannelInitializer { [self] channel in
                    channel.eventLoop.makeCompletedFuture { try accept(channel) }
                }
        }
    }

    private func accept(_ channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls.current)) }
        try pipeline.addHandler(
            ByteToMessageHandler(
                HTTPRequestDecoder(
                    leftOverBytesStrategy: .dropBytes,
                    limitConfiguration: NIOHTTPDecoderLimitConfiguration(headerBytes: Self.headerBytes))))
        try pipeline.addHandler(FileConnection(channel, files: files, date: date, metrics: metrics))
    }
}
