import Loop
import Metrics
import TLS

/// One connection of a listener, whatever version of HTTP it speaks: its caller, its deadlines, its share of the limits.
final class ServerConnection: ConnectionHandler {
    let listener: ListenerCore
    let connection: Connection
    /// The caller's; a balancer's own until it has said for whom it calls.
    private(set) var prefix: AddressPrefix
    /// Whether the connection counts for the prefix: not until the caller is known.
    private(set) var isCounted: Bool
    /// Where ``BytesInFlight`` counts incomplete requests of the prefix.
    private(set) var cell: Int
    private(set) var wire: (any Wire)?
    /// Handlers' tasks that run, also those whose stream has gone.
    var tasks = 0
    private var certificate: PeerCertificate?
    private lazy var deadline = Deadline(on: connection.core) { [unowned self] in expired() }
    /// When the connection ends unless a request is admitted, however many are sent.
    private var lifeEnd: Moment

    init(_ connection: Connection, prefix: AddressPrefix, isCounted: Bool, of listener: ListenerCore) {
        self.connection = connection
        self.prefix = prefix
        self.isCounted = isCounted
        self.listener = listener
        cell = BytesInFlight.cell(of: prefix)
        lifeEnd = .distantFuture
        admitted()
        deadline.set(connection.core.now + listener.limits.handshake)
    }

    var core: Core { connection.core }
    var limits: Limits { listener.limits }
    var remoteAddress: SocketAddress? { connection.remote }

    /// The caller according to its certificate, which is read at the first request.
    private(set) lazy var caller: Caller = {
        certificate.map { Caller(certificate: $0) } ?? .anonymous
    }()

    // MARK: The connection's events

    func introduced(_ connection: Connection) {
        prefix = AddressPrefix(connection.remote)
        cell = BytesInFlight.cell(of: prefix)
        isCounted = listener.admits(prefix)
        if !isCounted { connection.abort() }
    }

    func opened(_ connection: Connection) {
        if listener.checksCallers {
            certificate = PeerCertificate(of: connection)
            guard !listener.denies(certificate?.fingerprint) else {
                listener.denials?.increment()
                connection.abort()
                return
            }
        }
        let isHTTP2 = connection.negotiatedProtocol == "h2"
        guard let wire: any Wire = isHTTP2 ? HTTP2Wire(self) : HTTP1Wire(self) else { return connection.abort() }
        self.wire = wire
        if listener.isDraining { wire.drain() }
        schedule()
    }

    func received(_ bytes: Span<UInt8>, on connection: Connection) -> Int {
        guard let wire else { return bytes.count }
        // The certificate may have been denied since the handshake.
        if listener.checksCallers, listener.denies(certificate?.fingerprint) {
            connection.abort()
            return bytes.count
        }
        let count = wire.receive(bytes)
        schedule()
        return count
    }

    func inputEnded(_ connection: Connection) {
        guard let wire else { return connection.close() }
        wire.inputEnded()
        schedule()
    }

    func canWrite(_ connection: Connection) {
        wire?.canWrite()
        schedule()
    }

    func closed(_ connection: Connection, _ reason: ConnectionEnd) {
        deadline.set(nil)
        if reason == .proxyHeader { listener.refusedHeaders?.increment() }
        let wire = wire
        self.wire = nil
        wire?.closed()
        listener.ended(self)
    }

    // MARK: Deadlines

    /// Sets the timer to what is late next.
    func schedule() {
        guard let wire else { return }
        deadline.set(wire.nextDeadline)
    }

    private func expired() {
        guard let wire else { return connection.abort() }
        wire.expire(core.now)
        schedule()
    }

    /// The end of a wait that begins now, for a header.
    func headerEnd() -> Moment { min(core.now + limits.idle, lifeEnd) }

    /// The end of a wait for requests to be admitted.
    var end: Moment { lifeEnd }

    /// The end of the time in which a client must receive an answer that leaves now.
    func answerEnd(of length: Int) -> Moment {
        let extra = limits.answerRate.map { Duration.seconds(length / max($0, 1)) } ?? .zero
        return core.now + limits.answer + extra
    }

    /// A request is admitted, so the connection's lifetime begins anew.
    func admitted() {
        if let life = limits.life { lifeEnd = core.now + life }
    }

    // MARK: Shutdown

    /// Answers what is on its way, and closes.
    func drain() {
        guard let wire else { return }
        wire.drain()
        schedule()
    }
}
