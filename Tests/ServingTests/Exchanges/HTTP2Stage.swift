import Glibc
import HTTP2
import HTTPMessage
import HTTPTypes
import Loop
import Testing

@testable import Serving

extension ExchangeStage {
    /// A connection whose client speaks HTTP/2 through a session of its own.
    func connectHTTP2() throws -> HTTP2Client {
        let (ours, theirs) = Connection.pair(on: core, secure: { ClearTransport($0) })
        let client = try HTTP2Client(theirs)
        if let handler = listener.accept(ours) { ours.start(handler) }
        theirs.start(client)
        turn()
        return client
    }

    /// Opens a connection on which HTTP/2 was agreed, whose client sends what the test writes, and nothing else.
    func connectRaw() -> WireClient {
        let (ours, theirs) = Connection.pair(on: core, secure: { ClearTransport($0) })
        let client = WireClient()
        client.connection = theirs
        theirs.outputMark = (high: .max, low: 0)
        if let handler = listener.accept(ours) { ours.start(handler) }
        theirs.start(client)
        turn()
        return client
    }
}

/// In the place of TLS: nothing but the protocol that it would have negotiated.
final class ClearTransport: SecureTransport {
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
        let count = send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        return count >= 0 ? .done(count) : errno == EAGAIN ? .wantsWrite : .broken(errno)
    }

    func shutDown() -> SecureOutcome { .done(0) }
}

/// A client of HTTP/2 that keeps what the server answers.
final class HTTP2Client: ConnectionHandler, HTTP2SessionDelegate {
    let session: HTTP2Session
    private let connection: Connection
    private(set) var statuses: [Int32: Int] = [:]
    private(set) var bodies: [Int32: [UInt8]] = [:]
    /// Streams that have ended, and how.
    private(set) var ends: [Int32: HTTP2Code] = [:]
    private(set) var goAways: [(lastStream: Int32, code: HTTP2Code)] = []
    private(set) var hasEnded = false
    /// How many bytes came in each piece that arrived at once.
    private(set) var pieces: [Int] = []
    /// Whether the bodies of answers count as received, so that the server may send more.
    var givesCredit = true

    init(_ connection: Connection) throws {
        self.connection = connection
        connection.outputMark = (high: .max, low: 0)
        session = try HTTP2Session(.client, limits: .client)
        session.delegate = self
    }

    /// Sends a request.
    ///
    /// - Parameter body: nil for none.
    func request(_ method: HTTPRequest.Method = .get, _ path: String = "/a", body: HTTP2Body? = nil) -> Int32 {
        let stream =
            (try? session.submitRequest(method, authority: "a", target: path, fields: FieldLines(), body: body))
            .flatMap(\.self)
        flush()
        return stream ?? 0
    }

    func flush() {
        var output: [UInt8] = []
        session.drain(into: &output)
        if !output.isEmpty { connection.write(output) }
    }

    func write(_ bytes: [UInt8]) { connection.write(bytes) }
    func close() { connection.close() }

    func opened(_ connection: Connection) { flush() }

    func received(_ bytes: Span<UInt8>, on connection: Connection) -> Int {
        pieces.append(bytes.count)
        try? session.receive(bytes)
        flush()
        return bytes.count
    }

    func inputEnded(_ connection: Connection) {
        hasEnded = true
        connection.close()
    }

    func closed(_ connection: Connection, _ reason: ConnectionEnd) { hasEnded = true }

    // MARK: The session's events

    func response(_ stream: Int32, _ head: ResponseHead, ends: Bool) { statuses[stream] = head.status.code }

    func body(_ stream: Int32, _ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { bodies[stream, default: []].append(contentsOf: $0) }
        if givesCredit { session.release(stream, bytes.count) } else { session.stopCredit(stream) }
    }

    func end(_ stream: Int32) {}
    func closed(_ stream: Int32, _ code: HTTP2Code) { ends[stream] = code }
    func goAway(lastStream: Int32, _ code: HTTP2Code, data: [UInt8]) { goAways.append((lastStream, code)) }
}

/// A body that never ends by itself.
final class OpenBody: HTTP2BodySource {
    private var waiting: [UInt8]
    var isComplete = false

    init(_ bytes: [UInt8] = []) { waiting = bytes }

    func append(_ bytes: [UInt8]) { waiting += bytes }

    func next(atMost limit: Int) -> HTTP2BodyPiece {
        let piece = Array(waiting.prefix(limit))
        waiting.removeFirst(piece.count)
        if piece.isEmpty { return isComplete ? .bytes([], isLast: true) : .later }
        return .bytes(piece, isLast: isComplete && waiting.isEmpty)
    }
}
