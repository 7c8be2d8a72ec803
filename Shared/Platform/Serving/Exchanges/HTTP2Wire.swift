import HTTP2
import HTTPMessage
import HTTPTypes
import Loop
import Running

/// HTTP/2 on a connection: each stream is one exchange.
final class HTTP2Wire: Wire {
    /// A stream whose exchange is over, while its answer leaves or the rest of its request arrives.
    struct Leaving {
        var deadline: Moment
        /// How many bytes of the request are still discarded.
        var left = HTTP2Wire.maxDiscardedBytes
        /// Of a long answer.
        var memory: AnswerMemory?
        /// Whether all that is left to send is the stream's reset.
        var isReset = false
    }

    /// What a handler doesn't want yet; the client's window bounds it.
    struct Paused {
        var bytes: [UInt8] = []
        var hasEnded = false
    }

    private static let maxDiscardedBytes = 64 << 10
    /// The rest of a request whose answer has been sent gets this time.
    static let discarding = Duration.seconds(1)
    /// How long a client gets to close as well, and to notice that no more streams are accepted.
    static let closing = Duration.seconds(2)
    static let noticing = Duration.seconds(10)

    unowned let owner: ServerConnection
    let connection: Connection
    let session: HTTP2Session
    var exchanges: [Int32: ServerExchange] = [:]
    var leaving: [Int32: Leaving] = [:]
    var paused: [Int32: Paused] = [:]
    /// Streams whose answer is encoded and will be sent later; for the session they have ended.
    var encoded: Set<Int32> = []
    /// Streams that the session knows.
    var streams = 0
    /// No stream is late before.
    var earliest = Moment.distantFuture
    /// When the connection ends unless a stream is opened.
    var idleEnd: Moment
    /// When no more streams are accepted, even if the client hasn't acknowledged the first notice.
    var noticeEnd = Moment.distantFuture
    var isDraining = false
    var hasInputEnded = false
    var isClosing = false
    private var isReceiving = false
    private var isPumpDue = false
    /// Refusals since everything was sent.
    private var refusals = 0
    /// An answer didn't fit into its client's window: the connection ends when the others have left.
    private var isCut = false

    init?(_ owner: ServerConnection) {
        self.owner = owner
        connection = owner.connection
        idleEnd = owner.headerEnd()
        var limits = HTTP2Limits()
        limits.streams = owner.limits.streams
        limits.headBytes = min(owner.limits.headerBytes, 16 << 10)
        limits.heldBytes = owner.limits.streamBodyBytes
        limits.usesTables = owner.listener.framePadding == nil
        guard let session = try? HTTP2Session(.server, limits: limits) else { return nil }
        self.session = session
        session.delegate = self
        pump()
        // A record of its own, whether or not the client's first frames came with the end of its handshake.
        connection.flush()
    }

    // MARK: Bytes

    func receive(_ bytes: Span<UInt8>) -> Int {
        guard !isClosing, !isCut else { return bytes.count }
        if connection.unsentBytes == 0 { refusals = 0 }
        isReceiving = true
        let failed: Bool
        do throws(HTTP2Failure) {
            try session.receive(bytes)
            failed = false
        } catch {
            failed = true
        }
        isReceiving = false
        pump()
        if failed { close() }
        return bytes.count
    }

    /// The client can't acknowledge anything more, so what is complete is answered, and the rest given up.
    func inputEnded() {
        hasInputEnded = true
        for exchange in exchanges.values where exchange.takesBody { exchange.hangUp() }
        pumpSoon()
    }

    func canWrite() { pump() }

    /// Passes on what the session has to send, at most once a turn.
    func pumpSoon() {
        guard !isReceiving, !isPumpDue else { return }
        isPumpDue = true
        owner.core.afterTurn { [self, owner] in
            isPumpDue = false
            pump()
            owner.schedule()
        }
    }

    private func pump() {
        guard !isClosing, !isReceiving, !isCut else { return }
        passOn()
        closeIfDone()
    }

    private func passOn() {
        while session.wantsWrite, connection.unsentBytes < connection.outputMark.high {
            var output = owner.listener.takeScratch()
            session.drain(into: &output, atMost: 16 << 10)
            let isEmpty = output.isEmpty
            if !isEmpty { connection.write(output.span) }
            owner.listener.giveBack(scratch: output)
            if isEmpty { break }
        }
    }

    private func closeIfDone() {
        if isClosing || !encoded.isEmpty { return }
        if isCut || session.isFinished || (hasInputEnded && exchanges.isEmpty && !session.wantsWrite) { close() }
    }

    func close() {
        guard !isClosing else { return }
        isClosing = true
        idleEnd = owner.core.now + Self.closing
        for exchange in exchanges.values { exchange.lost() }
        exchanges = [:]
        connection.close()
    }

    // MARK: Answers

    func bodyWanted(by exchange: ServerExchange) {
        guard let rest = paused.removeValue(forKey: exchange.stream) else { return }
        exchange.take(rest.bytes.span)
        if rest.hasEnded { end(exchange.stream) }
        pumpSoon()
    }

    func inviteBody(of exchange: ServerExchange) {
        session.submitInterim(exchange.stream, status: .continue)
        pumpSoon()
    }

    func encode(_ answer: ServerAnswer, for exchange: ServerExchange) -> EncodedAnswer? {
        if exchange.isRefused, !countRefusal(answer) { return nil }
        return encode(answer, exchange.stream)
    }

    func encode(_ answer: ServerAnswer, _ stream: Int32) -> EncodedAnswer? {
        guard let padding = owner.listener.framePadding else {
            return EncodedAnswer(status: answer.status, bytes: [], body: [], closes: false, unframed: answer)
        }
        encoded.insert(stream)
        let bytes = session.encodeResponse(
            stream, status: answer.status, fields: fields(of: answer), body: Array(answer.body.bytes), padding: padding)
        guard let bytes else {
            encoded.remove(stream)
            // The session may have failed.
            pumpSoon()
            return nil
        }
        // What the client's window doesn't take would leave at another time, so the connection ends instead.
        let isCut = bytes.count < padding.length
        if isCut { self.isCut = true }
        return EncodedAnswer(
            status: answer.status, bytes: isCut ? [] : bytes, body: [], closes: isCut, unframed: nil)
    }

    private func fields(of answer: ServerAnswer) -> FieldLines {
        var fields = answer.fields
        fields.append(.date, owner.listener.date.text)
        // RFC 9110, section 8.6: of a 304 it would be the length of another answer.
        if answer.status != .notModified { fields.append(.contentLength, String(answer.body.bytes.count)) }
        return fields
    }

    func send(_ encoded: EncodedAnswer, for exchange: ServerExchange, isComplete: Bool) {
        exchanges[exchange.stream] = nil
        paused[exchange.stream] = nil
        send(encoded, exchange.stream)
    }

    func send(_ answer: EncodedAnswer, _ stream: Int32) {
        if let unframed = answer.unframed {
            let deadline = owner.answerEnd(of: unframed.body.bytes.count)
            leaving[stream] = Leaving(deadline: deadline, memory: answer.memory)
            earliest = min(earliest, deadline)
            session.submitResponse(
                stream, status: unframed.status, fields: fields(of: unframed), body: .bytes(Array(unframed.body.bytes)))
            pumpSoon()
        } else {
            encoded.remove(stream)
            // A record of its own, with nothing else in it, behind what the session had to say before: at once, as well as
            // later, the acknowledgement of the client's settings comes first.
            if !answer.closes {
                passOn()
                connection.flush()
                connection.write(answer.bytes)
                connection.flush()
            }
            wait()
            closeIfDone()
        }
    }

    func hangUp(_ exchange: ServerExchange) {
        exchanges[exchange.stream] = nil
        paused[exchange.stream] = nil
        encoded.remove(exchange.stream)
        reset(exchange.stream, .internalError)
        pumpSoon()
    }

    /// Counts a refusal that the caller may leave unread.
    ///
    /// - Returns: whether the connection goes on.
    func countRefusal(_ answer: ServerAnswer) -> Bool {
        guard answer.isCallersFault else { return true }
        refusals += 1
        guard refusals > owner.limits.unreadRefusals else { return true }
        session.goAway(.enhanceYourCalm)
        owner.core.afterTurn { [self, owner] in
            pump()
            close()
            owner.schedule()
        }
        return false
    }

    func beginStream(_ answer: ServerAnswer, for exchange: ServerExchange) -> Bool { false }
    func write(_ bytes: [UInt8], for exchange: ServerExchange, resume: @escaping () -> Void) -> Bool { false }
    func endStream(_ exchange: ServerExchange) {}
}
