import Loop
import OutsideCalls
import Synchronization
import TLS

/// A server that answers the first request of each connection with bytes, then does nothing, or closes.
final class RawServer: Sendable {
    let port: Int
    private let acceptor: Acceptor
    private let seen = Seen()

    private final class Seen: Sendable {
        let requests = Mutex<[String]>([])
        let connections = Atomic(0)
    }

    static let good = "HTTP/1.1 200 OK\r\nX-Own: value \r\nContent-Length: 2\r\n\r\nok"

    init(
        host: String = "127.0.0.1", port: Int = 0, secure: TLSContext? = nil, closes: Bool = false,
        _ answer: String = RawServer.good
    ) throws {
        var accept: (@Sendable (Int32) -> any SecureTransport)?
        if let secure { accept = { secure.accept($0) } }
        let options = ListenOptions(host: host, port: port, maxConnections: 100)
        acceptor = Acceptor(options, on: Cores(count: 1).all, secure: accept) { [seen] _ in
            seen.connections.add(1, ordering: .relaxed)
            return Handler(answer, closes, seen)
        }
        self.port = try acceptor.open()
    }

    var requests: [String] { seen.requests.withLock { $0 } }
    var connections: Int { seen.connections.load(ordering: .relaxed) }

    private final class Handler: ConnectionHandler {
        private let answer: String
        private let closes: Bool
        private let seen: Seen

        init(_ answer: String, _ closes: Bool, _ seen: Seen) {
            self.answer = answer
            self.closes = closes
            self.seen = seen
        }

        func received(_ bytes: Span<UInt8>, on connection: Connection) -> Int {
            let text = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
            guard text.contains("\r\n\r\n"), !text.contains("ength: 4") || text.hasSuffix("body") else { return 0 }
            seen.requests.withLock { $0.append(text) }
            connection.write(Array(answer.utf8))
            if closes { connection.close() }
            return bytes.count
        }

        func closed(_ connection: Connection, _ reason: ConnectionEnd) {}
    }
}

/// Why a call fails; nil if it doesn't.
func problem(
    _ calls: OutsideCalls, _ url: String, within time: Duration = .seconds(20), limit: Int = 100
) async -> OutsideProblem? {
    do throws(OutsideProblem) {
        _ = try await calls.send(OutsideRequest(url), within: time, limit: limit)
        return nil
    } catch {
        return error
    }
}
