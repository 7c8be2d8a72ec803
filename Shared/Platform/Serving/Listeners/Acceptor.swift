import NIOCore
import NIOExtras
package import NIOPosix
package import Running
import ServiceLifecycle

/// An open port of a server that is written on SwiftNIO: it takes a bounded number of connections, and in the end waits for
/// each to finish.
package struct Acceptor: Sendable {
    /// Names the port in messages.
    package let listener: String
    /// The port, as soon as it is open.
    package let bound = BoundPort()
    private let serviceName: String
    private let host: String
    private let port: Int
    private let mostConnections: Int
    private let group: MultiThreadedEventLoopGroup

    /// - Parameters:
    ///   - listener: its name; its settings are `<name>.host` and `<name>.port`.
    ///   - connections: at one time; more wait in the system's backlog. Fewer if the process may not have as many files open.
    ///   - otherFiles: how many files the process needs besides, generously counted.
    package init(
        _ listener: String, of serviceName: String, host: String, port: Int, connections: Int, otherFiles: Int,
        on group: MultiThreadedEventLoopGroup
    ) {
        self.listener = listener
        self.serviceName = serviceName
        self.host = host
        self.port = port
        mostConnections = min(connections, max(64, FileDescriptors.limit - otherFiles))
        self.group = group
    }

    /// Accepts connections until the service is told to end. Then they get `ChannelShouldQuiesceEvent`, and this waits until
    /// they are closed.
    /// - Parameters:
    ///   - draining: is called when that begins.
    ///   - configure: says what connections are like.
    /// - Throws: ``ListenProblem`` if the port can't be opened.
    package func run(
        draining: () -> Void = {}, configure: (ServerBootstrap) -> ServerBootstrap
    ) async throws {
        let quiescing = ServerQuiescingHelper(group: group)
        let server: any Channel
        do {
            server = try await configure(bootstrap(quiescing)).bind(host: host, port: port).get()
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
        draining()
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
    }
}
