import DequeModule
import NIOCore
import NIOHTTP1

/// A connection of HTTP/1.1: requests arrive one at a time, and each is answered before the next is parsed.
///
/// At most two answers wait for a caller who doesn't read them; until it does, nothing more is parsed.
final class HTTP1Connection: ChannelInboundHandler, AnswerOutlet {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    private enum State {
        /// No request, or one whose header isn't complete.
        case idle
        /// ``request`` is being received.
        case receiving
        /// The refusal is known; this many bytes of the rest of the request are still read.
        case refusing(Answer, left: Int)
        case answering(PendingAnswer)
        /// Whatever arrives is discarded.
        case closing
    }

    private let shared: ProxyLoop
    private let prefix: AddressPrefix
    private let timeouts: ConnectionTimeouts
    private let clock: ArrivalClock
    private let valve: RequestValve
    private var context: ChannelHandlerContext?
    private var state = State.idle
    private var request: AppRequest?
    /// Parts of the next requests (pipelining) that arrived in one piece with a request, while that is being answered.
    private var waiting: Deque<HTTPServerRequestPart> = []
    /// When the parts that waited were parsed.
    private var resumption = NIODeadline.uptimeNanoseconds(0)
    /// The memory of a refused request that isn't complete.
    private var memory: BytesInFlight.Share?
    /// Refused requests since everything that had arrived was last parsed.
    private var refusals = 0
    private var isResuming = false
    private var keepsAlive = true
    private var isDraining: Bool

    /// - Parameters:
    ///   - clock: at the outer end of the connection.
    ///   - valve: before the parser.
    ///   - isDraining: whether the listener is shutting down, so that there is at most one answer.
    init(
        _ shared: ProxyLoop, from prefix: AddressPrefix, clock: ArrivalClock, valve: RequestValve,
        timeouts: ConnectionTimeouts, isDraining: Bool
    ) {
        self.shared = shared
        self.prefix = prefix
        self.timeouts = timeouts
        self.clock = clock
        self.valve = valve
        self.isDraining = isDraining
        valve.room = { [weak self] in self?.room ?? 0 }
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    // MARK: Bytes arrive

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if waiting.isEmpty, canTake(context) {
            take(part, context)
        } else {
            waiting.append(part)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if isCaughtUp { refusals = 0 }
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { resume(context) }
        context.fireChannelWritabilityChanged()
    }

    /// Whether the next part may be processed.
    private func canTake(_ context: ChannelHandlerContext) -> Bool {
        if case .answering = state { return false }
        return context.channel.isWritable
    }

    /// Whether everything that has arrived is processed.
    private var isCaughtUp: Bool { waiting.isEmpty && valve.isEmpty }

    /// How many bytes the parser may be given.
    private var room: Int {
        guard let context, waiting.isEmpty, canTake(context) else { return 0 }
        guard case .receiving = state, let rest = request?.announcedRest else { return RequestValve.piece }
        return max(RequestValve.piece, rest)
    }

    /// Processes what was sent ahead. An answer written meanwhile may call this again; then the running loop continues.
    private func resume(_ context: ChannelHandlerContext) {
        guard !isResuming else { return }
        isResuming = true
        defer { isResuming = false }
        resumption = shared.loop.now
        while canTake(context), let part = waiting.popFirst() { take(part, context) }
        if canTake(context) { valve.resume() }
        if isCaughtUp { refusals = 0 }
    }

    // MARK: A request

    private func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        switch (part, state) {
        case (.head(let head), .idle):
            take(head, context)
        case (.body(let bytes), .receiving):
            if let refusal = request?.receive(bytes) ?? nil {
                request = nil
                refuse(refusal)
            }
        case (.body(let bytes), .refusing(let answer, let left)):
            state = .refusing(answer, left: left - bytes.readableBytes)
            if left < bytes.readableBytes {
                keepsAlive = false
                write(answer, context)
            }
        case (.end, .receiving):
            guard let request = request.take() else { return }
            timeouts.pause()
            // When it arrived, or when its turn came if that was later.
            let arrival = max(clock.moment, resumption)
            state = .answering(ProxyExchange.begin(request, arrivedAt: arrival, for: self, on: shared))
        case (.end, .refusing(let answer, _)):
            refusals += answer.isCallersFault ? 1 : 0
            if refusals == ConnectionTimeouts.maxRefusals { keepsAlive = false }
            write(answer, context)
        case (_, _):
            break
        }
    }

    private func take(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        keepsAlive = head.isKeepAlive && !isDraining
        timeouts.start(.body)
        if let refusal = HTTP1Rules.refusal(of: head) {
            // Where the next request begins may be ambiguous.
            keepsAlive = false
            shared.count(refusal)
            return refuse(refusal)
        }
        // RFC 9110, section 10.1.1: the client sends the body when it is told to, and otherwise perhaps never.
        let expectsContinue = head.headers.contains {
            $0.name.isSame(as: "expect") && $0.value.isSame(as: "100-continue")
        }
        do {
            request = try AppRequest.admit(
                head.method.rawValue, head.uri, from: prefix, on: shared,
                forEachField: { take in for field in head.headers { take(field.name, field.value) } })
            state = .receiving
            timeouts.renewLife()
            if expectsContinue {
                context.writeAndFlush(
                    wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
            }
        } catch {
            if expectsContinue {
                keepsAlive = false
                write(error.answer, context)
            } else {
                refuse(error.answer)
            }
        }
    }

    /// Refuses once the request has arrived completely: a client that writes without reading may never see the answer.
    private func refuse(_ answer: Answer) {
        state = .refusing(answer, left: AppListener.maxDiscardedBytes)
        guard answer.isCallersFault else { return }
        memory = shared.bytesInFlight.share(BytesInFlight.perRequest, for: prefix)
        if memory == nil {
            keepsAlive = false
            state = .refusing(.unavailable, left: AppListener.maxDiscardedBytes)
        }
    }

    // MARK: Its answer

    func encode(_ answer: Answer) -> ByteBuffer? {
        shared.encoder.http1(answer, closes: !keepsAlive)
    }

    func release(_ bytes: ByteBuffer) {
        guard let context else { return }
        write(bytes, context)
        if isCaughtUp { refusals = 0 } else { resume(context) }
    }

    private func write(_ answer: Answer, _ context: ChannelHandlerContext) {
        guard let bytes = encode(answer) else { return }
        write(bytes, context)
    }

    private func write(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        memory = nil
        guard keepsAlive else {
            state = .closing
            timeouts.start(.closing)
            context.writeAndFlush(wrapOutboundOut(bytes)).assumeIsolated().whenComplete { _ in
                context.close(promise: nil)
            }
            return
        }
        context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
        state = .idle
        timeouts.start(isDraining ? .draining : .header)
    }

    // MARK: The connection ends

    func channelInactive(context: ChannelHandlerContext) {
        if case .answering(let answer) = state { answer.abandon() }
        state = .closing
        request = nil
        waiting = []
        memory = nil
        timeouts.pause()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let refusal = (error as? HTTPParserError).map { Answer.refusal($0 == .headerOverflow ? 431 : 400) }
        keepsAlive = false
        switch (state, refusal) {
        case (.answering, .some):
            // The invalid bytes follow a request, which is still answered; whether or not that answer is encoded, it is
            // the last.
            isDraining = true
            return
        case (.idle, .some(let refusal)), (.receiving, .some(let refusal)):
            request = nil
            shared.count(refusal)
            write(refusal, context)
        case (.refusing(let answer, _), .some):
            write(answer, context)
        default:
            context.close(promise: nil)
        }
    }

    /// A timeout has expired.
    func timedOut() {
        guard let context else { return }
        keepsAlive = false
        switch state {
        case .receiving:
            request = nil
            shared.count(.refusal(408))
            write(.refusal(408), context)
        case .refusing(let answer, _):
            write(answer, context)
        case .idle, .answering, .closing:
            context.close(promise: nil)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            isDraining = true
            // A request may be on its way: one more is accepted.
            if case .idle = state { timeouts.start(.draining) }
        }
        context.fireUserInboundEventTriggered(event)
    }
}
