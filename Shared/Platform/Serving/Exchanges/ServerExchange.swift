package import HTTPMessage
import HTTPTypes
package import Loop

/// One request and its answer, over either version of HTTP. It lives on its connection's core.
///
/// This is the only state machine of a request: a connection tells it what arrives, its handler what to answer, and it decides
/// what that means in the state it is in.
package final class ServerExchange {
    enum State {
        /// The body is arriving.
        case receiving
        /// The refusal is known; this many bytes of the rest of the request are still read and discarded.
        case refusing(ServerAnswer, left: Int)
        /// The request is complete, and the handler works.
        case handling
        /// An answer of unknown length is being written.
        case streaming
        /// It is answered, or the caller is gone.
        case ended
    }

    /// How many bytes of a refused request are read and discarded, so that a client which writes without reading gets to see
    /// its answer.
    package static let maxDiscardedBytes = 256 << 10

    /// The request without its body.
    package let head: RequestHead
    /// The core on which everything here happens.
    package let core: Core
    /// The caller according to its certificate.
    package let caller: Caller
    /// The caller's address, for limits. It must not reach a log, metric, error or inner request.
    package let remoteAddress: SocketAddress?
    /// The caller's network.
    package let prefix: AddressPrefix
    /// When the header was parsed.
    package let start: Moment
    /// When the last byte of the request arrived, or when its turn came if that was later. The time before decryption, so that
    /// it doesn't include work that depends on the request.
    package private(set) var arrival: Moment
    /// The stream on HTTP/2; 0 on HTTP/1.1.
    let stream: Int32
    /// When this exchange is late in its state.
    private(set) var deadline: Moment
    /// Whether the body may be passed on; otherwise it stays with the client.
    private var isBodyWanted = true
    /// Whether the connection can't be used for another request; set it if this one leaves doubts about its client.
    package var mustClose = false
    /// Whether the answer is a refusal, of which a client may leave only some unread.
    private(set) var isRefused = false
    private(set) var state = State.receiving
    private var handler: (any ExchangeHandler)?
    private var memory: BytesInFlight.Share?
    /// Nil once the exchange has ended.
    private(set) var connection: ServerConnection?

    init(_ head: RequestHead, stream: Int32 = 0, on connection: ServerConnection) {
        self.head = head
        self.stream = stream
        self.connection = connection
        core = connection.core
        caller = connection.caller
        remoteAddress = connection.remoteAddress
        prefix = connection.prefix
        start = connection.core.now
        arrival = start
        deadline = start + connection.limits.body
    }

    // MARK: For handlers

    /// Whether the exchange still needs an answer.
    package var isOpen: Bool { if case .ended = state { false } else { connection != nil } }

    /// Leaves the body with the client until ``resumeBody()``.
    package func pauseBody() { isBodyWanted = false }

    /// Takes the body now.
    package func resumeBody() {
        guard !isBodyWanted else { return }
        isBodyWanted = true
        guard case .receiving = state, let connection else { return }
        inviteBody()
        connection.wire?.bodyWanted(by: self)
    }

    /// Takes what the request occupies of the memory of all, for a handler that works on after its caller has gone.
    package func takeMemory() -> BytesInFlight.Share? { memory.take() }

    /// Refuses the request, and discards the rest of its body first, because a client that writes without reading would not
    /// see the answer.
    ///
    /// - Parameter limit: how many bytes are read at most. If there are more, the answer is sent and the connection ends; with
    ///   0, that happens at once.
    package func refuse(_ answer: ServerAnswer, reading limit: Int = ServerExchange.maxDiscardedBytes) {
        guard case .receiving = state else { return }
        handler = nil
        isRefused = true
        isBodyWanted = true
        state = .refusing(answer, left: limit)
        // RFC 9110, section 10.1.1: the client sends the body when it is told to, and otherwise perhaps never.
        guard head.hasBody, head.expectsContinue || limit == 0 else { return }
        endEarly(answer)
    }

    /// Encodes an answer, so that sending it later costs the same whatever it says. ``send(_:)-(EncodedAnswer)`` should follow.
    ///
    /// Over HTTP/2 a padded answer can be encoded only once: ``Limits/handler`` has to end after it is sent.
    ///
    /// - Returns: nil if the answer is longer than its padding allows, or if there is nobody to be answered.
    package func encode(_ answer: ServerAnswer) -> EncodedAnswer? {
        if case .receiving = state, head.hasBody { mustClose = true }
        let isLong = answer.body.bytes.count > Self.shortAnswer && !answer.body.isShared
        if isLong { memory?.finish() }
        if isLong, memory?.grow(by: answer.body.bytes.count) != true {
            guard let connection else { return nil }
            return connection.wire?.encode(connection.listener.server.refusal(.serviceUnavailable), for: self)
        }
        var encoded = connection?.wire?.encode(answer, for: self)
        if isLong, let share = memory.take() { encoded?.memory = AnswerMemory(share) }
        return encoded
    }

    /// A longer answer counts as memory until it has left.
    private static let shortAnswer = 16 << 10

    /// Sends an encoded answer, as one TLS record if it is short.
    package func send(_ encoded: EncodedAnswer) {
        guard isOpen, let connection else { return }
        let wasReceiving = isReceiving
        finish()
        connection.wire?.send(encoded, for: self, isComplete: !wasReceiving)
    }

    /// Sends an answer. Too long for its padding, it hangs up.
    package func send(_ answer: ServerAnswer) {
        if let encoded = encode(answer) { send(encoded) } else { hangUp() }
    }

    /// Ends the exchange without an answer: the connection is closed, or the stream reset.
    package func hangUp() {
        guard isOpen, let connection else { return }
        finish()
        connection.wire?.hangUp(self)
    }

    /// Whether the body is still arriving.
    package var isIncomplete: Bool { if case .receiving = state { true } else { false } }

    // MARK: For connections

    /// Asks the server what to do with the request.
    func begin() {
        guard let connection else { return }
        let listener = connection.listener
        let bytes = stream == 0 ? BytesInFlight.perRequest : BytesInFlight.perRequest + BytesInFlight.perStream
        memory = listener.budget.share(bytes, cell: connection.cell)
        // The connection goes on: a client that has to connect anew would cost more.
        guard memory != nil else { return refuse(listener.server.shortOfMemory(self)) }
        let begun = listener.server.begin(self)
        guard case .receiving = state else { return }
        guard let begun else { return refuse(listener.server.refusal(.internalServerError)) }
        handler = begun
        connection.admitted()
        if isBodyWanted { inviteBody() }
    }

    private func inviteBody() {
        if head.expectsContinue, head.hasBody { connection?.wire?.inviteBody(of: self) }
    }

    /// Whether the connection may pass on a piece of the body.
    var takesBody: Bool {
        switch state {
        case .receiving: isBodyWanted
        case .refusing, .ended: true
        case .handling, .streaming: false
        }
    }

    private var isReceiving: Bool {
        switch state {
        case .receiving, .refusing: true
        case .handling, .streaming, .ended: false
        }
    }

    /// - Parameter hasRoom: whether the connection may hold as much.
    func take(_ bytes: Span<UInt8>, hasRoom: Bool = true) {
        switch state {
        case .receiving:
            guard hasRoom, memory?.grow(by: bytes.count) == true else {
                return overrule(.serviceUnavailable, reading: Self.maxDiscardedBytes)
            }
            handler?.body(bytes)
        case .refusing(let answer, let left):
            state = .refusing(answer, left: left - bytes.count)
            if left < bytes.count { endEarly(answer) }
        case .handling, .streaming, .ended:
            break
        }
    }

    /// The request is complete.
    func end(arrivedAt moment: Moment) {
        switch state {
        case .receiving:
            guard let connection else { return }
            arrival = moment
            deadline = connection.core.now + connection.limits.handler
            state = .handling
            handler?.end()
            // Mostly it is answered by now, and has given back all its memory.
            memory?.finish()
        case .refusing(let answer, _):
            state = .handling
            send(answer)
        case .handling, .streaming, .ended:
            break
        }
    }

    /// The deadline of the state has passed.
    func expire() {
        switch state {
        case .receiving: overrule(.requestTimeout)
        case .refusing(let answer, _): endEarly(answer)
        case .handling: overrule(.serviceUnavailable)
        case .streaming, .ended: hangUp()
        }
    }

    /// The body breaks the rules of HTTP.
    func violated(_ status: HTTPResponse.Status) {
        if case .refusing(let answer, _) = state { endEarly(answer) } else { overrule(status) }
    }

    /// The caller is gone, or has reset the stream.
    func lost() {
        guard isOpen else { return }
        let handler = handler
        finish()
        handler?.gone()
    }

    /// Takes the request from its handler, and answers at once, or after the rest of the body.
    private func overrule(_ status: HTTPResponse.Status, reading limit: Int = 0) {
        guard let answer = handler?.overruled(status) else { return hangUp() }
        handler = nil
        if limit > 0 {
            refuse(answer, reading: limit)
        } else {
            endEarly(answer)
        }
    }

    /// Answers although the request isn't complete, or isn't to be answered by its handler any more.
    private func endEarly(_ answer: ServerAnswer) {
        mustClose = true
        send(answer)
    }

    /// An answer is being written piece by piece, within a time.
    func streams(until end: Moment) {
        state = .streaming
        deadline = end
    }

    /// From now on the exchange is over.
    func finish() {
        state = .ended
        handler = nil
        memory = nil
        connection = nil
    }
}

extension RequestHead {
    /// Whether bytes follow it. Of HTTP/2, a request without announced length may have some.
    package var hasBody: Bool {
        switch framing {
        case .none, .length(0): false
        case .length, .chunked, .untilEnd: true
        }
    }
}
