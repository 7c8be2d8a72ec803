import Glibc
import HTTPContract
import HTTPTypes
import HummingbirdCore
import HummingbirdHTTP2
import Logging
import Metrics
import NIOCore
import NIOPosix
import NIOSSL
import Running
import ServiceLifecycle
import TLS

/// Runs a ``Listener`` until shutdown. Then it stops accepting and lets requests finish.
struct ListenerService: PortOwner, TLSUser {
    private let served: Listener
    private let serviceName: String
    private let watchdog: Watchdog
    private let server: any Service
    let watchedTLS: (any WatchedTLS)?

    /// - Parameter libraryLogger: Hummingbird's logger.
    /// - Throws: ``ConfigurationProblem`` if the TLS files are unusable.
    init(
        _ listener: Listener, serviceName: String, clock: WallClock, metrics: any MetricsFactory, logger: Logger,
        libraryLogger: Logger
    ) throws {
        served = listener
        self.serviceName = serviceName
        watchdog = Watchdog(limits: listener.limits)
        (server, watchedTLS) = try Self.server(
            listener, watchdog: watchdog, clock: clock, metrics: metrics, logger: logger, libraryLogger: libraryLogger)
    }

    var listener: String { served.name }
    var bound: BoundPort { served.bound }
    var operations: [EndpointDescription] { served.routes.mounts.compactMap(\.description) }
    var checksCallers: Bool { if case .mutualTLS = served.security { true } else { false } }

    func run() async throws {
        do {
            try await withThrowingTaskGroup { group in
                group.addTask { await watchdog.run() }
                try await server.run()
                group.cancelAll()
            }
            bound.resolve(.failure(CancellationError()))
        } catch let error as IOError {
            let problem = ListenProblem(
                port: served.port, listener: served.name, host: served.host, serviceName: serviceName,
                reason: error.errnoCode)
            bound.resolve(.failure(problem))
            throw problem
        } catch {
            bound.resolve(.failure(error))
            throw error
        }
    }

    private static func server(
        _ listener: Listener, watchdog: Watchdog, clock: WallClock, metrics: any MetricsFactory, logger: Logger,
        libraryLogger: Logger
    ) throws -> (any Service, (any WatchedTLS)?) {
        let limits = listener.limits
        let checksCallers = if case .mutualTLS = listener.security { true } else { false }
        let dispatcher = Dispatcher(
            listener: listener.name, routes: listener.routes, checksCallers: checksCallers, watchdog: watchdog,
            clock: clock, metrics: metrics, logger: logger)
        let respond: HTTPChannelHandler.Responder = { request, writer, channel in
            try await dispatcher.respond(to: request, with: writer, on: channel, peer: nil)
        }
        let http1 = HTTP1Channel.Configuration(
            idleTimeout: TimeAmount(limits.idle),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: limits.headerBytes, maxHeaderListSize: limits.headerBytes, maxHeaderFieldCount: 100)
        )
        let label = ("listener", listener.name)
        let channel: any ServerChildChannel
        let watched: (any WatchedTLS)?
        switch listener.security {
        case .plain:
            channel = HTTP1Channel(responder: respond, configuration: http1)
            watched = nil
        case .mutualTLS(let files):
            let tls = try ReloadedTLS(files, label: label) { try $0.mutualServer() }
            channel = MutualTLSChannel(
                tls: tls, limits: limits, configuration: http1, dispatcher: dispatcher,
                denials: Counter(label: "tls_denied_connections_total", dimensions: [label], factory: metrics))
            watched = tls
        case .publicTLS(let files):
            let http2 = HTTP2ChannelConfiguration(
                idleTimeout: limits.idle, gracefulCloseTimeout: .seconds(10), streamConfiguration: http1)
            let base = try ReloadedTLS(files, label: label) { material in
                try HTTP2UpgradeChannel(
                    tlsConfiguration: try material.publicServer(), configuration: http2, responder: respond)
            }
            channel = PublicTLSChannel(base: base, limits: limits)
            watched = base
        }
        return (server(channel, listener, libraryLogger: libraryLogger), watched)
    }

    private static func server(
        _ channel: some ServerChildChannel, _ listener: Listener, libraryLogger: Logger
    ) -> any Service {
        let bound = listener.bound
        return AcceptedChannel(base: channel).server(
            configuration: ServerConfiguration(
                address: .hostname(listener.host, port: listener.port), backlog: 1024,
                availableConnectionsDelegate: MaximumAvailableConnections(
                    min(listener.limits.connections, FileDescriptors.connections), logger: libraryLogger)),
            onServerRunning: { channel in
                bound.resolve(.success(channel.localAddress?.port ?? listener.port))
            },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: libraryLogger)
    }
}

/// A listener's port can't be opened.
package struct ListenProblem: OperatorProblem {
    package let description: String

    /// - Parameters:
    ///   - listener: its name; its settings are `<name>.host` and `<name>.port`.
    ///   - reason: the `errno` of the system call that failed.
    package init(port: Int, listener: String, host: String, serviceName: String, reason: CInt) {
        let place = "\(serviceName), \(listener) listener"
        description =
            switch reason {
            case EADDRINUSE:
                "Port \(port) (\(place)) is already in use; stop the other process or set "
                    + "\(listener).port."
            case EADDRNOTAVAIL:
                "The address \(host) (\(place)) does not belong to this machine; set \(listener).host."
            case EACCES:
                "Port \(port) (\(place)) needs more rights; set \(listener).port to one above 1023."
            default:
                "Port \(port) (\(place)) can't be opened (error \(reason)); set \(listener).port."
            }
    }
}

/// The file descriptor limit of this process. A server that runs out of descriptors would stop accepting permanently.
package enum FileDescriptors {
    /// The limit, raised as far as the system allows.
    package static let limit: Int = {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = min(limit.rlim_max, 65_536)
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        }
        return Int(min(limit.rlim_cur, 1_000_000))
    }()

    /// The maximum number of connections of one listener: a quarter each for three busy listeners, and the last quarter for
    /// files, databases and calls.
    static var connections: Int { max(64, limit / 4) }
}
