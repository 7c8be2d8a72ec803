package import Calling
package import HTTPContract
import HTTPTypes
package import Metrics
package import Serving

/// The forwarded operations, with their services and limits.
package struct ProxyPlan: Sendable {
    struct Operation: Sendable {
        let description: EndpointDescription
        let upstream: HTTPClient
        let limit: PrefixLimit?
        let refusals: RefusalLimit?
        let metrics: RouteMetrics
        let overruns: Counter
        let tooLong: Counter
    }

    let schedule: any AnswerSchedule
    let bytesInFlight: BytesInFlight
    let limit: PrefixLimit
    let metrics: any MetricsFactory
    /// Requests for no operation.
    let otherRequests: RouteMetrics
    private(set) var operations: [Operation] = []
    let listener: String

    /// A proxy that forwards nothing yet.
    ///
    /// - Parameters:
    ///   - listener: names it in metrics.
    ///   - limit: for all requests, also those for no operation.
    package init(
        listener: String, schedule: any AnswerSchedule, bytesInFlight: BytesInFlight, limit: PrefixLimit,
        metrics: any MetricsFactory
    ) {
        self.listener = listener
        self.schedule = schedule
        self.bytesInFlight = bytesInFlight
        self.limit = limit
        self.metrics = metrics
        otherRequests = RouteMetrics(listener: listener, route: "other", expected: [], factory: metrics)
    }

    /// Forwards an operation to a service.
    ///
    /// - Parameters:
    ///   - limit: for requests for this operation, in addition to the limit for all.
    ///   - refusals: for those that the service refuses.
    package mutating func forward(
        _ operation: EndpointDescription, to upstream: HTTPClient, limit: PrefixLimit? = nil,
        refusals: RefusalLimit? = nil
    ) {
        var operation = operation
        // Between service and proxy only.
        operation.response.fields[.teleTANsStrained] = nil
        operation.refusals[.tooManyRequests] = [
            operation.refusals[.tooManyRequests], "Too many requests come from the caller's address prefix.",
        ].compactMap(\.self).joined(separator: " ")
        let dimensions = [("route", operation.route.path)]
        operations.append(
            Operation(
                description: operation, upstream: upstream, limit: limit, refusals: refusals,
                metrics: RouteMetrics(
                    listener: listener, route: operation.route.path,
                    expected: [operation.success, .serviceUnavailable], factory: metrics),
                overruns: Counter(label: "answer_overruns_total", dimensions: dimensions, factory: metrics),
                tooLong: Counter(label: "answers_too_long_total", dimensions: dimensions, factory: metrics)))
    }
}
