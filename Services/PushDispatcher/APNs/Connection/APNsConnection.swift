import CNghttp2
import DequeModule
import NIOCore
import NIOSSL
import NIOTLS

/// One connection to APNs: sends pushes as its streams, and reports their replies to the ``APNsDispatch``.
final class APNsConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Stage {
        /// The handshake, or the peer's first SETTINGS, aren't complete.
        case opening
        case open
        /// Open streams are waited for, and none is added.
        case draining
        case closed
    }

    let lane: PushLane
    /// The provider token of the newest request.
    private(set) var providerToken: ProviderToken?
    /// Whether APNs has replied on it.
    private(set) var isProven = false
    private let session: HTTP2Session
    private let timing: APNsTiming
    /// A reference cycle until the connection is closed.
    private let dispatch: APNsDispatch
    /// Whether the dispatch uses it: of several addresses that are tried, one wins.
    private var isAdopted = false
    private var context: ChannelHandlerContext?
    private var stage = Stage.opening
    private var deadlines: Deque<Deadline> = []
    private var isTimerSet = false
    private let born: NIODeadline
    private var lastUse: NIODeadline
    private var awaitsPong = false
    /// Our own limit on streams, below the peer's: it is lowered when the peer refuses streams.
    private var allowance = APNsClient.windowSize
    /// Refusals of streams up to ``knownRefusals`` have been counted.
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

    /// How many more pushes it can send now.
    var room: Int {
        guard stage == .open, let limit = session.streamLimit else { return 0 }
        return max(0, min(limit, allowance) - session.openStreams)
    }

    /// How many streams the peer allows; 0 before its SETTINGS.
    var streamLimit: Int { stage == .open ? session.streamLimit ?? 0 : 0 }

    /// Whether pushes can be sent over it, now or later.
    var isUsable: Bool { stage == .opening || stage == .open }
    var isOpening: Bool { stage == .opening }

    /// Marks it as used: from now on it reports its end to the dispatch.
    ///
    /// - Returns: false if it has closed meanwhile.
    func adopt() -> Bool {
        guard stage != .closed else { return false }
        isAdopted = true
        return true
    }

    /// Queues a push; ``flush()`` writes it.
    ///
    /// - Returns: false if the connection can't send any more.
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

    /// Writes queued frames.
    func flush() {
        guard let context, stage != .closed else { return }
        var buffer = context.channel.allocator.buffer(capacity: 16_384)
        do {
            try session.writePending(into: &buffer)
        } catch {
            // Not ``close()``, which would call this again to write GOAWAY.
            lose()
            context.close(promise: nil)
            return
        }
        if buffer.readableBytes > 0 { context.writeAndFlush(wrapOutboundOut(buffer), promise: nil) }
    }

    /// Accepts no more pushes; closes after the last reply.
    func drain() {
        guard stage == .opening || stage == .open else { return }
        stage = .draining
    }

    /// Closes the connection if it is draining and no stream is open.
    func closeIfDrained() {
        if stage == .draining, session.openStreams == 0 { close() }
    }

    /// Closes it now; pushes in progress are lost.
    func close() {
        guard stage != .closed else { return }
        session.announceClose()
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
        scheduleIdleCheck()
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
        // The library's own frames: acknowledgements and window updates.
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

    // MARK: Replies

    /// Reports ended streams to the dispatch, and lets it proceed.
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
        dispatch.proceed()
    }

    /// Halves the limit on streams after a refused stream, once for all streams that were open then.
    private func refused(_ stream: Int32) {
        guard stream > knownRefusals else { return }
        knownRefusals = newestStream
        allowance = max(8, allowance / 2)
    }

    /// The connection has closed, and pushes in progress are lost.
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

    /// Retries pushes without a reply over another connection.
    private func checkDeadlines() {
        guard stage == .open || stage == .draining, let now = context?.eventLoop.now else { return }
        var isSilent = false
        while let first = deadlines.first, first.end <= now {
            deadlines.removeFirst()
            guard let push = session.cancel(first.stream) else { continue }
            isSilent = true
            dispatch.failed(push, .noReply, on: self)
        }
        if let next = deadlines.first { setTimer(next.end) }
        guard isSilent else { return }
        dispatch.proceed()
        flush()
        closeIfDrained()
    }

    private func scheduleIdleCheck() {
        context?.eventLoop.assumeIsolated().scheduleTask(in: timing.ping) { [weak self] in
            guard let self, stage != .closed else { return }
            checkIdle()
            scheduleIdleCheck()
        }
    }

    private func checkIdle() {
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
