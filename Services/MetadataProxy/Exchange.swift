import HTTPContract
import HTTPTypes
import Metrics
import NIOCore
import NIOHTTP1
import ServiceKit

/// Who waits for an answer: a connection of HTTP/1.1, or a stream of HTTP/2.
protocol Caller: AnyObject {
    /// The bytes of an answer, to be given to ``release(_:)`` once; nil if it is too long.
    func encoded(_ answer: Answer) -> ByteBuffer?
    /// Lets an answer go to the caller.
    func release(_ bytes: ByteBuffer)
}

/// One request of an app on its way: its body is collected, it is passed on, and its answer leaves at its moment.
///
/// It lives on one event loop. From the last byte on exactly one timer runs, whatever happens: when it fires, the answer
/// leaves if it is there, and else the timer is set to the next multiple. So whether a service was quick, slow or not there
/// changes nothing that happens at the caller's end.
final class Exchange {
    private let proxied: ProxiedRoute
    private let passed: ProxiedRoute.PassedFields
    private let shared: ProxyLoop
    /// nil when the request has been answered, or its caller is gone.
    private var caller: (any Caller)?
    private var body = ByteBuffer()
    private var memory: BytesInFlight.Share
    private var arrival = NIODeadline.uptimeNanoseconds(0)
    private var multiple = 0
    /// The answer, once there is one.
    private var ready: (bytes: ByteBuffer, status: Int)?
    private var wasSentAgain = false
    /// For the limit of refusals.
    private var attempt: RefusalLimit.Attempt?

    /// Fails if there is no memory for another request.
    init?(
        _ proxied: ProxiedRoute, _ passed: ProxiedRoute.PassedFields, from prefix: AddressPrefix,
        to caller: any Caller, in shared: ProxyLoop
    ) {
        guard let memory = shared.bytesInFlight.share(BytesInFlight.perRequest, for: prefix) else { return nil }
        self.memory = memory
        self.proxied = proxied
        self.passed = passed
        self.caller = caller
        self.shared = shared
    }

    /// Counts it for a limit of refusals; whether it is within that.
    func isAdmitted(by refusals: RefusalLimit, from prefix: AddressPrefix) -> Bool {
        attempt = refusals.attempt(from: prefix)
        return attempt != nil
    }

    // MARK: The request arrives

    /// Why the request is refused, if it is.
    func receive(_ bytes: ByteBuffer) -> Answer? {
        guard body.readableBytes + bytes.readableBytes <= proxied.route.bodyLimit else { return .refusal(413) }
        guard memory.grow(by: bytes.readableBytes) else { return .unavailable }
        // A copy: what was read is a piece of a larger buffer, which would live as long.
        body.writeImmutableBuffer(bytes)
        return nil
    }

    /// How many bytes of its body are still to come, as far as it was announced.
    var announcedRest: Int { passed.announcedLength - body.readableBytes }

    /// The last byte is here.
    /// - Parameter moment: since when.
    func arrived(at moment: NIODeadline) {
        arrival = moment
        memory.finish()
        if shared.schedule.interval != nil { setTimer() }
        proxied.pool.send(self)
    }

    /// The caller is gone. What a service does with the request meanwhile, it does.
    func abandon() {
        caller = nil
    }

    // MARK: The service

    /// How long after its arrival an answer is still of use.
    var patience: TimeAmount { shared.schedule.patience }

    /// Whether an answer would still come in time.
    var canStillBeSent: Bool { caller != nil && shared.loop.now < arrival + patience }

    func innerRequest() -> (HTTPRequestHead, ByteBuffer) {
        proxied.innerRequest(passed, body)
    }

    func sendAgain() {
        guard !wasSentAgain else { return fail() }
        wasSentAgain = true
        proxied.pool.send(self)
    }

    func succeed(_ head: HTTPResponseHead, _ body: ByteBuffer) {
        if proxied.isRefusal(head) { attempt?.refused() }
        attempt = nil
        answer(proxied.answer(head, body))
    }

    func fail() {
        // Never at once: the caller may still be in the middle of handing over its request.
        shared.loop.assumeIsolated().execute { self.answer(.unavailable) }
    }

    // MARK: The answer

    private func answer(_ answer: Answer) {
        guard let caller, ready == nil else { return }
        if let bytes = caller.encoded(answer) {
            ready = (bytes, answer.status)
        } else {
            shared.tooLong.increment()
            guard let bytes = caller.encoded(.unavailable) else { return }
            ready = (bytes, Answer.unavailable.status)
        }
        if shared.schedule.interval == nil { leave() }
    }

    private func setTimer() {
        multiple += 1
        _ = shared.loop.assumeIsolated().scheduleTask(deadline: shared.schedule.moment(multiple, after: arrival)) {
            self.timerFired()
        }
    }

    private func timerFired() {
        if ready == nil, caller != nil {
            shared.overruns.increment()
            guard multiple == AnswerSchedule.multiples else { return setTimer() }
            answer(.unavailable)
        }
        leave()
    }

    private func leave() {
        guard let caller, let ready else { return }
        self.caller = nil
        caller.release(ready.bytes)
        proxied.metrics.record(HTTPResponse.Status(code: ready.status), since: arrival)
    }
}
