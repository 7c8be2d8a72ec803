import HTTP2
import HTTPTypes
import Loop
import Metrics
import Running
import TLS

/// A listener's part on one core: its connections, and what they share.
final class ListenerCore {
    let core: Core
    let limits: Limits
    let budget: BytesInFlight
    let date: HTTPDate
    /// Whether callers have certificates that name their roles.
    var checksCallers: Bool { mutual != nil }
    /// Counts connections that were closed because their certificate is denied.
    let denials: Counter?
    /// Pads HTTP/2 answers; nil unless the server pads.
    let framePadding: HTTP2Padding?
    let encoding: HTTP1Encoding
    private(set) var isDraining = false
    let server: any RequestServer
    private let mutual: ReloadedTLS<MutualServer>?
    private let ofPrefix: ConnectionLimit?
    private let makeHandler: (@Sendable (Connection) -> any ConnectionHandler)?
    private let balancers: Balancers
    /// Counts connections of balancers that didn't begin with a header.
    let refusedHeaders: Counter?
    private var connections: [ObjectIdentifier: any ListenerConnection] = [:]
    /// Tasks of handlers that run.
    private var tasks = 0
    private var ended: (() -> Void)?
    private var scratch: [UInt8] = []

    /// What all parts of a listener share.
    struct Shared: Sendable {
        let limits: Limits
        let budget: BytesInFlight
        let clock: WallClock
        let mutual: ReloadedTLS<MutualServer>?
        let ofPrefix: ConnectionLimit?
        let denials: Counter?
        /// For listeners that speak a protocol of their own.
        let makeHandler: (@Sendable (Connection) -> any ConnectionHandler)?
        let balancers: Balancers
        let refusedHeaders: Counter?
    }

    init(_ shared: Shared, server: any RequestServer, on core: Core) {
        self.core = core
        self.server = server
        limits = shared.limits
        budget = shared.budget
        date = HTTPDate(clock: shared.clock)
        mutual = shared.mutual
        ofPrefix = shared.ofPrefix
        denials = shared.denials
        makeHandler = shared.makeHandler
        balancers = shared.balancers
        refusedHeaders = shared.refusedHeaders
        encoding = HTTP1Encoding(date: date, padding: server.padding)
        framePadding = server.padding.flatMap { try? HTTP2Padding(length: $0.length, name: $0.name) }
    }

    /// Whether a caller's certificate is denied now.
    func denies(_ fingerprint: [UInt8]?) -> Bool { mutual.map { $0.current.denies(fingerprint) } ?? false }

    // MARK: Connections

    /// The handler of a new connection; nil if its address prefix has as many as it may have.
    ///
    /// A balancer's connection is counted when its caller is known.
    func accept(_ connection: Connection) -> (any ConnectionHandler)? {
        let prefix = AddressPrefix(connection.remote)
        let isBalancer = connection.remote.map { balancers.contains($0) } ?? false
        if isBalancer {
            connection.expectProxyHeader()
        } else if !admits(prefix) {
            return nil
        }
        let accepted: any ListenerConnection
        if let makeHandler {
            accepted = CustomConnection(connection, makeHandler(connection), prefix: prefix, of: self)
        } else {
            accepted = ServerConnection(connection, prefix: prefix, isCounted: !isBalancer, of: self)
        }
        connections[ObjectIdentifier(accepted)] = accepted
        return accepted
    }

    /// Counts a connection of the prefix, if it may have one more.
    func admits(_ prefix: AddressPrefix) -> Bool { ofPrefix?.admits(prefix) ?? true }

    func ended(_ connection: any ListenerConnection) {
        connections[ObjectIdentifier(connection)] = nil
        if connection.isCounted { ofPrefix?.ended(connection.prefix) }
        finishIfDone()
    }

    /// Whether no connection is open.
    var isEmpty: Bool { connections.isEmpty }

    // MARK: Tasks

    func taskBegan() { tasks += 1 }

    func taskEnded() {
        tasks -= 1
        finishIfDone()
    }

    // MARK: Shutdown

    /// Lets requests finish and closes connections, within ``Limits/drain``.
    ///
    /// - Parameter ended: called once, when there is no connection and no task left.
    func drain(ended: @escaping () -> Void) {
        self.ended = ended
        isDraining = true
        for connection in connections.values { connection.drain() }
        _ = core.at(core.now + limits.drain) { [weak self] in self?.abort() }
        finishIfDone()
    }

    /// Closes all connections, which cancels the tasks of their requests.
    func abort() {
        isDraining = true
        for connection in connections.values { connection.connection.abort() }
    }

    private func finishIfDone() {
        guard connections.isEmpty, tasks == 0, let ended else { return }
        self.ended = nil
        ended()
    }

    // MARK: Memory

    /// A buffer for frames, to be given back.
    func takeScratch() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &scratch)
        return taken
    }

    func giveBack(scratch buffer: consuming [UInt8]) {
        buffer.removeAll(keepingCapacity: true)
        scratch = buffer
    }
}

/// A connection as its listener sees it.
protocol ListenerConnection: ConnectionHandler {
    var connection: Connection { get }
    var prefix: AddressPrefix { get }
    /// Whether it counts for the prefix.
    var isCounted: Bool { get }
    /// The listener is shutting down.
    func drain()
}

extension ServerConnection: ListenerConnection {}

/// A connection with a protocol of its own, for simulators of servers that misbehave. Shutdown closes it at once.
private final class CustomConnection: ListenerConnection {
    let connection: Connection
    let prefix: AddressPrefix
    let isCounted = true
    private let handler: any ConnectionHandler
    private let listener: ListenerCore
    private lazy var handshake = Deadline(on: connection.core) { [unowned self] in connection.abort() }

    init(
        _ connection: Connection, _ handler: any ConnectionHandler, prefix: AddressPrefix, of listener: ListenerCore
    ) {
        self.connection = connection
        self.handler = handler
        self.prefix = prefix
        self.listener = listener
        handshake.set(connection.core.now + listener.limits.handshake)
    }

    func drain() { connection.abort() }

    func opened(_ connection: Connection) {
        handshake.set(nil)
        handler.opened(connection)
    }

    func received(_ bytes: Span<UInt8>, on connection: Connection) -> Int { handler.received(bytes, on: connection) }
    func inputEnded(_ connection: Connection) { handler.inputEnded(connection) }
    func canWrite(_ connection: Connection) { handler.canWrite(connection) }

    func closed(_ connection: Connection, _ reason: ConnectionEnd) {
        handshake.set(nil)
        handler.closed(connection, reason)
        listener.ended(self)
    }
}
