package import Metrics
import Synchronization

/// Bounds the memory of all requests in progress: a request beyond it is refused on admission.
///
/// Incomplete requests of one address prefix may use a quarter of it: a client that begins many requests and completes none
/// affects its own network only. They are counted by a keyed hash of the prefix, which the standard library seeds anew in
/// every process; prefixes in the same one of 4,096 cells share a quarter.
package final class BytesInFlight: Sendable {
    /// The memory of one request besides its body: its fields, its answer, the server's objects.
    static let perRequest = 4 << 10
    /// The memory of an open stream of HTTP/2 besides: its state in the session, and the largest header.
    static let perStream = 12 << 10
    private static let cells = 4096

    private struct Taken {
        var all = 0
        /// The bytes of incomplete requests, by cell.
        var unfinished = Array(repeating: 0, count: BytesInFlight.cells)
    }

    /// The memory of one request or stream. It is released with this value.
    package struct Share: ~Copyable {
        private let whole: BytesInFlight
        private let cell: Int
        private var bytes: Int
        private var isFinished = false

        fileprivate init(of whole: BytesInFlight, _ bytes: Int, cell: Int) {
            self.whole = whole
            self.cell = cell
            self.bytes = bytes
        }

        /// - Returns: whether there is room for this many more bytes.
        mutating func grow(by more: Int) -> Bool {
            guard whole.take(more, unfinished: isFinished ? 0 : more, cell: cell) else { return false }
            bytes += more
            return true
        }

        /// Marks the request as complete: from now on it counts towards the limit of all requests only.
        mutating func finish() {
            guard !isFinished else { return }
            isFinished = true
            whole.release(0, unfinished: bytes, cell: cell)
        }

        deinit { whole.release(bytes, unfinished: isFinished ? 0 : bytes, cell: cell) }
    }

    private let limit: Int
    private let limitOfPrefix: Int
    private let taken = Mutex(Taken())
    private let shed: Counter?

    /// The budget that all listeners of a process share which have none of their own.
    static let shared = BytesInFlight(limit: 256 << 20, metrics: nil)

    /// - Parameters:
    ///   - limit: in bytes.
    ///   - metrics: nil if what is refused isn't counted.
    package init(limit: Int, metrics: (any MetricsFactory)?) {
        self.limit = limit
        limitOfPrefix = limit / 4
        shed = metrics.map { Counter(label: "requests_shed_total", dimensions: [], factory: $0) }
    }

    /// The cell in which the incomplete requests of a prefix are counted.
    static func cell(of prefix: AddressPrefix) -> Int {
        Int(UInt(bitPattern: prefix.hashValue) % UInt(cells))
    }

    /// Memory for a new request; nil if there is no room.
    func share(_ bytes: Int, cell: Int) -> Share? {
        guard take(bytes, unfinished: bytes, cell: cell) else { return nil }
        return Share(of: self, bytes, cell: cell)
    }

    private func take(_ bytes: Int, unfinished: Int, cell: Int) -> Bool {
        let isTaken = taken.withLock { taken in
            guard taken.all + bytes <= limit, taken.unfinished[cell] + unfinished <= limitOfPrefix else { return false }
            taken.all += bytes
            taken.unfinished[cell] += unfinished
            return true
        }
        if !isTaken { shed?.increment() }
        return isTaken
    }

    private func release(_ bytes: Int, unfinished: Int, cell: Int) {
        taken.withLock { taken in
            taken.all -= bytes
            taken.unfinished[cell] -= unfinished
        }
    }
}
