import NIOCore
import NIOHTTP2
import ServiceKit

/// What the streams of one HTTP/2 connection share.
final class HTTP2Connection {
    let gate: AnswerGate
    let clock: ArrivalClock
    let prefix: AddressPrefix
    /// Of the bodies of all its streams.
    let mostBodyBytes: Int
    /// What its streams have.
    var bodyBytes = 0
    private let channel: any Channel
    private let patience: CallerPatience
    private var streams = 0
    private var isDraining = false
    /// Refusals that aren't written yet, or not taken by the caller.
    private var refusals = 0
    /// Streams whose request isn't complete, and until when it must be.
    private var receiving: [ObjectIdentifier: (caller: HTTP2Caller, deadline: NIODeadline)] = [:]
    private lazy var deadline = LazyDeadline(on: channel.eventLoop) { [weak self] in self?.check() }

    init(
        _ channel: any Channel, from prefix: AddressPrefix, gate: AnswerGate, clock: ArrivalClock,
        patience: CallerPatience, mostBodyBytes: Int
    ) {
        self.channel = channel
        self.mostBodyBytes = mostBodyBytes
        self.gate = gate
        self.clock = clock
        self.patience = patience
        self.prefix = prefix
        gate.drained = { [weak self] in self?.drain() }
        patience.ended = { [weak self] in self?.patienceEnded() }
        patience.wait(for: .header)
    }

    func streamOpened() {
        streams += 1
        waitForStreams()
    }

    /// A stream's request is one to be passed on.
    func passes() {
        patience.passed()
        waitForStreams()
    }

    private func waitForStreams() {
        // Towards the end there is another deadline.
        if isDraining { patience.rest() } else { patience.wait(for: .streams) }
    }

    func streamClosed() {
        streams -= 1
        if streams == 0 { patience.wait(for: isDraining ? .closing : .header) }
    }

    /// The listener, or this connection, is about to end. Streams that are here, or on their way, are answered.
    private func drain() {
        guard !isDraining else { return }
        isDraining = true
        gate.announceEnd()
        if streams == 0 { patience.wait(for: .closing) }
        let channel = channel
        // For a client that goes on nevertheless.
        channel.eventLoop.scheduleTask(in: .seconds(10)) { channel.close(promise: nil) }
    }

    /// There has been no stream for some time, or none whose request was passed on for a long time.
    private func patienceEnded() {
        if isDraining {
            channel.close(promise: nil)
        } else {
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
    }

    // MARK: Refusals

    /// Whether another request may be refused; if not, the caller is sent away when it has been told of the others.
    func mayRefuse() -> Bool {
        refusals += 1
        if refusals == CallerPatience.mostRefusals + 1 {
            channel.eventLoop.assumeIsolated().execute {
                self.gate.announceEnd(.enhanceYourCalm)
                self.channel.close(promise: nil)
            }
        }
        return refusals <= CallerPatience.mostRefusals
    }

    func refusalTaken() {
        refusals -= 1
    }

    // MARK: Requests that arrive

    /// A stream's request has begun.
    func begins(_ caller: HTTP2Caller) {
        let end = channel.eventLoop.now + CallerPatience.body
        receiving[ObjectIdentifier(caller)] = (caller, end)
        if receiving.count == 1 { deadline.set(end) }
    }

    /// It is complete, or nobody waits for it any more.
    func ends(_ caller: HTTP2Caller) {
        receiving[ObjectIdentifier(caller)] = nil
    }

    private func check() {
        let now = channel.eventLoop.now
        for (caller, end) in receiving.values where end <= now { caller.patienceEnded() }
        if let next = receiving.values.map(\.deadline).min() { deadline.set(max(next, now + .milliseconds(1))) }
    }
}
