package import HTTPTypes
package import Loop
package import Metrics
import Synchronization

/// The counter and the histogram of one route, created when it is mounted, so that requests need no look-up by name.
package final class RouteMetrics: Sendable {
    private let dimensions: [(String, String)]
    private let factory: any MetricsFactory
    private let seconds: Timer
    /// Counters that exist from the start, by status.
    private let expected: [Int: Counter]
    private let others = Mutex<[Int: Counter]>([:])

    /// - Parameters:
    ///   - route: its path.
    ///   - expected: statuses whose counter exists from the start, at 0, because an alert has to see it grow.
    package init(listener: String, route: String, expected: [HTTPResponse.Status], factory: any MetricsFactory) {
        let dimensions = [("listener", listener), ("route", route)]
        self.dimensions = dimensions
        self.factory = factory
        seconds = Timer(label: "http_request_seconds", dimensions: dimensions, factory: factory)
        self.expected = Dictionary(
            uniqueKeysWithValues: Set(expected.map(\.code)).map {
                ($0, Self.counter($0, dimensions, factory))
            })
    }

    /// Records an answered request.
    ///
    /// - Parameter end: when it was answered.
    package func record(_ status: HTTPResponse.Status, since start: Moment, at end: Moment = .now()) {
        seconds.recordNanoseconds(Int64(clamping: end.nanoseconds - min(start.nanoseconds, end.nanoseconds)))
        if let counter = expected[status.code] { return counter.increment() }
        let counter = others.withLock { others in
            if let known = others[status.code] { return known }
            let made = Self.counter(status.code, dimensions, factory)
            others[status.code] = made
            return made
        }
        counter.increment()
    }

    private static func counter(
        _ code: Int, _ dimensions: [(String, String)], _ factory: any MetricsFactory
    ) -> Counter {
        Counter(label: "http_requests_total", dimensions: dimensions + [("status", String(code))], factory: factory)
    }
}
