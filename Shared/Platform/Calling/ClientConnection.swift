import HTTP1
import HTTPMessage
import HTTPTypes
import Loop
import TLS

/// One connection to a server, with one request at a time.
final class ClientConnection: ConnectionHandler {
    /// Its TLS context, to notice when that is outdated.
    let context: TLSContext?
    private let pool: ClientPool
    private var connection: Connection?
    /// Nil only within `init`.
    private var deadline: Deadline?
    private var parser = ResponseParser(headBytes: ClientPool.headLimit)
    private var exchange: ClientExchange?
    private var head: ResponseHead?
    private var body: [UInt8] = []
    private var isOpen = false
    private(set) var wasOpened = false
    /// Whether it has answered before. If it ends at the next request, the server has hardly taken that.
    private var isKept = false

    /// Opens it.
    init(of pool: ClientPool, context: TLSContext?) {
        self.pool = pool
        self.context = context
        deadline = Deadline(on: pool.core) { [unowned self] in expired() }
        let peer = pool.peer
        let host = peer.origin.host
        let secure = context.map { context in { context.connect($0, serverName: host) } }
        let connection = Connection.open(
            to: host, port: peer.origin.port, on: pool.core, secure: secure, within: peer.connectTime, handler: self)
        // The request is in memory anyway, and an answer may come before it is written.
        connection.outputMark = (.max, .max)
        self.connection = connection
    }

    /// Whether a request may be sent now.
    var isUsable: Bool { isOpen && exchange == nil && connection?.isQuiet == true }

    func send(_ exchange: ClientExchange) {
        self.exchange = exchange
        exchange.connection = self
        deadline?.set(exchange.endBy)
        parser.expect(exchange.request.method)
        for piece in exchange.request.pieces { connection?.write(piece) }
    }

    /// Waits for the next request, for a while.
    func wait() { deadline?.set(pool.core.now + pool.peer.idleTime) }

    func close() {
        isOpen = false
        connection?.close()
    }

    /// Ends without regard for what may still come.
    private func abort() {
        isOpen = false
        connection?.abort()
    }

    /// Nobody waits for the answer any more.
    func abandon() {
        exchange = nil
        abort()
    }

    private func expired() {
        if let exchange {
            self.exchange = nil
            abort()
            exchange.end(.failure(.late))
        } else {
            close()
        }
    }

    // MARK: Events

    func opened(_ connection: Connection) {
        isOpen = true
        wasOpened = true
        pool.opened(self)
    }

    func received(_ bytes: Span<UInt8>, on connection: Connection) -> Int {
        // Nobody asked, or nobody waits any more.
        guard isOpen, exchange != nil else {
            abort()
            return bytes.count
        }
        var position = 0
        do throws(Violation) {
            while let exchange, let part = try parser.next(bytes, &position) {
                switch part {
                case .head(let head):
                    // The rest of the request would be taken for the next one.
                    if connection.unsentBytes > 0 { isOpen = false }
                    self.head = head
                    if case .length(let length) = head.framing { body.reserveCapacity(min(length, exchange.limit)) }
                case .body(let range):
                    guard body.count + range.count <= exchange.limit else {
                        fail(.tooLarge)
                        return bytes.count
                    }
                    bytes.extracting(range).withUnsafeBufferPointer { body.append(contentsOf: $0) }
                case .end:
                    complete(isLast: position < bytes.count)
                }
            }
        } catch {
            fail(.malformed(error))
            return bytes.count
        }
        return position
    }

    func inputEnded(_ connection: Connection) {
        if exchange != nil {
            // Only the end of a body that ends with the connection; for the rest `closed` decides.
            if case .end? = try? parser.inputEnded() { complete(isLast: true) }
        }
        abort()
    }

    func closed(_ connection: Connection, _ reason: ConnectionEnd) {
        isOpen = false
        deadline?.set(nil)
        self.connection = nil
        pool.closed(self, reason)
        guard let exchange else { return }
        self.exchange = nil
        // It may have been read, so only what allows that is repeated, once, and only if nothing of an answer came.
        if isKept, !parser.hasBegun, exchange.request.mayRepeat, !exchange.isRepeated {
            exchange.isRepeated = true
            exchange.connection = nil
            pool.send(exchange)
        } else {
            exchange.end(.failure(.ended))
        }
    }

    // MARK: The answer

    /// - Parameter isLast: whether the connection can't be used again.
    private func complete(isLast: Bool) {
        guard let exchange, let head else { return }
        let response = ClientResponse(status: head.status, fields: head.fields, body: body)
        self.exchange = nil
        self.head = nil
        body = []
        isKept = true
        if isOpen, !isLast, head.keepsAlive {
            pool.free(self)
        } else if isOpen {
            close()
        } else {
            // A part of the request is unsent, and isn't wanted.
            abort()
        }
        exchange.end(.success(response))
    }

    private func fail(_ failure: CallFailure) {
        let exchange = self.exchange
        self.exchange = nil
        abort()
        exchange?.end(.failure(failure))
    }
}
