import NIOCore
import NIOHTTP2
import Serving

/// The state that the streams of one HTTP/2 connection share.
final class HTTP2Connection {
    let gate: AnswerGate
    let clock: ArrivalClock
    let prefix: AddressPrefix
    /// The limit for the bodies of all its streams together.
    let maxBodyBytes: Int
    /// The bytes that the bodies of its streams occupy now.
    var bodyBytes = 0
    private let channel: any Channel
    private let timeouts: ConnectionTimeouts
    private var streams = 0
    private var isDraining = false
    /// Refusals that aren't written to the socket yet.
    private var refusals = 0
    /// Streams whose request isn't complete, and when it must be.
    private var receiving: [ObjectIdentifier: (stream: HTTP2Stream, deadline: NIODeadline)] = [:]
    private lazy var deadline = LazyDeadline(on: channel.eventLoop) { [weak self] in self?.check() }

    init(
        _ channel: any Channel, from prefix: AddressPrefix, gate: AnswerGate, clock: ArrivalClock,
        timeouts: ConnectionTimeouts, maxBodyBytes: Int
    ) {
        self.channel = channel
        self.maxBodyBytes = maxBodyBytes
        self.gate = gate
        self.clock = clock
        self.timeouts = timeouts
        self.prefix = prefix
        gate.drained = { [weak self] in self?.drain() }
        timeouts.expired = { [weak self] in self?.timedOut() }
        timeouts.start(.header)
    }

    func streamOpened() {
        streams += 1
        waitForStreams()
    }

    /// A stream's request has been admitted.
    func requestAdmitted() {
        timeouts.renewLife()
        waitForStreams()
    }

    private func waitForStreams() {
        // While draining, another deadline holds.
        if isDraining { timeouts.pause() } else { timeouts.start(.streams) }
    }

    func streamClosed() {
        streams -= 1
        if streams == 0 { timeouts.start(isDraining ? .closing : .header) }
    }

    /// The listener, or this connection, is shutting down. Streams that exist, or are on their way, are answered.
    private func drain() {
        guard !isDraining else { return }
        isDraining = true
        gate.sendGoAway()
        if streams == 0 { timeouts.start(.closing) }
        let channel = channel
        // Ends the connection even if the client keeps opening streams.
        channel.eventLoop.scheduleTask(in: .seconds(10)) { channel.close(promise: nil) }
    }

    /// There has been no stream for some time, or none whose request was admitted for a long time.
    private func timedOut() {
        if isDraining {
            channel.close(promise: nil)
        } else {
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
    }

    // MARK: Refusals

    /// Whether another request may be refused. If not, the connection is closed once the other refusals are written.
    func mayRefuse() -> Bool {
        refusals += 1
        if refusals == ConnectionTimeouts.maxRefusals + 1 {
            channel.eventLoop.assumeIsolated().execute {
                self.gate.sendGoAway(.enhanceYourCalm)
                self.channel.close(promise: nil)
            }
        }
        return refusals <= ConnectionTimeouts.maxRefusals
    }

    func refusalWritten() {
        refusals -= 1
    }

    // MARK: Timeouts of requests

    /// A stream's request has begun.
    func requestBegan(_ stream: HTTP2Stream) {
        let end = channel.eventLoop.now + ConnectionTimeouts.body
        receiving[ObjectIdentifier(stream)] = (stream, end)
        if receiving.count == 1 { deadline.set(end) }
    }

    /// It is complete, or abandoned.
    func requestEnded(_ stream: HTTP2Stream) {
        receiving[ObjectIdentifier(stream)] = nil
    }

    private func check() {
        let now = channel.eventLoop.now
        for (stream, end) in receiving.values where end <= now { stream.timedOut() }
        if let next = receiving.values.map(\.deadline).min() { deadline.set(max(next, now + .milliseconds(1))) }
    }
}
