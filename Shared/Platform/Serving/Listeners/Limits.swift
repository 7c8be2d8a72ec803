/// The limits of a listener's connections and requests.
package struct Limits: Sendable {
    /// A TLS handshake must be complete after this time.
    package var handshake: Duration = .seconds(10)
    /// A connection without a request, or with a request whose header doesn't get complete, is closed after this time.
    package var idle: Duration
    /// A request's body must have arrived after this time; else 408, and the connection is closed.
    package var body: Duration = .seconds(10)
    /// A handler must have answered this long after the body arrived; else 503, and its task is cancelled.
    package var handler: Duration = .seconds(10)
    /// An answer must have been taken this long after it began; else the connection is closed.
    package var answer: Duration = .seconds(300)
    /// The bytes that all fields of a request's header may have (HTTP/1.1; HTTP/2 allows 16 KiB).
    package var headerBytes = 16 * 1024
    /// Connections at one time; more wait in the system's backlog.
    package var connections: Int

    /// For inner hops: connections are pooled by the caller, whose idle time is shorter.
    package static let inner = Limits(idle: .seconds(65), connections: 4096)
    /// For listeners that partners call from outside, with a certificate: a few dozen programs, each with a few
    /// connections.
    package static let door = Limits(idle: .seconds(65), connections: 1024)
    /// For anybody on the internet.
    package static let outer = Limits(idle: .seconds(10), connections: 8192)
}
