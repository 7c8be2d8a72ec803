import HTTPTypes
import Metrics

/// Counts requests by status.
///
/// `RouteMetrics` isn't used: it takes a lock for every request, and times answers, which for files in memory says nothing.
struct FileServerMetrics: Sendable {
    private let requests: [Int: Counter]

    init(listener: String, _ factory: any MetricsFactory) {
        let statuses: [HTTPResponse.Status] = [
            .ok, .partialContent, .notModified, .badRequest, .notFound, .methodNotAllowed, .rangeNotSatisfiable,
        ]
        requests = Dictionary(
            uniqueKeysWithValues: statuses.map { status in
                let dimensions = [("listener", listener), ("route", "other"), ("status", "\(status.code)")]
                return (status.code, Counter(label: "http_requests_total", dimensions: dimensions, factory: factory))
            })
    }

    func count(_ status: HTTPResponse.Status) { requests[status.code]?.increment() }
}
