import HTTPContract
import HTTPTypes
import Logging
import Loop
import Metrics
import Running
import ServiceLifecycle
import TLS

/// Runs a ``Listener`` until shutdown. Then it stops accepting and lets requests finish.
struct ListenerService: PortOwner, TLSUser {
    let watchedTLS: (any WatchedTLS)?
    private let served: Listener
    private let serviceName: String
    private let shared: ListenerCore.Shared
    private let makeServer: @Sendable (Core) -> any RequestServer
    private let secure: (@Sendable (Int32) -> any SecureTransport)?

    /// - Throws: ``ConfigurationProblem`` if the TLS files are unusable.
    init(
        _ listener: Listener, serviceName: String, clock: WallClock, metrics: any MetricsFactory, logger: Logger
    ) throws {
        served = listener
        self.serviceName = serviceName
        let label = ("listener", listener.name)
        var mutual: ReloadedTLS<MutualServer>?
        var makeHandler: (@Sendable (Connection) -> any ConnectionHandler)?
        switch listener.security {
        case .plain:
            watchedTLS = nil
            secure = nil
        case .mutualTLS(let files):
            let tls = try ReloadedTLS(files, label: label) { material throws(TLSFlaw) in try material.mutualServer() }
            watchedTLS = tls
            secure = { tls.current.context.accept($0) }
            mutual = tls
        case .publicTLS(let files):
            let protocols = listener.protocols ?? ["h2", "http/1.1"]
            let tls = try ReloadedTLS(files, label: label) { material throws(TLSFlaw) in
                try material.publicServer(protocols: protocols)
            }
            watchedTLS = tls
            secure = { tls.current.accept($0) }
        case .optionalTLS(let files):
            let protocols = listener.protocols ?? ["h2", "http/1.1"]
            let tls = try ReloadedTLS(files, label: label) { material throws(TLSFlaw) in
                try material.optionalServer(protocols: protocols)
            }
            watchedTLS = tls
            secure = { tls.current.accept($0) }
        }
        let checksCallers = mutual != nil
        switch listener.content {
        case .routes(let routes):
            let dispatcher = Dispatcher(
                listener: listener.name, routes: routes, checksCallers: checksCallers, metrics: metrics,
                logger: logger)
            makeServer = { _ in dispatcher }
        case .server(_, let make):
            makeServer = make
        case .connections(let make):
            makeServer = { _ in NoServer() }
            makeHandler = make
        }
        shared = ListenerCore.Shared(
            limits: listener.limits, budget: listener.budget ?? .shared, clock: clock, mutual: mutual,
            ofPrefix: listener.limits.connectionsOfPrefix.map { ConnectionLimit($0, metrics: metrics) },
            denials: checksCallers
                ? Counter(label: "tls_denied_connections_total", dimensions: [label], factory: metrics) : nil,
            makeHandler: makeHandler, balancers: listener.balancers,
            refusedHeaders: listener.balancers.isEmpty
                ? nil : Counter(label: "proxy_headers_refused_total", dimensions: [label], factory: metrics))
    }

    var listener: String { served.name }
    var bound: BoundPort { served.bound }
    var operations: [EndpointDescription] {
        switch served.content {
        case .routes(let routes): routes.mounts.compactMap(\.description)
        case .server(let operations, _): operations
        case .connections: []
        }
    }
    var checksCallers: Bool { shared.mutual != nil }

    func run() async throws {
        var parts: [Part] = []
        for core in Cores.shared.all { parts.append(await part(on: core)) }
        let acceptor = acceptor(parts)
        do {
            bound.resolve(.success(try acceptor.open()))
        } catch {
            let problem = ListenProblem(
                port: served.port, listener: served.name, host: served.host, serviceName: serviceName,
                reason: error.code)
            bound.resolve(.failure(problem))
            throw problem
        }
        try? await gracefulShutdown()
        await acceptor.stopAccepting()
        let all = parts
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                for part in all { group.addTask { await Self.drain(part) } }
            }
        } onCancel: {
            for part in all { part.core.execute { part.local.value.abort() } }
        }
    }

    /// What runs on one core.
    private struct Part {
        let core: Core
        let local: LocalTo<ListenerCore>
    }

    private func part(on core: Core) async -> Part {
        let (shared, makeServer) = (shared, makeServer)
        return await core.submit {
            Part(core: core, local: LocalTo(ListenerCore(shared, server: makeServer(core), on: core), on: core))
        }
    }

    private func acceptor(_ parts: [Part]) -> Acceptor {
        var options = ListenOptions(
            host: served.host, port: served.port, maxConnections: FileDescriptors.connections(served.limits))
        options.sendBuffer = served.limits.sendBuffer
        return Acceptor(options, on: parts.map(\.core), secure: secure) { connection in
            parts.first { $0.core === connection.core }?.local.value.accept(connection)
        }
    }

    /// Returns when the part has no connection and no task any more.
    private static func drain(_ part: Part) async {
        await withCheckedContinuation { continuation in
            part.core.execute { part.local.value.drain { continuation.resume() } }
        }
    }
}

/// Stands where a listener's connections speak a protocol of their own.
private final class NoServer: RequestServer {
    func begin(_ exchange: ServerExchange) -> (any ExchangeHandler)? { nil }
    func refusal(_ status: HTTPResponse.Status) -> ServerAnswer { ServerAnswer(status) }
}
