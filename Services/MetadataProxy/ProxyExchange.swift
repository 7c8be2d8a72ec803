import Calling
import HTTPContract
package import HTTPTypes
import Loop
import Metrics
package import Serving

/// One admitted request: its body arrives, it goes to its service, and the answer leaves when the schedule says so.
///
/// The answer is encoded as soon as it is known. So what happens towards the caller is the same whether a service was fast, slow
/// or down.
package final class ProxyExchange: ExchangeHandler {
    private let exchange: ServerExchange
    private let route: ProxiedRoute
    private let schedule: any AnswerSchedule
    private var attempt: RefusalLimit.Attempt?
    private var request: InnerRequest
    /// Returned with this object, which may outlive its caller.
    private var memory: BytesInFlight.Share?
    private var call: ClientExchange?
    private var ready: EncodedAnswer?

    /// A reply must have arrived after this time, even if its caller has long been told that the service is unavailable; or
    /// after ``AnswerSchedule/patience`` if `answers.deadline` makes that longer.
    private static let replyTime: Duration = .seconds(5)
    /// The largest body of a reply, in bytes; none of the contract's comes near it.
    private static let replyLimit = 64 << 10

    /// - Parameters:
    ///   - request: what the service receives, still without the body.
    ///   - attempt: for the route's ``RefusalLimit``, if it has one.
    init(
        _ exchange: ServerExchange, to route: ProxiedRoute, _ request: InnerRequest,
        attempt: consuming RefusalLimit.Attempt?, by schedule: any AnswerSchedule
    ) {
        self.exchange = exchange
        self.route = route
        self.request = request
        self.attempt = attempt
        self.schedule = schedule
    }

    // MARK: The request

    /// Keeps a piece of the body, within the route's limit.
    package func body(_ bytes: Span<UInt8>) {
        guard request.bodyLength + bytes.count <= route.route.bodyLimit else {
            route.metrics.record(.contentTooLarge, since: exchange.start)
            return exchange.refuse(.refusal(.contentTooLarge))
        }
        request.append(bytes)
    }

    /// The request is complete: forwards it.
    package func end() {
        memory = exchange.takeMemory()
        schedule.requestArrived(self)
        call = route.pool.exchange(
            request.encoded(), limit: Self.replyLimit, startBy: arrival + schedule.patience,
            endBy: core.now + max(Self.replyTime, schedule.patience)
        ) { [self] result in received(result) }
        // The bytes are the call's from now on.
        request = InnerRequest()
    }

    /// Counted as before it was known what the caller wants: its request is incomplete.
    package func overruled(_ status: HTTPResponse.Status) -> ServerAnswer {
        let metrics = status == .serviceUnavailable ? route.metrics : route.otherMetrics
        metrics.record(status, since: exchange.start)
        return .refusal(status)
    }

    /// A service that already has the request still processes it.
    package func gone() {
        call?.withdraw()
        call = nil
        ready = nil
    }

    // MARK: The reply

    /// The service has replied, or there will be no reply.
    func received(_ result: Result<ClientResponse, CallFailure>) {
        call = nil
        guard case .success(let reply) = result else { return settle(.unavailable) }
        if let refusals = route.refusals {
            if let isStrained = reply.isStrained { refusals.note(isStrained: isStrained) }
            if reply.isRefusal { attempt?.refused() }
        }
        attempt = nil
        settle(ServerAnswer(reply, of: route.route))
    }

    // MARK: What the schedule does

    /// The core on which everything here happens.
    var core: Core { exchange.core }

    /// When the last byte of the request arrived.
    var arrival: Moment { exchange.arrival }

    /// Whether a caller is waiting for an answer that isn't known yet.
    var isOverdue: Bool { exchange.isOpen && ready == nil }

    /// Counts a send time that passed without a known answer.
    func countOverrun() {
        route.overruns.increment()
    }

    /// Fixes the answer, unless it is fixed already.
    func settle(_ answer: ServerAnswer) {
        guard isOverdue else { return }
        ready = exchange.encode(answer)
        if ready == nil, exchange.isOpen {
            route.tooLong.increment()
            ready = exchange.encode(.unavailable)
            // Without memory for either, nobody is kept waiting.
            if ready == nil { exchange.hangUp() }
        }
        schedule.answerReady(self)
    }

    /// Sends the answer, if it is known and a caller is waiting for it.
    package func leave() {
        guard exchange.isOpen, let ready else { return }
        self.ready = nil
        exchange.send(ready)
        route.metrics.record(ready.status, since: arrival)
        memory = nil
    }
}
