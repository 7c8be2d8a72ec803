package import Running
package import TLS

/// A port with routes behind it.
///
/// `ServiceRuntime.run(listeners:services:readiness:)` opens it.
package struct Listener: Sendable {
    /// How connections are protected, and what is known about a caller.
    package enum Security: Sendable {
        /// For our own services and for laboratories: TLS 1.3, and a certificate with a role that the route allows.
        case mutualTLS(TLSFiles)
        /// For apps: TLS 1.2 and 1.3, HTTP/1.1 and HTTP/2, without client certificates; routes check no role.
        case publicTLS(TLSFiles)
        /// For the admin port, public files behind an edge, and measurements; routes check no role.
        case plain
    }

    /// The listener's name in metrics and messages; its settings are `<name>.host` and `<name>.port`.
    package let name: String
    /// The address of this machine to listen on, such as `127.0.0.1`.
    package let host: String
    let port: Int
    let security: Security
    let limits: Limits
    let routes: Routes
    let bound: BoundPort

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
        name: String, host: String, port: Int, security: Security, limits: Limits? = nil, bound: BoundPort,
        routes: (inout Routes) -> Void
    ) {
        self.name = name
        self.host = host
        self.port = port
        self.security = security
        self.limits = limits ?? security.limits
        self.bound = bound
        var mounted = Routes()
        routes(&mounted)
        self.routes = mounted
    }

    /// Creates a listener from `<name>.host` (by default 127.0.0.1), `<name>.port` and `<name>.connections`, the maximum number
    /// of concurrent connections.
    package init(
        _ name: String, from settings: Settings, defaultPort: Int? = nil, security: Security, limits: Limits? = nil,
        routes: (inout Routes) -> Void
    ) throws(ConfigurationProblem) {
        var limits = limits ?? security.limits
        limits.connections = try settings.int("\(name).connections", default: limits.connections, in: 1...1_000_000)
        self.init(
            name: name, host: settings.string("\(name).host", default: "127.0.0.1"),
            port: try settings.port("\(name).port", default: defaultPort), security: security, limits: limits,
            routes: routes)
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
        case .mutualTLS, .plain: .inner
        }
    }
}
