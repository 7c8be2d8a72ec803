import DequeModule
import NIOCore
import NIOHTTP1

/// A connection of HTTP/1.1: requests come in, one at a time, and each is answered before the next is looked at.
final class HTTP1Caller: ChannelDuplexHandler, Caller {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = Never
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

    /// Parts of requests. One read brings fewer than 2,048 more.
    private static let mostWaiting = 16
    private let shared: ProxyLoop
    private let prefix: AddressPrefix
    private let patience: CallerPatience
    private let clock: ArrivalClock
    private var context: ChannelHandlerContext?
    private var state = State.idle
    /// What has come while a request was being answered: parts of the next ones (pipelining).
    private var waiting: Deque<HTTPServerRequestPart> = []
    private var isReadDue = false
    private var keepsAlive = true
    private var isDraining: Bool

    /// - Parameters:
    ///   - clock: at the connection's outer end.
    ///   - isDraining: whether the listener is about to end, so that there will be one answer at most.
    init(
        _ shared: ProxyLoop, from prefix: AddressPrefix, clock: ArrivalClock, patience: CallerPatience, isDraining: Bool
    ) {
        self.shared = shared
        self.prefix = prefix
        self.patience = patience
        self.clock = clock
        self.isDraining = isDraining
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if case .answering = state {
            waiting.append(part)
        } else {
            take(part, since: clock.moment, context)
        }
    }

    /// Nothing is read while the caller takes no answers, or has sent many requests ahead.
    ///
    /// While a request is being answered, it normally is: to stop and start costs two system calls a request.
    func read(context: ChannelHandlerContext) {
        isReadDue = waiting.count >= Self.mostWaiting || !context.channel.isWritable
        if !isReadDue { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if isReadDue { read(context: context) }
        context.fireChannelWritabilityChanged()
    }

    /// - Parameter arrival: when the part came in, or its turn if that was later.
    private func take(_ part: HTTPServerRequestPart, since arrival: NIODeadline, _ context: ChannelHandlerContext) {
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
            exchange.arrived(at: arrival)
        case (.end, .refusing(let answer, _)):
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
    }

    // MARK: Answers

    func encoded(_ answer: Answer) -> ByteBuffer? {
        shared.encoder.http1(answer, closes: !keepsAlive)
    }

    func release(_ bytes: ByteBuffer) {
        guard let context else { return }
        write(bytes, context)
    }

    private func write(_ answer: Answer, _ context: ChannelHandlerContext) {
        guard let bytes = encoded(answer) else { return }
        write(bytes, context)
    }

    private func write(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
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
        while let part = waiting.popFirst() {
            take(part, since: shared.loop.now, context)
            if case .answering = state { return }
        }
        if isReadDue { read(context: context) }
    }

    // MARK: Ends

    func channelInactive(context: ChannelHandlerContext) {
        switch state {
        case .receiving(let exchange), .answering(let exchange): exchange.abandon()
        case .idle, .refusing, .closing: break
        }
        state = .closing
        waiting = []
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
