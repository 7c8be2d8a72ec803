import CNghttp2
import DequeModule
import NIOCore
import NIOSSL
import NIOTLS

/// One connection to Apple's service: pushes go out as its streams, and what became of them goes to the ``APNsDispatch``.
final class APNsConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Stage {
        /// The handshake, or the other side's first SETTINGS, are still to come.
        case opening
        case open
        /// What is under way is waited for, and nothing is added.
        case draining
        case closed
    }

    let lane: PushLane
    /// The provider token that the newest request went out with.
    private(set) var providerToken: ProviderToken?
    /// Whether the service has answered anything on it.
    private(set) var isProven = false
    private let session: HTTP2Session
    private let timing: APNsTiming
    /// Both hold each other until the connection is closed.
    private let dispatch: APNsDispatch
    /// Whether it is one of the dispatch's: of several addresses that were tried, one wins.
    private var isAdopted = false
    private var context: ChannelHandlerContext?
    private var stage = Stage.opening
    private var deadlines: Deque<Deadline> = []
    private var isTimerSet = false
    private let born: NIODeadline
    private var lastUse: NIODeadline
    private var awaitsPong = false
    /// Our own bound on streams, below the service's: it falls when the service refuses streams.
    private var allowance = APNsClient.windowSize
    /// Refusals of streams up to this one are known.
    private var newestStream: Int32 = 0
    private var knownRefusals: Int32 = 0

    private struct Deadline {
        let stream: Int32
        let end: NIODeadline
    }

    init(_ lane: PushLane, of dispatch: APNsDispatch, timing: APNsTiming, now: NIODeadline) throws {
        self.lane = lane
        self.dispatch = dispatch
        self.timing = timing
        session = try HTTP2Session()
        born = now
        lastUse = now
    }

    // MARK: For the dispatch

    /// How many more pushes it takes now.
    var room: Int {
        guard stage == .open, let limit = session.streamLimit else { return 0 }
        return max(0, min(limit, allowance) - session.openStreams)
    }

    /// How many streams the service allows, 0 before it has said so.
    var streamLimit: Int { stage == .open ? session.streamLimit ?? 0 : 0 }

    /// Whether pushes may still be sent over it, now or when there is room again.
    var isUsable: Bool { stage == .opening || stage == .open }
    var isOpening: Bool { stage == .opening }

    /// It has won: from now on the dispatch is told of its end.
    ///
    /// - Returns: false if it has ended meanwhile.
    func adopt() -> Bool {
        guard stage != .closed else { return false }
        isAdopted = true
        return true
    }

    /// Sends a push, but for ``flush()``.
    ///
    /// - Returns: false if that isn't possible any more.
    func send(
        _ number: Int, _ push: SilentPush, _ request: PushRequest, with token: ProviderToken?, at now: NIODeadline
    ) -> Bool {
        guard stage == .open else { return false }
        do {
            guard let stream = try session.submit(number, request, push) else {
                drain()
                return false
            }
            newestStream = stream
            providerToken = token
            lastUse = now
            deadlines.append(Deadline(stream: stream, end: now + timing.reply))
            if !isTimerSet { setTimer(now + timing.reply) }
            return true
        } catch {
            close()
            return false
        }
    }

    /// Writes what has been sent.
    func flush() {
        guard let context, stage != .closed else { return }
        var buffer = context.channel.allocator.buffer(capacity: 16_384)
        do {
            try session.writePending(into: &buffer)
        } catch {
            // Not ``close()``, which would write its farewell by this again.
            lose()
            context.close(promise: nil)
            return
        }
        if buffer.readableBytes > 0 { context.writeAndFlush(wrapOutboundOut(buffer), promise: nil) }
    }

    /// No more pushes; it closes after the last answer.
    func drain() {
        guard stage == .opening || stage == .open else { return }
        stage = .draining
    }

    /// Closes it if it has nothing left to wait for.
    func closeIfDrained() {
        if stage == .draining, session.openStreams == 0 { close() }
    }

    /// Closes it now; what is under way is lost.
    func close() {
        guard stage != .closed else { return }
        session.sayGoodbye()
        flush()
        let context = context
        lose()
        context?.close(promise: nil)
    }

    // MARK: Events of the channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let loop = context.eventLoop.assumeIsolated()
        loop.scheduleTask(in: timing.connect) { [weak self] in
            guard let self, stage == .opening else { return }
            close()
        }
        scheduleHousekeeping()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        lose()
        self.context = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent {
            if negotiated == "h2" { flush() } else { close() }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard stage != .closed else { return }
        do {
            try session.receive(unwrapInboundIn(data))
        } catch {
            report()
            close()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard stage != .closed else { return }
        if stage == .opening, session.streamLimit != nil {
            stage = .open
            dispatch.opened(self)
        }
        report()
        // What the library answers by itself: acknowledgements, and room for more.
        flush()
        closeIfDrained()
    }

    func channelInactive(context: ChannelHandlerContext) {
        lose()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        close()
    }

    // MARK: What became of streams

    /// Tells the dispatch what has ended, and lets it go on.
    private func report() {
        for ended in session.takeEnded() {
            switch ended.end {
            case .answered(let reply):
                isProven = true
                if reply.status == 200 { allowance = min(APNsClient.windowSize, allowance + 1) }
                dispatch.answered(ended.push, reply, on: self)
            case .reset(let code):
                let isRefusal =
                    code == UInt32(NGHTTP2_REFUSED_STREAM.rawValue) || code == UInt32(NGHTTP2_STREAM_CLOSED.rawValue)
                if isRefusal { refused(ended.stream) }
                dispatch.failed(ended.push, isRefusal ? .refusedStream : .lost, on: self)
            }
        }
        if let goAway = session.goAway, isUsable {
            drain()
            dispatch.goingAway(goAway.reason, on: self)
        }
        dispatch.goOn()
    }

    /// The service has refused a stream: half as many at once, once for all that were under way then.
    private func refused(_ stream: Int32) {
        guard stream > knownRefusals else { return }
        knownRefusals = newestStream
        allowance = max(8, allowance / 2)
    }

    /// The connection is gone, and with it what was under way.
    private func lose() {
        guard stage != .closed else { return }
        stage = .closed
        guard isAdopted else { return }
        for push in session.openPushes { dispatch.failed(push, .lost, on: self) }
        dispatch.closed(self)
    }

    // MARK: Time

    private func setTimer(_ moment: NIODeadline) {
        guard let context else { return }
        isTimerSet = true
        context.eventLoop.assumeIsolated().scheduleTask(deadline: moment) { [weak self] in
            guard let self else { return }
            isTimerSet = false
            checkDeadlines()
        }
    }

    /// Whoever has waited too long for an answer is sent over another connection.
    private func checkDeadlines() {
        guard stage == .open || stage == .draining, let now = context?.eventLoop.now else { return }
        var isSilent = false
        while let first = deadlines.first, first.end <= now {
            deadlines.removeFirst()
            guard let push = session.cancel(first.stream) else { continue }
            isSilent = true
            dispatch.failed(push, .silence, on: self)
        }
        if let next = deadlines.first { setTimer(next.end) }
        guard isSilent else { return }
        dispatch.goOn()
        flush()
        closeIfDrained()
    }

    private func scheduleHousekeeping() {
        context?.eventLoop.assumeIsolated().scheduleTask(in: timing.ping) { [weak self] in
            guard let self, stage != .closed else { return }
            keepHouse()
            scheduleHousekeeping()
        }
    }

    private func keepHouse() {
        guard let now = context?.eventLoop.now else { return }
        if now - born >= timing.life { drain() }
        if session.openStreams == 0, stage == .open {
            let isDead = awaitsPong && !session.takePong()
            if isDead || now - lastUse >= timing.idle { return close() }
            awaitsPong = true
            session.ping()
            flush()
        } else {
            awaitsPong = false
        }
        closeIfDrained()
    }
}
