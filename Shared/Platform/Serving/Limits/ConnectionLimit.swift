import Metrics
import Synchronization

/// Limits the open connections of one address prefix.
///
/// Its ``PrefixSketch`` lives as long as the process, as connections may. It reveals nothing beyond the open connections:
/// when one ends, its count is removed, and nothing of it remains.
final class ConnectionLimit: Sendable {
    private let limit: Int
    private let open = Mutex(PrefixSketch())
    private let refused: Counter

    /// - Parameter limit: connections of one prefix.
    init(_ limit: Int, metrics: any MetricsFactory) {
        self.limit = limit
        refused = Counter(label: "connections_refused_total", dimensions: [], factory: metrics)
    }

    /// Counts a connection, if it is within the limit. ``ended(_:)`` must follow.
    func admits(_ prefix: AddressPrefix) -> Bool {
        let isAdmitted = open.withLock { open in
            guard open.count(prefix) < limit else { return false }
            _ = open.add(prefix)
            return true
        }
        if !isAdmitted { refused.increment() }
        return isAdmitted
    }

    /// A connection that was admitted has ended.
    func ended(_ prefix: AddressPrefix) {
        open.withLock { $0.remove(prefix) }
    }
}
