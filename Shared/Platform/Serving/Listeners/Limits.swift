/// The limits of a listener's connections and requests.
package struct Limits: Sendable {
    /// The timeout of a TLS handshake.
    package var handshake: Duration = .seconds(10)
    /// The timeout of a connection without a request, or with an incomplete header.
    package var idle: Duration
    /// The timeout of a request's body; then the answer is 408 and the connection is closed.
    package var body: Duration = .seconds(10)
    /// The handler's time limit after the body has arrived; then the answer is 503 and the handler's task is cancelled.
    package var handler: Duration = .seconds(10)
    /// The time limit for receiving an answer after it has begun; then the connection is closed.
    package var answer: Duration = .seconds(300)
    /// The maximum size of all header fields of a request in bytes (HTTP/1.1; HTTP/2 allows 16 KiB).
    package var headerBytes = 16 * 1024
    /// The maximum number of concurrent connections; more wait in the system's backlog.
    package var connections: Int

    /// For calls between our services: the caller pools connections, and its idle timeout is shorter.
    package static let inner = Limits(idle: .seconds(65), connections: 4096)
    /// For listeners that partners call from outside with a certificate: a few dozen programs with a few connections each.
    package static let door = Limits(idle: .seconds(65), connections: 1024)
    /// For clients on the internet.
    package static let outer = Limits(idle: .seconds(10), connections: 8192)
}
