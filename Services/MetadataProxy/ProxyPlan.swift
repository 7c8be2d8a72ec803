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
        let limits: [PrefixLimit]
        let metrics: RouteMetrics
    }

    let schedule: AnswerSchedule
    let bytesInFlight: BytesInFlight
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
    ///   - clock: for the field `Date`.
    package init(
        listener: String, schedule: AnswerSchedule, bytesInFlight: BytesInFlight, clock: WallClock,
        metrics: any MetricsFactory
    ) {
        self.listener = listener
        self.schedule = schedule
        self.bytesInFlight = bytesInFlight
        self.metrics = metrics
        date = HTTPDate(clock: clock)
        other = RouteMetrics(listener: listener, route: "other", expected: [], factory: metrics)
    }

    /// Lets an operation pass.
    package mutating func offer(
        _ operation: EndpointDescription, of upstream: Upstream, within limits: [PrefixLimit] = []
    ) {
        var operation = operation
        if !limits.isEmpty {
            operation.refusals[.tooManyRequests] = "Too many requests come from the caller's part of the net."
        }
        offers.append(
            Offer(
                operation: operation, upstream: upstream, limits: limits,
                metrics: RouteMetrics(
                    listener: listener, route: operation.route.path,
                    expected: [operation.success, .serviceUnavailable], factory: metrics)))
    }
}
