import FoundationEssentials
package import NIOCore
import NIOSSL
package import Running
import ServiceLifecycle
package import TLS

/// A service behind the proxy.
///
/// Each event loop has its own ``UpstreamPool`` of connections, shared by all callers, so that a connection reveals nothing
/// about who asked.
package final class Upstream: Service, TLSUser {
    /// The value of `Host` in requests.
    let authority: String
    let host: String
    let port: Int
    private let tls: ReloadedTLS<NIOSSLContext>?
    private let pools: PerLoop<UpstreamPool>

    /// - Parameters:
    ///   - base: such as `https://verification-server:8010`; `http` is for measurements only.
    ///   - tls: nil for `http`.
    ///   - name: of the service, as metrics call it.
    package init(
        base: String, tls: TLSFiles?, name: String, on group: any EventLoopGroup
    ) throws(ConfigurationProblem) {
        guard let url = URL(string: base), let host = url.host(), !host.isEmpty,
            url.scheme == (tls == nil ? "http" : "https"), url.path().allSatisfy({ $0 == "/" })
        else { throw ConfigurationProblem("\(base) must be a URL such as https://verification-server:8010.") }
        self.host = host
        port = url.port ?? (tls == nil ? 80 : 443)
        authority = url.port.map { "\(host):\($0)" } ?? host
        if let tls {
            self.tls = try ReloadedContext.client(tls, peer: name)
        } else {
            self.tls = nil
        }
        pools = PerLoop(group)
    }

    /// The TLS files of its connections.
    package var watchedTLS: (any WatchedTLS)? { tls }

    /// TLS of new connections; nil for none.
    var context: NIOSSLContext? { tls?.current }

    /// The connections of an event loop, on which this must be called.
    func pool(on loop: any EventLoop) -> UpstreamPool {
        pools.value(on: loop) { UpstreamPool(of: self, on: loop, share: pools.count) }
    }

    /// Waits for the end, then closes all connections.
    package func run() async throws {
        try? await gracefulShutdown()
        try? await pools.forEach { $0.close() }
    }
}
