package import HTTPContract
package import Loop
package import Running
package import TLS

/// A port with something behind it: routes, a server that answers by itself, or a protocol of its own.
///
/// `ServiceRuntime.run(listeners:services:readiness:)` opens it.
package struct Listener: Sendable {
    /// How connections are protected, and what is known about a caller.
    package enum Security: Sendable {
        /// For our own services and for laboratories: TLS 1.3, and a certificate with a role that the route allows.
        case mutualTLS(TLSFiles)
        /// For apps: TLS 1.2 and 1.3, HTTP/1.1 and HTTP/2, without client certificates; routes check no role.
        case publicTLS(TLSFiles)
        /// For simulators: TLS 1.2 and 1.3, and a client certificate if the client has one of the files' authorities.
        case optionalTLS(TLSFiles)
        /// For the admin port, public files behind an edge, and measurements; routes check no role.
        case plain
    }

    /// What answers.
    enum Content: Sendable {
        case routes(Routes)
        case server([EndpointDescription], @Sendable (Core) -> any RequestServer)
        case connections(@Sendable (Connection) -> any ConnectionHandler)
    }

    /// The listener's name in metrics and messages; its settings are `<name>.host` and `<name>.port`.
    package let name: String
    /// The address of this machine to listen on, such as `127.0.0.1`.
    package let host: String
    let port: Int
    let security: Security
    let limits: Limits
    let content: Content
    /// The application protocols that TLS offers; nil for those of the security.
    let protocols: [String]?
    /// The memory of all requests; nil for the process's.
    let budget: BytesInFlight?
    /// Who says first for whom it calls.
    let balancers: Balancers
    let bound: BoundPort

    /// A listener with routes.
    ///
    /// - Parameters:
    ///   - port: 0 lets the system choose; ``boundPort`` then returns it.
    ///   - limits: by default ``Limits/outer`` for public listeners, ``Limits/inner`` for the others.
    package init(
        name: String, host: String, port: Int, security: Security, limits: Limits? = nil,
        routes: (inout Routes) -> Void
    ) {
        self.init(
            name: name, host: host, port: port, security: security, limits: limits, bound: BoundPort(), routes: routes)
    }

    init(
        name: String, host: String, port: Int, security: Security, limits: Limits? = nil,
        balancers: Balancers = .none, bound: BoundPort, routes: (inout Routes) -> Void
    ) {
        var mounted = Routes()
        routes(&mounted)
        self.init(
            name: name, host: host, port: port, security: security, limits: limits, balancers: balancers,
            bound: bound, content: .routes(mounted))
    }

    /// A listener with a server that answers on the cores by itself.
    ///
    /// - Parameters:
    ///   - protocols: the application protocols that TLS offers, the best first.
    ///   - budget: the memory of all its requests; nil for the budget that listeners of the process share.
    ///   - balancers: whose connections begin with the caller's address.
    ///   - operations: what the listener's document describes.
    ///   - server: creates the server of a core, on which it is called.
    package init(
        name: String, host: String, port: Int, security: Security, limits: Limits,
        protocols: [String] = ["h2", "http/1.1"], budget: BytesInFlight? = nil, balancers: Balancers = .none,
        operations: [EndpointDescription] = [],
        server: @escaping @Sendable (Core) -> any RequestServer
    ) {
        self.init(
            name: name, host: host, port: port, security: security, limits: limits, protocols: protocols,
            budget: budget, balancers: balancers, bound: BoundPort(), content: .server(operations, server))
    }

    /// A listener whose connections speak a protocol of their own, for simulators. Shutdown closes them at once.
    ///
    /// - Parameters:
    ///   - protocols: the application protocols that TLS offers.
    ///   - handler: creates a connection's handler, on its core.
    package init(
        name: String, host: String, port: Int, security: Security, limits: Limits, protocols: [String],
        handler: @escaping @Sendable (Connection) -> any ConnectionHandler
    ) {
        self.init(
            name: name, host: host, port: port, security: security, limits: limits, protocols: protocols,
            bound: BoundPort(), content: .connections(handler))
    }

    private init(
        name: String, host: String, port: Int, security: Security, limits: Limits?, protocols: [String]? = nil,
        budget: BytesInFlight? = nil, balancers: Balancers = .none, bound: BoundPort, content: Content
    ) {
        self.name = name
        self.host = host
        self.port = port
        self.security = security
        self.limits = limits ?? security.limits
        self.protocols = protocols
        self.budget = budget
        self.balancers = balancers
        self.bound = bound
        self.content = content
    }

    /// Creates a listener from `<name>.host` (by default 127.0.0.1), `<name>.port`, `<name>.connections`, the maximum number of
    /// concurrent connections, for clients on the internet `<name>.connectionsOfPrefix`, the same of one address prefix, and
    /// `<name>.proxyProtocol`, its ``Balancers``.
    package init(
        _ name: String, from settings: Settings, defaultPort: Int? = nil, security: Security, limits: Limits? = nil,
        routes: (inout Routes) -> Void
    ) throws(ConfigurationProblem) {
        var limits = limits ?? security.limits
        limits.connections = try settings.int("\(name).connections", default: limits.connections, in: 1...1_000_000)
        if let most = limits.connectionsOfPrefix {
            limits.connectionsOfPrefix = try settings.int(
                "\(name).connectionsOfPrefix", default: most, in: 1...1_000_000)
        }
        self.init(
            name: name, host: settings.string("\(name).host", default: "127.0.0.1"),
            port: try settings.port("\(name).port", default: defaultPort), security: security, limits: limits,
            balancers: try Balancers(of: name, settings), bound: BoundPort(), routes: routes)
    }

    /// The port on which the listener accepts connections, once it is open.
    ///
    /// - Throws: the reason why it couldn't be opened.
    package var boundPort: Int {
        get async throws { try await bound.value }
    }
}

extension Listener.Security {
    fileprivate var limits: Limits {
        switch self {
        case .publicTLS: .outer
        case .mutualTLS, .optionalTLS, .plain: .inner
        }
    }
}
