import Loop
import Synchronization
import TLS

/// A server that says what it is told, whatever HTTP says about that.
final class ScriptedServer: Sendable {
    /// What is done about a complete request.
    enum Action: Sendable {
        /// Sends bytes, as they are.
        case say([UInt8])
        /// Sends bytes, and the others a little later, when the first have arrived.
        case sayTwice([UInt8], [UInt8])
        /// Sends bytes, then closes.
        case sayAndClose([UInt8])
        /// Closes without a word.
        case close
        /// Says nothing.
        case wait

        static func say(_ text: String) -> Action { .say(Array(text.utf8)) }
    }

    /// One request: the number of its connection, and its number on that.
    struct Request: Hashable, Sendable {
        let connection: Int
        let number: Int
    }

    let port: Int
    private let acceptor: Acceptor
    private let seen: Seen

    private final class Seen: Sendable {
        let requests = Mutex<[Request]>([])
        let connections = Atomic<Int>(0)
    }

    /// - Parameters:
    ///   - early: whether a request is answered as soon as its head is there.
    ///   - respond: what to do about a request with this path.
    init(
        secure: (@Sendable (Int32) -> any SecureTransport)? = nil, early: Bool = false, on cores: [Core],
        _ respond: @escaping @Sendable (Request, _ path: String) -> Action
    ) throws {
        let seen = Seen()
        self.seen = seen
        acceptor = Acceptor(
            ListenOptions(host: "127.0.0.1", port: 0, maxConnections: 4096), on: cores, secure: secure
        ) { _ in
            let number = seen.connections.wrappingAdd(1, ordering: .relaxed).oldValue
            return Handler(number, early) { request, path in
                seen.requests.withLock { $0.append(request) }
                return respond(request, path)
            }
        }
        port = try acceptor.open()
    }

    /// All requests, in the order in which they came.
    var requests: [Request] { seen.requests.withLock { $0 } }
    /// How many connections were accepted.
    var connections: Int { seen.connections.load(ordering: .relaxed) }
    /// How many of them are open.
    var openConnections: Int { acceptor.openConnections }

    func stop() async { await acceptor.stopAccepting() }

    private final class Handler: ConnectionHandler {
        private let number: Int
        private let isEarly: Bool
        private let respond: (Request, String) -> Action
        private var count = 0
        private var hasAnswered = false

        init(_ number: Int, _ isEarly: Bool, _ respond: @escaping (Request, String) -> Action) {
            self.number = number
            self.isEarly = isEarly
            self.respond = respond
        }

        func received(_ bytes: Span<UInt8>, on connection: Connection) -> Int {
            if hasAnswered, isEarly { return 0 }
            let text = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
            guard let end = text.range(of: "\r\n\r\n") else { return 0 }
            let length =
                text.range(of: "content-length: ").flatMap { range in
                    Int(text[range.upperBound...].prefix { $0.isNumber })
                } ?? 0
            let taken = text[..<end.upperBound].utf8.count + length
            guard isEarly || bytes.count >= taken else { return 0 }
            hasAnswered = true
            count += 1
            let path = String(text.split(separator: " ", maxSplits: 2)[1])
            switch respond(Request(connection: number, number: count), path) {
            case .say(let answer): connection.write(answer)
            case .sayTwice(let first, let second):
                connection.write(first)
                connection.core.at(connection.core.now + .milliseconds(20)) { connection.write(second) }
            case .sayAndClose(let answer):
                connection.write(answer)
                connection.close()
            case .close: connection.close()
            case .wait: break
            }
            return min(taken, bytes.count)
        }

        func closed(_ connection: Connection, _ reason: ConnectionEnd) {}
    }
}

extension String {
    fileprivate func range(of other: String) -> Range<Index>? { firstRange(of: other) }
}
