import NIOCore

/// A complete request on its way to its service, and the answer that its caller waits for.
///
/// It is a value that ``UpstreamPool`` passes to a connection. Whatever happens there ends in exactly one call on
/// ``answer``.
struct ProxyExchange {
    let request: InnerRequest
    let answer: PendingAnswer
    /// Whether the request has been sent before, on a connection that the service had closed.
    var isRepeated = false

    /// Starts the answer's schedule and passes the request on.
    ///
    /// - Parameters:
    ///   - arrival: when its last byte arrived.
    ///   - outlet: where the answer goes.
    /// - Returns: the answer, so that the outlet can abandon it.
    static func begin(
        _ request: consuming AppRequest, arrivedAt arrival: NIODeadline, for outlet: any AnswerOutlet,
        on shared: ProxyLoop
    ) -> PendingAnswer {
        var request = request
        request.end()
        let pool = request.route.pool
        let inner = request.inner
        let answer = PendingAnswer(to: request, arrivedAt: arrival, for: outlet, on: shared)
        shared.schedule.requestArrived(answer)
        pool.send(ProxyExchange(request: inner, answer: answer))
        return answer
    }
}
