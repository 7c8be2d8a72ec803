import HTTPContract
import HTTPTypes
import Metrics
import NIOCore
import Serving

/// The destination of an answer: an HTTP/1.1 connection or an HTTP/2 stream.
protocol AnswerOutlet: AnyObject {
    /// The bytes of an answer, for exactly one later ``release(_:)``; nil if the answer is too long.
    func encode(_ answer: Answer) -> ByteBuffer?
    /// Sends the bytes of an answer.
    func release(_ bytes: ByteBuffer)
}

/// The answer to one request, from the request's last byte until the answer leaves.
///
/// It lives on one event loop. It is encoded as soon as it is known, and leaves when its ``AnswerSchedule`` says so. What
/// happens towards the caller is therefore the same whether a service was fast, slow or down.
package final class PendingAnswer {
    /// When the last byte of the request arrived.
    let arrival: NIODeadline
    private let route: ProxiedRoute
    private let shared: ProxyLoop
    /// Returned with this object.
    private let memory: BytesInFlight.Share
    private var attempt: RefusalLimit.Attempt?
    /// Nil once the answer has left, or its caller has disconnected.
    private var outlet: (any AnswerOutlet)?
    private var ready: (bytes: ByteBuffer, status: Int)?

    init(
        to request: consuming AppRequest, arrivedAt arrival: NIODeadline, for outlet: any AnswerOutlet,
        on shared: ProxyLoop
    ) {
        self.arrival = arrival
        self.outlet = outlet
        self.shared = shared
        route = request.route
        request.memory.finish()
        memory = request.memory
        attempt = request.attempt
    }

    /// Forgets the caller, who has disconnected. A service that already has the request still processes it.
    func abandon() {
        outlet = nil
    }

    // MARK: What the upstream asks

    /// How long after ``arrival`` a request may still be passed on.
    var patience: TimeAmount { shared.schedule.patience }

    /// Whether a request that is passed on now could still be answered in time.
    var isWorthwhile: Bool { outlet != nil && shared.loop.now < arrival + patience }

    // MARK: What the upstream reports

    /// The service has replied.
    func receive(_ reply: UpstreamReply) {
        if let refusals = route.refusals {
            if let isStrained = reply.isStrained { refusals.note(isStrained: isStrained) }
            if reply.isRefusal { attempt?.refused() }
        }
        attempt = nil
        settle(Answer(reply, of: route.route))
    }

    /// There will be no reply.
    func fail() {
        // Later: the caller may still be handing over its request.
        shared.loop.assumeIsolated().execute { self.settle(.unavailable) }
    }

    // MARK: What the schedule does

    /// The event loop on which everything here happens.
    var loop: any EventLoop { shared.loop }

    /// Whether a caller is waiting for an answer that isn't known yet.
    var isOverdue: Bool { outlet != nil && ready == nil }

    /// Counts a send time that passed without a known answer.
    func countOverrun() {
        route.overruns.increment()
    }

    /// Fixes the answer, unless it is fixed already.
    func settle(_ answer: Answer) {
        guard let outlet, ready == nil else { return }
        if let bytes = outlet.encode(answer) {
            ready = (bytes, answer.status)
        } else {
            route.tooLong.increment()
            guard let bytes = outlet.encode(.unavailable) else { return }
            ready = (bytes, Answer.unavailable.status)
        }
        shared.schedule.answerReady(self)
    }

    /// Sends the answer, if it is known and a caller is waiting for it.
    package func leave() {
        guard let outlet, let ready else { return }
        self.outlet = nil
        outlet.release(ready.bytes)
        route.metrics.record(HTTPResponse.Status(code: ready.status), since: arrival)
    }
}
