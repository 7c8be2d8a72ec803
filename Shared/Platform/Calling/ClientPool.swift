package import Loop
package import TLS

/// A server, and how many connections to it there may be.
package struct ClientPeer: Sendable {
    /// Where the server is.
    package let origin: Origin
    /// The TLS of new connections; nil for `http`.
    package let context: @Sendable () -> TLSContext?
    /// The most connections of all cores together: more wouldn't make a server faster.
    package var connections = 32
    /// The most requests of all cores together that wait for a connection.
    package var waiting = 4096
    /// For one attempt to connect, with the handshake.
    package var connectTime: Duration = .seconds(5)
    /// How long an unused connection is kept: shorter than a service keeps it (65 s), so that this side closes it.
    package var idleTime: Duration = .seconds(30)
    /// Whether a failed attempt to connect is repeated while requests wait. If not, they fail.
    package var reconnects = true

    /// A server at an origin.
    package init(_ origin: Origin, context: @escaping @Sendable () -> TLSContext?) {
        self.origin = origin
        self.context = context
    }
}

/// The connections of one core to one server, and the requests that wait for one.
///
/// All callers share them, so a connection says nothing about who asked.
package final class ClientPool {
    let peer: ClientPeer
    let core: Core
    private let maxConnections: Int
    private let maxWaiting: Int
    /// The last one used is used first: under little load few are in use, and the others time out.
    private var idle: [ClientConnection] = []
    private var open: [ObjectIdentifier: ClientConnection] = [:]
    private var connecting = 0
    private var waiting = WaitingExchanges()
    private var pause: Duration?
    private var isPausing = false
    private var isClosed = false
    private var deadline: Deadline?
    /// When the first of `waiting` may be too late.
    private var nextLate = Moment.distantFuture

    /// The most bytes of an answer's head.
    static let headLimit = 16 << 10
    private static let firstPause: Duration = .milliseconds(20)
    private static let longestPause: Duration = .milliseconds(500)

    /// - Parameter share: how many cores there are.
    init(_ peer: ClientPeer, on core: Core, share: Int) {
        self.peer = peer
        self.core = core
        maxConnections = max(1, peer.connections / share)
        maxWaiting = max(1, peer.waiting / share)
        deadline = Deadline(on: core) { [unowned self] in endLate() }
    }

    /// Sends a request as soon as a connection is free. Call it on the core.
    ///
    /// - Parameters:
    ///   - limit: the most bytes of the answer's body.
    ///   - startBy: when it is too late to send it.
    ///   - endBy: when the answer must be complete.
    ///   - finish: is called once on the core, perhaps before this returns.
    /// - Returns: the exchange, to cancel it.
    @discardableResult
    package func exchange(
        _ request: EncodedRequest, limit: Int, startBy: Moment, endBy: Moment,
        _ finish: @escaping (Result<ClientResponse, CallFailure>) -> Void
    ) -> ClientExchange {
        let exchange = ClientExchange(request, limit: limit, startBy: startBy, endBy: endBy, finish)
        send(exchange)
        return exchange
    }

    func send(_ exchange: ClientExchange) {
        guard !isClosed else { return exchange.end(.failure(.closed)) }
        let context = peer.context()
        while let connection = idle.popLast() {
            if connection.context === context, connection.isUsable { return connection.send(exchange) }
            connection.close()
        }
        if waiting.count >= maxWaiting { _ = waiting.remove { $0.isOver } }
        guard waiting.count < maxWaiting else { return exchange.end(.failure(.busy)) }
        waiting.append(exchange)
        if exchange.startBy < nextLate { setDeadline(exchange.startBy) }
        connectIfNeeded()
    }

    /// Closes unused connections now and the others after their answers; what waits fails.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        let idle = self.idle
        self.idle = []
        for connection in idle { connection.close() }
        failWaiting(.closed)
    }

    // MARK: What connections report

    /// It is there.
    func opened(_ connection: ClientConnection) {
        connecting -= 1
        pause = nil
        free(connection)
    }

    /// It can take another request.
    func free(_ connection: ClientConnection) {
        guard !isClosed, connection.context === peer.context() else { return connection.close() }
        if let next = next() {
            connection.send(next)
        } else {
            connection.wait()
            idle.append(connection)
        }
    }

    /// It is gone.
    func closed(_ connection: ClientConnection, _ reason: ConnectionEnd) {
        guard open.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        if !connection.wasOpened {
            connecting -= 1
            return connectingFailed(reason)
        }
        idle.removeAll { $0 === connection }
        connectIfNeeded()
    }

    // MARK: Connecting

    private func connectIfNeeded() {
        guard !isClosed, !isPausing, connecting < waiting.count, open.count < maxConnections else { return }
        connecting += 1
        let connection = ClientConnection(of: self, context: peer.context())
        open[ObjectIdentifier(connection)] = connection
    }

    private func connectingFailed(_ reason: ConnectionEnd) {
        guard peer.reconnects else {
            // No other connection will serve these.
            if open.isEmpty { failWaiting(.noConnection(reason)) }
            return
        }
        guard !isPausing, !isClosed, !waiting.isEmpty else { return }
        let pause = self.pause ?? Self.firstPause
        self.pause = min(pause * 2, Self.longestPause)
        isPausing = true
        core.at(core.now + pause) { [self] in
            isPausing = false
            connectIfNeeded()
        }
    }

    // MARK: Waiting

    /// The first that can still be answered in time.
    private func next() -> ClientExchange? {
        while let exchange = waiting.popFirst() {
            if exchange.isOver { continue }
            if exchange.startBy > core.now { return exchange }
            exchange.end(.failure(.late))
        }
        return nil
    }

    private func setDeadline(_ moment: Moment) {
        nextLate = moment
        deadline?.set(moment == .distantFuture ? nil : moment)
    }

    private func endLate() {
        let late = waiting.remove { $0.isOver || $0.startBy <= core.now }
        setDeadline(waiting.earliest)
        for exchange in late { exchange.end(.failure(.late)) }
    }

    private func failWaiting(_ failure: CallFailure) {
        let failed = waiting.remove { _ in true }
        setDeadline(.distantFuture)
        for exchange in failed { exchange.end(.failure(failure)) }
    }
}

/// Exchanges in the order in which they came.
private struct WaitingExchanges {
    private var all: [ClientExchange] = []
    private var first = 0

    var count: Int { all.count - first }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ exchange: ClientExchange) { all.append(exchange) }

    mutating func popFirst() -> ClientExchange? {
        guard !isEmpty else { return nil }
        defer {
            first += 1
            if first == all.count || first >= 1024 {
                all.removeFirst(first)
                first = 0
            }
        }
        return all[first]
    }

    /// Removes some.
    mutating func remove(_ isRemoved: (ClientExchange) -> Bool) -> [ClientExchange] {
        let removed = all[first...].filter(isRemoved)
        all = all[first...].filter { !isRemoved($0) }
        first = 0
        return removed
    }

    /// When the first of them is too late.
    var earliest: Moment { all[first...].lazy.map(\.startBy).min() ?? .distantFuture }
}
