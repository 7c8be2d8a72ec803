import Loop
import Synchronization

/// A relay in front of the metadata proxy that measures what passes, as somebody does who watches a phone's network.
///
/// It sees TLS records and their lengths. Those of the handshake, which every connection begins with, don't count.
final class Wiretap: Sendable {
    /// The lengths of encrypted records that passed, in bytes.
    struct Lengths: Sendable, Equatable {
        var sent = 0
        var received = 0
    }

    /// The port that it listens on, on this machine.
    let port: Int
    private let acceptor: Acceptor
    private let meter = Meter()

    /// Relays connections to a port of this machine.
    init(to port: Int) throws(SocketProblem) {
        let (meter, core) = (meter, Cores.shared.next())
        let options = ListenOptions(host: "127.0.0.1", port: 0, maxConnections: 16, backlog: 16)
        acceptor = Acceptor(options, on: [core]) { caller in
            let line = Line(meter)
            let (sent, received) = (Passage(line, isSent: true), Passage(line, isSent: false))
            received.other = caller
            sent.other = Connection.open(
                to: "127.0.0.1", port: port, on: core, within: .seconds(10), handler: received)
            return sent
        }
        self.port = try acceptor.open()
    }

    /// What has passed since the last call.
    func take() -> Lengths { meter.take() }

    /// Stops listening.
    func close() async { await acceptor.stopAccepting() }

    // MARK: Counting

    private final class Meter: Sendable {
        private let lengths = Mutex(Lengths())

        func add(_ length: Int, isSent: Bool) {
            lengths.withLock { if isSent { $0.sent += length } else { $0.received += length } }
        }

        func take() -> Lengths {
            lengths.withLock { lengths in
                defer { lengths = Lengths() }
                return lengths
            }
        }
    }

    /// One connection's records in both directions (RFC 8446, section 5.1). The caller's first encrypted one ends the handshake.
    private final class Line {
        private let meter: Meter
        private var isOpen = false

        init(_ meter: Meter) { self.meter = meter }

        func saw(_ type: UInt8, length: Int, isSent: Bool) {
            guard type == Self.encrypted else { return }
            if isOpen {
                meter.add(length, isSent: isSent)
            } else if isSent {
                isOpen = true
            }
        }

        private static let encrypted: UInt8 = 23
    }

    /// Passes on the bytes of one direction, and finds the records in them.
    private final class Passage: ConnectionHandler {
        /// Where the bytes go, on the same core; nil once either connection is gone.
        var other: Connection?
        private let line: Line
        private let isSent: Bool
        /// The beginning of a record's header, and the bytes of a record that haven't come yet.
        private var header: [UInt8] = []
        private var missing = 0

        init(_ line: Line, isSent: Bool) {
            self.line = line
            self.isSent = isSent
        }

        func received(_ bytes: Span<UInt8>, on connection: Connection) -> Int {
            // Counted before it is passed on: whoever has an answer finds it counted.
            count(bytes)
            other?.write(bytes)
            if let other, other.unsentBytes > other.outputMark.high { connection.pauseReading() }
            return bytes.count
        }

        func canWrite(_ connection: Connection) { other?.resumeReading() }

        func closed(_ connection: Connection, _ reason: ConnectionEnd) {
            other?.close()
            other = nil
        }

        private func count(_ bytes: Span<UInt8>) {
            var place = 0
            while place < bytes.count {
                if missing > 0 {
                    let part = min(missing, bytes.count - place)
                    missing -= part
                    place += part
                    continue
                }
                header.append(bytes[place])
                place += 1
                guard header.count == Self.headerSize else { continue }
                missing = Int(header[3]) << 8 | Int(header[4])
                line.saw(header[0], length: missing, isSent: isSent)
                header.removeAll(keepingCapacity: true)
            }
        }

        private static let headerSize = 5
    }
}
