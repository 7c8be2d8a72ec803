import DequeModule
import NIOCore
import NIOHTTP1

/// A connection of HTTP/1.1: requests come in, one at a time, and each is answered before the next is looked at.
///
/// At most two answers wait for a caller who doesn't take them: then nothing more is looked at either.
final class HTTP1Caller: ChannelInboundHandler, Caller {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    private enum State {
        /// No request, or one whose header isn't complete.
        case idle
        case receiving(Exchange)
        /// The answer is clear, the rest of the request not yet here. So many bytes of it are waited for.
        case refusing(Answer, left: Int)
        case answering(Exchange)
        /// Whatever comes is thrown away.
        case closing
    }

    private let shared: ProxyLoop
    private let prefix: AddressPrefix
    private let patience: CallerPatience
    private let clock: ArrivalClock
    private let valve: RequestValve
    private var context: ChannelHandlerContext?
    private var state = State.idle
    /// What has come, in one piece with a request, while that was being answered: parts of the next ones (pipelining).
    private var waiting: Deque<HTTPServerRequestPart> = []
    /// When what waits could be looked at.
    private var turn = NIODeadline.uptimeNanoseconds(0)
    /// For a refusal whose request isn't complete.
    private var memory: BytesInFlight.Share?
    /// Since all that was read had been looked at.
    private var refusals = 0
    private var isGoingOn = false
    private var keepsAlive = true
    private var isDraining: Bool

    /// - Parameters:
    ///   - clock: at the connection's outer end.
    ///   - valve: before the parser.
    ///   - isDraining: whether the listener is about to end, so that there will be one answer at most.
    init(
        _ shared: ProxyLoop, from prefix: AddressPrefix, clock: ArrivalClock, valve: RequestValve,
        patience: CallerPatience, isDraining: Bool
    ) {
        self.shared = shared
        self.prefix = prefix
        self.patience = patience
        self.clock = clock
        self.valve = valve
        self.isDraining = isDraining
        valve.room = { [weak self] in self?.room ?? 0 }
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if waiting.isEmpty, canTake(context) {
            take(part, context)
        } else {
            waiting.append(part)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if waiting.isEmpty, valve.isEmpty { refusals = 0 }
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { goOn(context) }
        context.fireChannelWritabilityChanged()
    }

    /// Whether the next part may be looked at.
    private func canTake(_ context: ChannelHandlerContext) -> Bool {
        if case .answering = state { return false }
        return context.channel.isWritable
    }

    /// How many bytes the parser may be given.
    private var room: Int {
        guard let context, waiting.isEmpty, canTake(context) else { return 0 }
        if case .receiving(let exchange) = state { return max(RequestValve.piece, exchange.announcedRest) }
        return RequestValve.piece
    }

    /// Looks at what was sent ahead. An answer that is written meanwhile may call this again: then the loop that runs goes on.
    private func goOn(_ context: ChannelHandlerContext) {
        guard !isGoingOn else { return }
        isGoingOn = true
        defer { isGoingOn = false }
        turn = shared.loop.now
        while canTake(context), let part = waiting.popFirst() { take(part, context) }
        if canTake(context) { valve.resume() }
        if waiting.isEmpty, valve.isEmpty { refusals = 0 }
    }

    private func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        switch (part, state) {
        case (.head(let head), .idle):
            take(head, context)
        case (.body(let bytes), .receiving(let exchange)):
            if let refusal = exchange.receive(bytes) {
                exchange.abandon()
                refuse(refusal, context)
            }
        case (.body(let bytes), .refusing(let answer, let left)):
            state = .refusing(answer, left: left - bytes.readableBytes)
            if left < bytes.readableBytes {
                keepsAlive = false
                write(answer, context)
            }
        case (.end, .receiving(let exchange)):
            state = .answering(exchange)
            patience.rest()
            // When it came in, or its turn if that was later.
            exchange.arrived(at: max(clock.moment, turn))
        case (.end, .refusing(let answer, _)):
            refusals += answer.isCallersFault ? 1 : 0
            if refusals == CallerPatience.mostRefusals { keepsAlive = false }
            write(answer, context)
        case (_, _):
            break
        }
    }

    private func take(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        keepsAlive = head.isKeepAlive && !isDraining
        patience.wait(for: .body)
        if let refusal = HTTP1Rules.refusal(of: head) {
            // Where the next request begins may be unclear.
            keepsAlive = false
            shared.count(refusal)
            return refuse(refusal, context)
        }
        let admission = shared.admit(
            head.method.rawValue, head.uri, from: prefix, to: self
        ) { take in for field in head.headers { take(field.name, field.value) } }
        // RFC 9110, 10.1.1: the body comes when it is asked for, or else perhaps never.
        let asks = head.headers.contains { $0.name.isSame(as: "expect") && $0.value.isSame(as: "100-continue") }
        switch admission {
        case .admitted(let exchange):
            state = .receiving(exchange)
            patience.passed()
            if asks {
                context.writeAndFlush(
                    wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
            }
        case .refused(let answer) where asks:
            keepsAlive = false
            write(answer, context)
        case .refused(let answer):
            refuse(answer, context)
        }
    }

    /// Answers when the request is here to its end. Who writes while nobody reads may never see the answer.
    private func refuse(_ answer: Answer, _ context: ChannelHandlerContext) {
        state = .refusing(answer, left: 256 << 10)
        guard answer.isCallersFault else { return }
        memory = shared.bytesInFlight.share(BytesInFlight.perRequest, for: prefix)
        if memory == nil {
            keepsAlive = false
            state = .refusing(.unavailable, left: 256 << 10)
        }
    }

    // MARK: Answers

    func encoded(_ answer: Answer) -> ByteBuffer? {
        shared.encoder.http1(answer, closes: !keepsAlive)
    }

    func release(_ bytes: ByteBuffer) {
        guard let context else { return }
        write(bytes, context)
        if waiting.isEmpty, valve.isEmpty { refusals = 0 } else { goOn(context) }
    }

    private func write(_ answer: Answer, _ context: ChannelHandlerContext) {
        guard let bytes = encoded(answer) else { return }
        write(bytes, context)
    }

    private func write(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        memory = nil
        guard keepsAlive else {
            state = .closing
            patience.wait(for: .closing)
            context.writeAndFlush(wrapOutboundOut(bytes)).assumeIsolated().whenComplete { _ in
                context.close(promise: nil)
            }
            return
        }
        context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
        state = .idle
        patience.wait(for: isDraining ? .draining : .header)
    }

    // MARK: Ends

    func channelInactive(context: ChannelHandlerContext) {
        switch state {
        case .receiving(let exchange), .answering(let exchange): exchange.abandon()
        case .idle, .refusing, .closing: break
        }
        state = .closing
        waiting = []
        memory = nil
        patience.rest()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let refusal = (error as? HTTPParserError).map { Answer.refusal($0 == .headerOverflow ? 431 : 400) }
        keepsAlive = false
        switch (state, refusal) {
        case (.answering, .some):
            // What is wrong came after a request, which is still answered; encoded already or not, it is the last.
            isDraining = true
            return
        case (.idle, .some(let refusal)):
            shared.count(refusal)
            write(refusal, context)
        case (.receiving(let exchange), .some(let refusal)):
            exchange.abandon()
            shared.count(refusal)
            write(refusal, context)
        case (.refusing(let answer, _), .some):
            write(answer, context)
        default:
            context.close(promise: nil)
        }
    }

    /// The caller has taken too long.
    func patienceEnded() {
        guard let context else { return }
        keepsAlive = false
        switch state {
        case .receiving(let exchange):
            exchange.abandon()
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
            // A request may be on its way: a last one is taken.
            if case .idle = state { patience.wait(for: .draining) }
        }
        context.fireUserInboundEventTriggered(event)
    }
}
