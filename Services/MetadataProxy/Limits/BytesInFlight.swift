package import Metrics
import Synchronization

/// The memory of all requests that are under way, with a bound: what goes beyond is refused on admission.
package final class BytesInFlight: Sendable {
    /// What one request takes beside its body: its fields, its answer, and what the proxy keeps of it.
    static let perRequest = 4 << 10
    /// What SwiftNIO keeps of a stream of HTTP/2 that is open: 22 KiB were measured.
    static let perStream = 20 << 10

    private let limit: Int
    private let taken = Atomic(0)
    private let shed: Counter

    /// - Parameter limit: in bytes.
    package init(limit: Int, metrics: any MetricsFactory) {
        self.limit = limit
        shed = Counter(label: "requests_shed_total", dimensions: [], factory: metrics)
    }

    /// - Returns: whether there is room.
    func take(_ bytes: Int) -> Bool {
        if taken.add(bytes, ordering: .relaxed).newValue <= limit { return true }
        taken.subtract(bytes, ordering: .relaxed)
        shed.increment()
        return false
    }

    func giveBack(_ bytes: Int) {
        taken.subtract(bytes, ordering: .relaxed)
    }
}
