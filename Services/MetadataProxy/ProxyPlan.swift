package import HTTPContract
import HTTPTypes
package import Metrics
import NIOCore
package import ServiceKit

/// What the proxy passes on, to whom, and within which bounds.
package struct ProxyPlan: Sendable {
    struct Offer: Sendable {
        let operation: EndpointDescription
        let upstream: Upstream
        let limit: PrefixLimit?
        let refusals: RefusalLimit?
        let metrics: RouteMetrics
    }

    let schedule: AnswerSchedule
    let bytesInFlight: BytesInFlight
    let limit: PrefixLimit
    let date: HTTPDate
    let metrics: any MetricsFactory
    /// Of requests for no operation.
    let other: RouteMetrics
    private(set) var offers: [Offer] = []
    private let listener: String

    /// A proxy that passes nothing on yet.
    ///
    /// - Parameters:
    ///   - listener: names it in metrics.
    ///   - limit: for all requests, also those for no operation.
    ///   - clock: for the field `Date`.
    package init(
        listener: String, schedule: AnswerSchedule, bytesInFlight: BytesInFlight, limit: PrefixLimit,
        clock: WallClock, metrics: any MetricsFactory
    ) {
        self.listener = listener
        self.schedule = schedule
        self.bytesInFlight = bytesInFlight
        self.limit = limit
        self.metrics = metrics
        date = HTTPDate(clock: clock)
        other = RouteMetrics(listener: listener, route: "other", expected: [], factory: metrics)
    }

    /// Lets an operation pass.
    ///
    /// - Parameters:
    ///   - limit: for requests for this operation, beside that for all.
    ///   - refusals: for those that the service refuses.
    package mutating func offer(
        _ operation: EndpointDescription, of upstream: Upstream, within limit: PrefixLimit? = nil,
        refusing refusals: RefusalLimit? = nil
    ) {
        var operation = operation
        // Between service and proxy only.
        operation.response.fields[.teleTANsStrained] = nil
        operation.refusals[.tooManyRequests] = "Too many requests come from the caller's part of the net."
        offers.append(
            Offer(
                operation: operation, upstream: upstream, limit: limit, refusals: refusals,
                metrics: RouteMetrics(
                    listener: listener, route: operation.route.path,
                    expected: [operation.success, .serviceUnavailable], factory: metrics)))
    }
}
