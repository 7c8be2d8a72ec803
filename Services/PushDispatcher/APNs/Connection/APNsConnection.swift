import FoundationEssentials
import HTTP2
import HTTPMessage
import HTTPTypes
import Loop
import TLS

/// One connection to APNs: sends pushes as its streams, and reports their replies to the ``APNsDispatch``.
final class APNsConnection: ConnectionHandler {
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
    private let core: Core
    private var connection: Connection?
    private var stage = Stage.opening
    private var sent = SentPushes()
    private lazy var replies = Deadline(on: core) { [unowned self] in checkReplies() }
    /// The end of opening it, then the next PING, at last the end of closing it.
    private lazy var next = Deadline(on: core) { [unowned self] in checkLife() }
    private let born: Moment
    private var lastUse: Moment
    private var awaitsPong = false
    private var goAway: (code: HTTP2Code, reason: APNsReason?)?
    /// Whether the session calls because of bytes that have arrived, which ``report()`` follows.
    private var isReceiving = false
    private var frames: [UInt8] = []
    /// Our own limit on streams, below the peer's: it is lowered when the peer refuses streams.
    private var allowance = APNsClient.windowSize
    /// Refusals of streams up to ``knownRefusals`` have been counted.
    private var newestStream: Int32 = 0
    private var knownRefusals: Int32 = 0

    /// How long the peer has to take what is left when the connection is closed.
    private static let closing = Duration.seconds(5)

    private static var limits: HTTP2Limits {
        var limits = HTTP2Limits.client
        // With a rejection APNs refuses all streams in progress. Each of them is one of our requests, which has a rate of its own.
        limits.effort = 1_000_000
        limits.effortPerSecond = 1_000_000
        limits.keepsFieldsOfSuccess = false
        return limits
    }

    /// Starts to open it.
    ///
    /// - Throws: if there is no memory.
    init(
        _ lane: PushLane, to host: APNsPlan.Host, tls: TLSContext, of dispatch: APNsDispatch, timing: APNsTiming,
        on core: Core
    ) throws(HTTP2Failure) {
        self.lane = lane
        self.dispatch = dispatch
        self.timing = timing
        self.core = core
        session = try HTTP2Session(.client, limits: Self.limits)
        born = core.now
        lastUse = core.now
        session.delegate = self
        let name = host.name
        let connection = Connection.open(
            to: name, port: host.port, on: core, secure: { tls.connect($0, serverName: name) }, within: timing.connect,
            handler: self)
        // Reading never pauses for requests that aren't sent yet: the peer might wait for us to read its replies, and streams are
        // limited anyway.
        connection.outputMark = (high: .max, low: .max)
        self.connection = connection
        next.set(born + timing.connect)
    }

    // MARK: For the dispatch

    /// How many more pushes it can send now.
    var room: Int {
        guard stage == .open, let limit = session.peerStreamLimit else { return 0 }
        return max(0, min(limit, allowance) - session.openStreams)
    }

    /// How many streams the peer allows; 0 before its SETTINGS.
    var streamLimit: Int { stage == .open ? session.peerStreamLimit ?? 0 : 0 }

    /// Whether pushes can be sent over it, now or later.
    var isUsable: Bool { stage == .opening || stage == .open }
    var isOpening: Bool { stage == .opening }

    /// Queues a push; ``flush()`` writes it.
    ///
    /// - Returns: false if the connection can't send any more.
    func send(
        _ number: Int, _ push: SilentPush, _ request: PushRequest, with token: ProviderToken?, at now: Moment
    ) -> Bool {
        guard stage == .open else { return false }
        guard let stream = request.submit(push, to: session) else {
            drain()
            return false
        }
        newestStream = stream
        providerToken = token
        lastUse = now
        if sent.isEmpty { replies.set(now + timing.reply) }
        sent.append(SentPush(number: number, end: now + timing.reply), as: stream)
        return true
    }

    /// Writes queued frames.
    func flush() {
        guard stage != .closed else { return }
        writeFrames()
        connection?.flush()
        if session.failure != nil { abort() }
    }

    private func writeFrames() {
        session.drain(into: &frames)
        if !frames.isEmpty { connection?.write(frames.span) }
        frames.removeAll(keepingCapacity: true)
    }

    /// Accepts no more pushes; closes after the last reply.
    func drain() {
        guard stage == .opening || stage == .open else { return }
        stage = .draining
    }

    /// Closes the connection if it is draining and no push is open.
    func closeIfDrained() {
        if stage == .draining, sent.isEmpty { close() }
    }

    /// Closes it now; pushes in progress are lost.
    func close() {
        guard stage != .closed else { return }
        lose()
        session.terminate(.noError)
        writeFrames()
        next.set(core.now + Self.closing)
        connection?.close()
    }

    private func abort() {
        lose()
        connection?.abort()
    }

    /// The connection has ended, and pushes in progress are lost.
    private func lose() {
        guard stage != .closed else { return }
        stage = .closed
        replies.set(nil)
        while let push = sent.removeFirst() { dispatch.failed(push.number, .lost, on: self) }
        dispatch.closed(self)
    }

    // MARK: Events of the connection

    func opened(_ connection: Connection) {
        if connection.negotiatedProtocol == "h2" { flush() } else { close() }
    }

    func received(_ bytes: Span<UInt8>, on connection: Connection) -> Int {
        guard stage != .closed else { return bytes.count }
        isReceiving = true
        defer { isReceiving = false }
        do {
            try session.receive(bytes)
            report()
            // Also the library's own frames: acknowledgements and window updates.
            writeFrames()
            closeIfDrained()
        } catch {
            report()
            close()
        }
        if session.isFinished { close() }
        return bytes.count
    }

    func inputEnded(_ connection: Connection) { close() }

    func closed(_ connection: Connection, _ reason: ConnectionEnd) {
        lose()
        next.set(nil)
        self.connection = nil
    }

    /// Lets the dispatch know of a GOAWAY, after what it did to streams, and lets it proceed.
    private func report() {
        if let goAway, isUsable {
            drain()
            dispatch.goingAway(goAway.reason, on: self)
        }
        replies.set(sent.first?.end)
        dispatch.proceed()
    }

    // MARK: Time

    /// Retries pushes without a reply over another connection.
    private func checkReplies() {
        var isSilent = false
        while let first = sent.first, first.end <= core.now {
            session.reset(sent.firstStream, .cancel)
            _ = sent.removeFirst()
            isSilent = true
            dispatch.failed(first.number, .noReply, on: self)
        }
        replies.set(sent.first?.end)
        guard isSilent else { return }
        dispatch.proceed()
        flush()
        closeIfDrained()
    }

    private func checkLife() {
        switch stage {
        case .opening: return close()
        case .closed: connection?.abort()
        case .open, .draining:
            checkIdle()
            if stage != .closed { next.set(core.now + timing.ping) }
        }
    }

    private func checkIdle() {
        if core.now - born >= timing.life { drain() }
        if sent.isEmpty, stage == .open {
            if awaitsPong || core.now - lastUse >= timing.idle { return close() }
            awaitsPong = true
            session.ping()
            flush()
        } else {
            awaitsPong = false
        }
        closeIfDrained()
    }
}

// MARK: - Replies

extension APNsConnection: HTTP2SessionDelegate {
    func settingsChanged() {
        guard stage == .opening else { return }
        stage = .open
        next.set(core.now + timing.ping)
        dispatch.opened(self)
    }

    func response(_ stream: Int32, _ head: ResponseHead, ends: Bool) {
        let retryAfter = head.status == .ok ? nil : head.fields.first(.retryAfter).flatMap(Self.seconds)
        sent.change(stream) { push in
            push.status = head.status.code
            push.retryAfter = retryAfter
        }
    }

    func body(_ stream: Int32, _ bytes: Span<UInt8>) {
        sent.change(stream) { push in
            let piece = bytes.extracting(first: min(bytes.count, APNsReplyBody.limit - push.body.count))
            piece.withUnsafeBufferPointer { push.body.append(contentsOf: $0) }
        }
    }

    func end(_ stream: Int32) {}

    func closed(_ stream: Int32, _ code: HTTP2Code) {
        guard let push = sent.remove(stream) else { return }
        if code == .noError, push.status != 0 {
            isProven = true
            if push.status == 200 { allowance = min(APNsClient.windowSize, allowance + 1) }
            let reply = APNsReply(status: push.status, retryAfter: push.retryAfter, body: push.body)
            dispatch.answered(push.number, reply, on: self)
        } else {
            let isRefusal = code == .refusedStream || code == .streamClosed
            if isRefusal { refused(stream) }
            dispatch.failed(push.number, isRefusal ? .refusedStream : .lost, on: self)
        }
        if !isReceiving { core.afterTurn { [dispatch] in dispatch.proceed() } }
    }

    func goAway(lastStream: Int32, _ code: HTTP2Code, data: [UInt8]) {
        goAway = (code, data.isEmpty ? nil : APNsReplyBody(data).reason)
    }

    func pingAnswered() { awaitsPong = false }

    /// Halves the limit on streams after a refused stream, once for all streams that were open then.
    private func refused(_ stream: Int32) {
        guard stream > knownRefusals else { return }
        knownRefusals = newestStream
        allowance = max(8, allowance / 2)
    }

    /// A number of at most nine digits.
    private static func seconds(_ text: String) -> Int? {
        guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int(text)
    }
}
