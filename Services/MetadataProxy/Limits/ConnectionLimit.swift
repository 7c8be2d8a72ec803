package import Metrics
import Synchronization

/// How many connections one address prefix may have at one time.
///
/// Its ``PrefixSketch`` lives as long as the process, because connections do, too. It tells nothing that the connections
/// which stand don't tell: when one ends, its count goes, and nothing of it is left.
package final class ConnectionLimit: Sendable {
    private let limit: Int
    private let standing = Mutex(PrefixSketch())
    private let refused: Counter

    /// - Parameter limit: connections of a prefix.
    package init(_ limit: Int, metrics: any MetricsFactory) {
        self.limit = limit
        refused = Counter(label: "connections_refused_total", dimensions: [], factory: metrics)
    }

    /// Counts a connection, if it is within the limit. ``ended(_:)`` must follow.
    func admits(_ prefix: AddressPrefix) -> Bool {
        let isAdmitted = standing.withLock { standing in
            guard standing.count(prefix) < limit else { return false }
            _ = standing.add(prefix)
            return true
        }
        if !isAdmitted { refused.increment() }
        return isAdmitted
    }

    /// A connection that was admitted has ended.
    func ended(_ prefix: AddressPrefix) {
        standing.withLock { $0.remove(prefix) }
    }
}
