import Glibc
import HTTPMessage
import HTTPTypes
import Loop
import Running

@testable import Serving

/// A listener's whole part of a connection, from the socket to the handler, and a client that writes frames by hand.
///
/// Time is virtual. Only TLS is left out, which knows no frames.
final class RuleStage {
    private let core = Core(manual: Moment(nanoseconds: 1_000_000_000_000))
    private let handlers = RuleServer()
    private let peer = FrameReader()
    private let listener: ListenerCore
    private let client: Connection
    /// The server's end.
    let server: Connection

    init() {
        let budget = BytesInFlight(limit: 64 << 20, metrics: nil)
        let shared = ListenerCore.Shared(
            limits: .outer, budget: budget, clock: .system, mutual: nil, ofPrefix: nil, denials: nil,
            makeHandler: nil, balancers: .none, refusedHeaders: nil)
        listener = ListenerCore(shared, server: handlers, on: core)
        (server, client) = Connection.pair(on: core, secure: { ClearTransport($0) })
        client.outputMark = (high: .max, low: 0)
        if let handler = listener.accept(server) { server.start(handler) }
        client.start(peer)
        turn()
    }

    /// By stream.
    var requests: [Int32: RuleServer.Request] { handlers.requests }
    /// What the server has sent, in order.
    var frames: [Frame] { peer.frames }
    /// Whether it has closed the connection.
    var isClosed: Bool { peer.isClosed }
    /// Whether the client reads nothing.
    var isDeaf = false { didSet { isDeaf ? client.pauseReading() : client.resumeReading() } }

    /// Lets both sides work until nothing moves any more.
    func turn() {
        var quiet = 0
        while quiet < 4 {
            let before = (peer.received, client.unsentBytes)
            core.turn()
            quiet = before == (peer.received, client.unsentBytes) ? quiet + 1 : 0
        }
    }

    /// Sends bytes, and lets the server react.
    func send(_ bytes: [UInt8]) {
        guard !isClosed else { return }
        client.write(bytes)
        turn()
    }

    /// The handlers of `/later` answer.
    func answerNow() {
        handlers.answerNow()
        turn()
    }

    /// The listener shuts down.
    func shutDown() {
        listener.drain {}
        turn()
    }

    func wait(_ duration: Duration) {
        core.advance(by: duration)
        turn()
    }

    /// The status of the last answer on a stream.
    func status(_ stream: Int32) -> String? { peer.statuses[stream]?.last }

    /// How many bytes of a body have come.
    func received(_ stream: Int32) -> Int {
        frames.filter { $0.type == Frame.data && $0.stream == stream }.map(\.payload.count).reduce(0, +)
    }
}

/// Answers 201; `/later` with 202 when it is told to; `/large` with 200,000 bytes.
final class RuleServer: RequestServer {
    /// What a handler was given.
    struct Request {
        let target: String
        let fields: FieldLines
        var body: [UInt8] = []
        var isComplete = false
    }

    fileprivate(set) var requests: [Int32: Request] = [:]
    private var waiting: [ServerExchange] = []

    func answerNow() {
        for exchange in waiting where exchange.isOpen { exchange.send(ServerAnswer(.accepted)) }
        waiting = []
    }

    func begin(_ exchange: ServerExchange) -> (any ExchangeHandler)? {
        requests[exchange.stream] = Request(target: exchange.head.target, fields: exchange.head.fields)
        return Handler(exchange, of: self)
    }

    func refusal(_ status: HTTPResponse.Status) -> ServerAnswer { ServerAnswer(status) }

    private final class Handler: ExchangeHandler {
        private let exchange: ServerExchange
        private unowned let server: RuleServer

        init(_ exchange: ServerExchange, of server: RuleServer) {
            self.exchange = exchange
            self.server = server
        }

        func body(_ bytes: Span<UInt8>) {
            bytes.withUnsafeBufferPointer { server.requests[exchange.stream]?.body.append(contentsOf: $0) }
        }

        func end() {
            server.requests[exchange.stream]?.isComplete = true
            switch exchange.head.target {
            case "/later": server.waiting.append(exchange)
            case "/large":
                exchange.send(ServerAnswer(.ok, body: ResponseBody([UInt8](repeating: 97, count: 200_000))))
            default:
                var fields = FieldLines()
                fields.append(.contentType, "text/plain")
                exchange.send(ServerAnswer(.created, fields: fields, body: ResponseBody(Array("done".utf8))))
            }
        }

        func overruled(_ status: HTTPResponse.Status) -> ServerAnswer { ServerAnswer(status) }
        func gone() {}
    }
}

/// Takes a server's bytes apart.
private final class FrameReader: ConnectionHandler {
    private(set) var frames: [Frame] = []
    private(set) var statuses: [Int32: [String]] = [:]
    private(set) var isClosed = false
    /// How many bytes have come.
    private(set) var received = 0
    private var rest: [UInt8] = []
    private let decoder = Decoder()

    func received(_ bytes: Span<UInt8>, on connection: Connection) -> Int {
        received += bytes.count
        bytes.withUnsafeBufferPointer { rest.append(contentsOf: $0) }
        var start = 0
        while start + 9 <= rest.count {
            let length = rest[start..<start + 3].reduce(0) { $0 << 8 | Int($1) }
            let end = start + 9 + length
            guard end <= rest.count else { break }
            let stream = rest[start + 5..<start + 9].reduce(0) { $0 << 8 | UInt32($1) }
            let frame = Frame(
                type: rest[start + 3], flags: rest[start + 4], stream: Int32(bitPattern: stream),
                payload: Array(rest[start + 9..<end]))
            frames.append(frame)
            if frame.type == Frame.headers {
                let status = decoder.fields(frame.payload).first { $0.0 == ":status" }?.1
                statuses[frame.stream, default: []].append(status ?? "none")
            }
            start = end
        }
        rest.removeFirst(start)
        return bytes.count
    }

    func inputEnded(_ connection: Connection) {
        isClosed = true
        connection.close()
    }

    func closed(_ connection: Connection, _ reason: ConnectionEnd) { isClosed = true }
}

/// In the place of TLS: nothing but the protocol that it would have negotiated.
private final class ClearTransport: SecureTransport {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    var hasPending: Bool { false }
    var negotiatedProtocol: String? { "h2" }
    var peerCertificate: [UInt8]? { nil }
    var failure: String { "" }

    func handshake() -> SecureOutcome { .done(0) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> SecureOutcome {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count > 0 { return .done(count) }
        return count == 0 ? .ended : errno == EAGAIN ? .wantsRead : .broken(errno)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> SecureOutcome {
        let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        return count >= 0 ? .done(count) : errno == EAGAIN ? .wantsWrite : .broken(errno)
    }

    func shutDown() -> SecureOutcome { .done(0) }
}
