package import AsyncHTTPClient
import NIOPosix
import NIOSSL
package import Running
import ServiceLifecycle
import Synchronization
package import TLS

/// Connections to another service, whose TLS files are checked periodically.
///
/// The library fixes a client's TLS configuration at creation. When the files change, a new client replaces the old one.
/// Requests in progress finish on the old client, which shuts down after the last of them.
package struct ReloadedConnections: Service, TLSUser {
    private let source: Source

    private enum Source {
        case fixed(SharedClient)
        case reloaded(ReloadedTLS<SharedClient>)
    }

    /// - Parameters:
    ///   - tls: certificate, key and authorities; nil for plain HTTP in tests.
    ///   - peer: the other service's name in metrics.
    ///   - configuration: everything but TLS.
    package init(
        tls: TLSFiles?, peer: String, configuration: HTTPClient.Configuration
    ) throws(ConfigurationProblem) {
        try self.init(tls: tls, peer: peer, configuration: configuration, eventLoopGroup: .singleton)
    }

    /// Connections to a third party's server that requires a client certificate: TLS 1.2 and 1.3; the server's name is verified
    /// against the authorities of the files, or the system's if there are none.
    package init(
        outside tls: TLSFiles, peer: String, configuration: HTTPClient.Configuration
    ) throws(ConfigurationProblem) {
        self.init(
            .reloaded(
                try ReloadedTLS(tls.ofClient, label: ("peer", peer)) { material in
                    var configuration = configuration
                    configuration.tlsConfiguration = try material.outsideClient()
                    return SharedClient(
                        HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration))
                }))
    }

    init(
        tls: TLSFiles?, peer: String, configuration: HTTPClient.Configuration,
        eventLoopGroup: MultiThreadedEventLoopGroup
    ) throws(ConfigurationProblem) {
        guard let tls else {
            self.init(fixed: configuration, eventLoopGroup: eventLoopGroup)
            return
        }
        self.init(
            .reloaded(
                try ReloadedTLS(tls.ofClient, label: ("peer", peer)) { material in
                    var configuration = configuration
                    configuration.tlsConfiguration = try material.client()
                    return SharedClient(HTTPClient(eventLoopGroup: eventLoopGroup, configuration: configuration))
                }))
    }

    /// Creates connections with a fixed TLS configuration.
    init(fixed configuration: HTTPClient.Configuration, eventLoopGroup: MultiThreadedEventLoopGroup) {
        self.init(
            .fixed(SharedClient(HTTPClient(eventLoopGroup: eventLoopGroup, configuration: configuration))))
    }

    private init(_ source: Source) {
        self.source = source
    }

    /// The TLS files in use; nil for plain HTTP.
    package var watchedTLS: (any WatchedTLS)? {
        switch source {
        case .fixed: nil
        case .reloaded(let tls): tls
        }
    }

    /// Calls `body` with the client of the newest files.
    ///
    /// - Parameter body: must read an answer to its end before it returns; the client may be shut down afterwards.
    package func with<R>(_ body: (HTTPClient) async throws -> R) async rethrows -> R {
        let client = current
        defer { withExtendedLifetime(client) {} }
        return try await body(client.http)
    }

    /// Waits for shutdown, then closes all connections.
    package func run() async throws {
        try? await gracefulShutdown()
        await close()
    }

    /// Closes all connections; a second call does nothing.
    package func close() async {
        await current.close()
    }

    private var current: SharedClient {
        switch source {
        case .fixed(let client): client
        case .reloaded(let tls): tls.current
        }
    }
}

/// The library's client, which must be shut down before it is released.
///
/// It shuts itself down if nobody is left to wait for that: if the program fails before this runs, or if newer TLS files have
/// replaced it.
private final class SharedClient: Sendable {
    let http: HTTPClient
    private let isClosed = Mutex(false)

    init(_ http: HTTPClient) { self.http = http }

    deinit {
        if markClosed() { http.shutdown { _ in } }
    }

    func close() async {
        if markClosed() { try? await http.shutdown() }
    }

    /// - Returns: false if it was closed before.
    private func markClosed() -> Bool {
        isClosed.withLock { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
    }
}
