import NIOCore
import NIOExtras
package import NIOPosix
package import Running
import ServiceLifecycle

/// An open port of a server that is built on SwiftNIO.
///
/// It limits the number of connections, and waits for all of them at shutdown.
package struct Acceptor: Sendable {
    /// The port's name in messages.
    package let listener: String
    /// The port, once it is open.
    package let bound = BoundPort()
    private let serviceName: String
    private let host: String
    private let port: Int
    private let mostConnections: Int
    private let group: MultiThreadedEventLoopGroup

    /// - Parameters:
    ///   - listener: its name; its settings are `<name>.host` and `<name>.port`.
    ///   - connections: the maximum at one time; more wait in the system's backlog. The limit is lower if the process may not
    ///     open that many files.
    ///   - otherFiles: how many other files the process needs, as a generous estimate.
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

    /// Accepts connections until shutdown. Then it sends them `ChannelShouldQuiesceEvent` and waits until they are closed.
    /// - Parameters:
    ///   - draining: called when shutdown begins.
    ///   - configure: sets up the connections.
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
