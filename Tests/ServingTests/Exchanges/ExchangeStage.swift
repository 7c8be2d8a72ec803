import HTTPMessage
import HTTPTypes
import Loop
import Running
import Testing

@testable import Serving

/// A listener's part on a core with virtual time, and one client over a pair of sockets.
final class ExchangeStage {
    let core = Core(manual: Moment(nanoseconds: 1_000_000_000_000))
    let server: ScriptedServer
    let listener: ListenerCore
    let budget: BytesInFlight
    private(set) var client: WireClient

    /// - Parameter bytes: for all requests.
    init(
        limits: Limits = .outer, bytes: Int = 1 << 20, padding: AnswerPadding? = nil,
        _ begin: @escaping (ServerExchange) -> (any ExchangeHandler)? = { Answering($0) }
    ) {
        server = ScriptedServer(begin, padding: padding)
        budget = BytesInFlight(limit: bytes, metrics: nil)
        listener = ListenerCore(
            ListenerCore.Shared(
                limits: limits, budget: budget, clock: .system, mutual: nil, ofPrefix: nil, denials: nil,
                makeHandler: nil, balancers: .none, refusedHeaders: nil), server: server, on: core)
        client = WireClient()
        connect()
    }

    /// Opens another connection of the same client.
    func connect() {
        let (ours, theirs) = Connection.pair(on: core)
        client = WireClient()
        client.connection = theirs
        // It reads, whatever it hasn't been able to write.
        theirs.outputMark = (high: .max, low: 0)
        if let handler = listener.accept(ours) { ours.start(handler) }
        theirs.start(client)
        turn()
    }

    func turn() { for _ in 0..<4 { core.turn() } }

    /// Lets time pass in small steps, as it does.
    func wait(_ duration: Duration) {
        turn()
        core.advance(by: duration)
        turn()
    }

    func send(_ text: String) {
        client.connection?.write(Array(text.utf8))
        turn()
    }

    func send(_ bytes: [UInt8]) {
        client.connection?.write(bytes)
        turn()
    }

    /// Whether a request that begins now has room.
    var hasRoom: Bool {
        budget.share(BytesInFlight.perRequest, cell: BytesInFlight.cell(of: AddressPrefix(nil))) != nil
    }
}

/// Collects what a server sends.
final class WireClient: ConnectionHandler {
    var connection: Connection?
    private(set) var bytes: [UInt8] = []
    /// Whether the server has closed.
    private(set) var hasEnded = false
    /// Whether nothing is read.
    var isDeaf = false { didSet { isDeaf ? connection?.pauseReading() : connection?.resumeReading() } }

    func received(_ bytes: Span<UInt8>, on connection: Connection) -> Int {
        if isDeaf { return 0 }
        bytes.withUnsafeBufferPointer { self.bytes.append(contentsOf: $0) }
        return bytes.count
    }

    func inputEnded(_ connection: Connection) {
        hasEnded = true
        connection.close()
    }

    func closed(_ connection: Connection, _ reason: ConnectionEnd) { hasEnded = true }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The statuses of the answers of HTTP/1.1.
    var statuses: [Int] { text.matches(of: #/HTTP/1.1 (\d{3}) /#).compactMap { Int($0.output.1) } }

    /// Forgets what has come so far, and returns it.
    func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }
}

/// A server that a test writes.
final class ScriptedServer: RequestServer {
    private let script: (ServerExchange) -> (any ExchangeHandler)?
    let padding: AnswerPadding?
    /// The listener's own refusals.
    private(set) var refusals: [Int] = []

    init(_ script: @escaping (ServerExchange) -> (any ExchangeHandler)?, padding: AnswerPadding?) {
        self.script = script
        self.padding = padding
    }

    func begin(_ exchange: ServerExchange) -> (any ExchangeHandler)? { script(exchange) }

    func refusal(_ status: HTTPResponse.Status) -> ServerAnswer {
        refusals.append(status.code)
        return ServerAnswer(status)
    }
}

/// Answers with the request's target and body when it is complete; of what happens it keeps a record.
class Answering: ExchangeHandler {
    let exchange: ServerExchange
    var received: [UInt8] = []
    private(set) var events: [String] = []

    init(_ exchange: ServerExchange) { self.exchange = exchange }

    func body(_ bytes: Span<UInt8>) { bytes.withUnsafeBufferPointer { received.append(contentsOf: $0) } }

    func end() {
        events.append("end")
        exchange.send(answer)
    }

    var answer: ServerAnswer {
        ServerAnswer(.ok, body: ResponseBody(Array("\(exchange.head.target) ".utf8) + received))
    }

    func overruled(_ status: HTTPResponse.Status) -> ServerAnswer {
        events.append("overruled \(status.code)")
        return ServerAnswer(status)
    }

    func gone() { events.append("gone") }
    func note(_ event: String) { events.append(event) }
}

/// Answers when the test says so.
final class Waiting: Answering {
    override func end() { note("end") }
    func answerNow() { exchange.send(answer) }
}
