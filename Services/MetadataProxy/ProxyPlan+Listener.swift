import Calling
import HTTPContract
package import Serving
package import TLS

extension ProxyPlan {
    /// The smallest `connectionBytes`, enough for four streams.
    package static let minConnectionBytes = 64 << 10
    /// How many files are open besides connections of apps: connections to services, the admin port and its connections.
    private static let otherFiles = 512
    /// The maximum size of all header fields of a request together.
    private static let headerBytes = 8 << 10
    /// Of requests that a client sends without waiting for the previous answers, so many are refused before it is
    /// disconnected.
    private static let unreadRefusals = 8

    /// The port towards apps: TLS 1.2 and 1.3 without session tickets, HTTP/1.1 and HTTP/2.
    ///
    /// - Parameters:
    ///   - tls: nil for plain HTTP/1.1, in benchmarks.
    ///   - connections: open at one time; more wait in the system's backlog.
    ///   - connectionsOfPrefix: open at one time from one address prefix; others are closed.
    ///   - connectionBytes: what one connection can occupy beside its TLS and the streams of HTTP/2, which ``BytesInFlight``
    ///     counts: bytes that aren't parsed yet, bodies (always enough for one), and answers and control frames that aren't
    ///     read. At least ``minConnectionBytes``.
    ///   - idle: a connection without a request, or with an incomplete header, is closed after this time.
    ///   - life: a connection without an admitted request is closed after this time.
    ///   - balancers: whose connections begin with the caller's address.
    package func listener(
        host: String, port: Int, connections: Int, connectionsOfPrefix: Int, connectionBytes: Int, idle: Duration,
        life: Duration, tls: TLSFiles?, balancers: Balancers = .none
    ) -> Listener {
        let outbound = connectionBytes / 2
        var limits = Limits.outer
        limits.handshake = idle
        limits.idle = idle
        limits.life = life
        limits.answer = idle
        // The schedule answers by itself after twice its patience.
        limits.handler = schedule.patience * 2 + .seconds(10)
        limits.headerBytes = Self.headerBytes
        // One answer may wait; with the second, parsing stops.
        limits.unreadBytes = ServerAnswer.length
        // By default the system buffers megabytes for a client that doesn't read its answers.
        limits.sendBuffer = outbound / 2
        // 28 answers' worth is left for control frames.
        limits.streams = min(100, outbound / ServerAnswer.length - 28)
        // One body of any route is admitted, as on HTTP/1.1; BytesInFlight counts it like every other.
        limits.streamBodyBytes = max(
            connectionBytes / 2, operations.map(\.description.route.bodyLimit).max() ?? 0)
        limits.maxStreamBodyBytes = limits.streamBodyBytes
        limits.unreadRefusals = Self.unreadRefusals
        limits.connections = connections
        limits.connectionsOfPrefix = connectionsOfPrefix
        limits.otherFiles = Self.otherFiles
        return Listener(
            name: listener, host: host, port: port, security: tls.map { .publicTLS($0) } ?? .plain, limits: limits,
            budget: bytesInFlight, balancers: balancers, operations: operations.map(\.description)
        ) { core in
            ProxyCore(self) { $0.pool(on: core) }
        }
    }
}
