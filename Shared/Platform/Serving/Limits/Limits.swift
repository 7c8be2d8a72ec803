/// The limits of a listener's connections and requests.
package struct Limits: Sendable {
    // MARK: Deadlines

    /// The timeout of a TLS handshake.
    package var handshake: Duration = .seconds(10)
    /// The timeout of a connection without a request, or with an incomplete header: from its start or the last answer to the
    /// end of the next header, whatever arrives meanwhile.
    package var idle: Duration
    /// The timeout of a request's body; then the answer is 408 and the connection is closed.
    package var body: Duration = .seconds(10)
    /// The handler's time limit after the body has arrived; then the answer is 503 and the handler's task is cancelled.
    package var handler: Duration = .seconds(10)
    /// The time limit for receiving an answer after it has begun; then the connection is closed.
    package var answer: Duration = .seconds(300)
    /// The rate in bytes a second by which a long answer extends ``answer``; nil if it doesn't.
    package var answerRate: Int?
    /// A connection ends after this time without an admitted request, however many are refused meanwhile; nil for no end.
    package var life: Duration?
    /// The time limit for all connections after shutdown has begun.
    package var drain: Duration = .seconds(30)

    // MARK: Memory

    /// The maximum size of all header fields of a request in bytes; HTTP/2 adds 32 for each field (RFC 9113, section 6.5.2).
    package var headerBytes = 16 * 1024
    /// How many streams an HTTP/2 connection may have open.
    package var streams = 100
    /// What the bodies of an HTTP/2 connection's streams may occupy together; beyond, only the oldest goes on.
    package var streamBodyBytes = 2 << 20
    /// What they may occupy in any case: a request whose body goes beyond it is refused with 503. Nil if only clients are
    /// bounded that send more than their first windows allow.
    package var maxStreamBodyBytes: Int?
    /// While more bytes of answers than this aren't sent, because the client doesn't read them, no request is parsed.
    package var unreadBytes = 64 << 10
    /// The buffer that the system keeps for answers; nil for its default, which grows to megabytes.
    package var sendBuffer: Int?

    // MARK: Numbers

    /// The maximum number of concurrent connections; more wait in the system's backlog.
    package var connections: Int
    /// The maximum number of concurrent connections of one ``AddressPrefix``, others are closed; nil for no limit.
    package var connectionsOfPrefix: Int?
    /// How many files the process opens besides connections, as a generous estimate; nil if there are other busy listeners.
    package var otherFiles: Int?
    /// How many refusals may wait for a client that doesn't read them; then its connection is closed.
    package var unreadRefusals = 32

    /// For calls between our services: the caller pools connections, and its idle timeout is shorter.
    package static let inner = Limits(idle: .seconds(65), connections: 4096)
    /// For listeners that partners call from outside with a certificate: a few dozen programs with a few connections each.
    package static let door = Limits(idle: .seconds(65), connections: 1024)
    /// For clients on the internet: whatever they leave out or hold up, a connection ends within a minute, and one address
    /// prefix occupies an eighth of the connections.
    package static let outer = {
        var limits = Limits(idle: .seconds(10), connections: 8192)
        limits.answer = .seconds(30)
        // The kernel's default grows to megabytes, for a client that reads nothing.
        limits.sendBuffer = 64 << 10
        limits.connectionsOfPrefix = 1024
        return limits
    }()

    private init(idle: Duration, connections: Int) {
        self.idle = idle
        self.connections = connections
    }
}
