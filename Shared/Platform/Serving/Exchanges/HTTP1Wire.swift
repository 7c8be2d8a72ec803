import HTTP1
import HTTPMessage
import HTTPTypes
import Loop
import Running

/// HTTP/1.1 on a connection: requests are parsed one at a time, and each is answered before the next.
///
/// What a client sends ahead stays in the connection's buffer as it came. While it doesn't read its answers, nothing more is
/// parsed.
final class HTTP1Wire: Wire {
    private unowned let owner: ServerConnection
    private let connection: Connection
    private var parser: RequestParser
    private var current: ServerExchange?
    /// Whether the connection may serve another request behind the current one.
    private var keepsAlive = true
    /// The listener is shutting down: the next answer is the last.
    private var isLast = false
    private var hasInputEnded = false
    /// Whatever arrives is discarded.
    private var isClosing = false
    private var isReceiving = false
    /// Whether bytes that have arrived wait in the connection's buffer.
    private var hasRest = false
    /// When the bytes that waited were taken up again.
    private var resumption: Moment
    /// Refused requests since everything that had arrived was last parsed.
    private var refusals = 0
    /// How much is read at once, but for long bodies.
    private let inputPiece: Int
    private static let longestPiece = 64 << 10
    /// When the next header must be complete.
    private var headerEnd: Moment
    /// When the last answer must have been received.
    private var answerEnd: Moment
    private var resumeStream: (() -> Void)?
    /// Of the last long answer, until the client has received nearly all of it.
    private var answerMemory: AnswerMemory?

    init(_ owner: ServerConnection) {
        self.owner = owner
        connection = owner.connection
        parser = RequestParser(headBytes: owner.limits.headerBytes)
        headerEnd = owner.headerEnd()
        answerEnd = headerEnd
        resumption = owner.core.now
        inputPiece = max(owner.limits.headerBytes, 16 << 10)
        connection.inputLimit = inputPiece
        connection.outputMark = (high: owner.limits.unreadBytes, low: owner.limits.unreadBytes / 2)
    }

    // MARK: Bytes arrive

    func receive(_ bytes: Span<UInt8>) -> Int {
        isReceiving = true
        defer { isReceiving = false }
        var position = 0
        while canTake {
            do throws(Violation) {
                guard let part = try parser.next(bytes, &position) else {
                    // Everything that has arrived is processed.
                    refusals = 0
                    hasRest = false
                    return isClosing ? bytes.count : position
                }
                take(part, bytes)
            } catch {
                violated(HTTPResponse.Status(code: error.status))
                return bytes.count
            }
        }
        hasRest = position < bytes.count
        return isClosing ? bytes.count : position
    }

    /// Whether the next part may be processed.
    private var canTake: Bool {
        if isClosing { return false }
        if let current { return current.takesBody }
        return connection.unsentBytes <= owner.limits.unreadBytes
    }

    private func take(_ part: RequestParser.Part, _ bytes: Span<UInt8>) {
        switch part {
        case .head(let head):
            keepsAlive = head.keepsAlive && !isLast
            if case .length(let length) = head.framing, length > inputPiece {
                connection.inputLimit = min(length, Self.longestPiece)
            }
            let exchange = ServerExchange(head, on: owner)
            current = exchange
            exchange.begin()
        case .body(let range):
            current?.take(bytes.extracting(range))
        case .end:
            connection.inputLimit = inputPiece
            current?.end(arrivedAt: max(connection.arrived, resumption))
        }
    }

    /// Where the next request begins is in doubt.
    private func violated(_ status: HTTPResponse.Status) {
        keepsAlive = false
        if let current { return current.violated(status) }
        let answer = owner.listener.server.refusal(status)
        if let encoded = encoding.encode(answer, keepsAlive: false, isHead: false) { write(encoded) }
        close(answerLength: 0)
    }

    func inputEnded() {
        hasInputEnded = true
        // Requests that are complete are answered, although the client has closed its side.
        guard let current else {
            if !hasRest { close(answerLength: 0) }
            return
        }
        if current.takesBody {
            current.lost()
            self.current = nil
            connection.close()
        }
    }

    func canWrite() {
        answerMemory = nil
        let resume = resumeStream
        resumeStream = nil
        resume?()
        if hasRest { resumeReading() }
    }

    private func resumeReading() {
        resumption = owner.core.now
        connection.resumeReading()
    }

    // MARK: Answers

    func bodyWanted(by exchange: ServerExchange) {
        if !isReceiving { resumeReading() }
    }

    func inviteBody(of exchange: ServerExchange) {
        connection.write(Self.invitation)
    }

    private static let invitation = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    private var encoding: HTTP1Encoding { owner.listener.encoding }

    func encode(_ answer: ServerAnswer, for exchange: ServerExchange) -> EncodedAnswer? {
        if exchange.isRefused, answer.isCallersFault {
            refusals += 1
            if refusals >= owner.limits.unreadRefusals { keepsAlive = false }
        }
        return encoding.encode(
            answer, version: exchange.head.version, keepsAlive: keepsAlive && !exchange.mustClose && !isLast,
            isHead: exchange.head.method == .head)
    }

    func send(_ encoded: EncodedAnswer, for exchange: ServerExchange, isComplete: Bool) {
        guard current === exchange else { return }
        write(encoded)
        ended(closes: encoded.closes || !isComplete, answerLength: encoded.body.count)
    }

    private func write(_ encoded: EncodedAnswer) {
        answerMemory = encoded.memory
        // Answers of one length are also records of one length: nothing else is in them.
        let isPadded = encoding.padding != nil
        if isPadded { connection.flush() }
        connection.write(encoded.bytes)
        if !encoded.body.isEmpty { connection.write(encoded.body) }
        if isPadded { connection.flush() }
    }

    /// The current exchange is over.
    private func ended(closes: Bool, answerLength: Int) {
        current = nil
        resumeStream = nil
        answerEnd = owner.answerEnd(of: answerLength)
        if closes || (hasInputEnded && !hasRest) { return close(answerLength: answerLength) }
        headerEnd = isLast ? owner.core.now + Self.lastRequest : owner.headerEnd()
        if !isReceiving {
            if hasRest || hasInputEnded { resumeReading() }
            owner.schedule()
        }
    }

    func hangUp(_ exchange: ServerExchange) {
        guard current === exchange else { return }
        current = nil
        isClosing = true
        connection.abort()
    }

    /// Closes the connection behind what is written.
    private func close(answerLength: Int) {
        guard !isClosing else { return }
        isClosing = true
        answerEnd = owner.answerEnd(of: answerLength)
        connection.close()
        if !isReceiving { owner.schedule() }
    }

    // MARK: Answers of unknown length

    func beginStream(_ answer: ServerAnswer, for exchange: ServerExchange) -> Bool {
        guard current === exchange else { return false }
        let isChunked = exchange.head.version != .http1_0
        let keepsAlive = keepsAlive && !isLast && isChunked
        self.keepsAlive = keepsAlive
        let bytes = encoding.head(
            answer, version: exchange.head.version, framing: isChunked ? .chunked : .untilEnd, keepsAlive: keepsAlive)
        connection.write(bytes)
        return true
    }

    func write(_ bytes: [UInt8], for exchange: ServerExchange, resume: @escaping () -> Void) -> Bool {
        var coded: [UInt8] = []
        if exchange.head.version == .http1_0 {
            coded = bytes
        } else {
            ChunkEncoder.encode(bytes.span, into: &coded)
        }
        connection.write(coded)
        guard connection.unsentBytes > connection.outputMark.high else { return true }
        resumeStream = resume
        return false
    }

    func endStream(_ exchange: ServerExchange) {
        guard current === exchange else { return }
        if exchange.head.version != .http1_0 {
            var bytes: [UInt8] = []
            ChunkEncoder.end(into: &bytes)
            connection.write(bytes)
        }
        ended(closes: !keepsAlive, answerLength: connection.unsentBytes)
    }

    // MARK: Deadlines and the end

    /// While the listener shuts down, a request may be on its way: one more is accepted.
    private static let lastRequest = Duration.milliseconds(500)

    var nextDeadline: Moment? {
        if isClosing { return answerEnd }
        return current?.deadline ?? headerEnd
    }

    func expire(_ now: Moment) {
        if isClosing {
            if answerEnd <= now { connection.abort() }
        } else if let current {
            if current.deadline <= now { current.expire() }
        } else if headerEnd <= now {
            if connection.unsentBytes > 0, answerEnd > now, owner.end > now, !isLast {
                // It still receives its answer; the time until the next request begins afterwards.
                headerEnd = min(owner.headerEnd(), answerEnd)
            } else if connection.unsentBytes > 0, !isLast {
                connection.abort()
            } else {
                close(answerLength: 0)
            }
        }
    }

    func drain() {
        guard !isLast else { return }
        isLast = true
        if current == nil, !isClosing { headerEnd = min(headerEnd, owner.core.now + Self.lastRequest) }
    }

    func closed() {
        isClosing = true
        let resume = resumeStream
        resumeStream = nil
        current?.lost()
        current = nil
        resume?()
    }
}
