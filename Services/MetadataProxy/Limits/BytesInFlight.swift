package import Metrics
import Synchronization

/// The memory of all requests that are under way, with a bound: what goes beyond is refused on admission.
///
/// Of that, requests from one part of the net that aren't complete have a quarter: whoever begins many and finishes none
/// keeps only neighbours out. They are counted by a keyed hash of the address prefix, which the standard library seeds anew
/// in every process; prefixes in the same one of 4,096 cells share a quarter.
package final class BytesInFlight: Sendable {
    /// What one request takes beside its body: its fields, its answer, and what the proxy keeps of it.
    static let perRequest = 4 << 10
    /// What SwiftNIO keeps of a stream of HTTP/2 that is open. With ``perRequest`` that makes 16 KiB: measured were 6 KiB of
    /// a request whose answer isn't taken, and 8 more if its header is as large as may be.
    static let perStream = 12 << 10
    private static let cells = 4096

    private struct Taken {
        var all = 0
        /// For requests that aren't complete.
        var unfinished = Array(repeating: 0, count: BytesInFlight.cells)
    }

    /// What one request, or the stream that it comes on, has taken. It is given back with the end of this value.
    struct Share: ~Copyable {
        private let whole: BytesInFlight
        private let cell: Int
        private var bytes: Int
        private var isFinished = false

        fileprivate init(of whole: BytesInFlight, _ bytes: Int, cell: Int) {
            self.whole = whole
            self.cell = cell
            self.bytes = bytes
        }

        /// - Returns: whether there is room for so many more bytes of a request.
        mutating func grow(by more: Int) -> Bool {
            guard whole.take(more, cell: cell) else { return false }
            bytes += more
            return true
        }

        /// The request is complete: what becomes of it now is a matter of moments, and of the bound for all.
        mutating func finish() {
            guard !isFinished else { return }
            isFinished = true
            whole.giveBack(0, unfinished: bytes, cell: cell)
        }

        deinit { whole.giveBack(bytes, unfinished: isFinished ? 0 : bytes, cell: cell) }
    }

    private let limit: Int
    private let limitOfPrefix: Int
    private let taken = Mutex(Taken())
    private let shed: Counter

    /// - Parameter limit: in bytes.
    package init(limit: Int, metrics: any MetricsFactory) {
        self.limit = limit
        limitOfPrefix = limit / 4
        shed = Counter(label: "requests_shed_total", dimensions: [], factory: metrics)
    }

    /// Memory for a request that begins; nil if there is no room.
    func share(_ bytes: Int, for prefix: AddressPrefix) -> Share? {
        let cell = Int(UInt(bitPattern: prefix.hashValue) % UInt(Self.cells))
        guard take(bytes, cell: cell) else { return nil }
        return Share(of: self, bytes, cell: cell)
    }

    private func take(_ bytes: Int, cell: Int) -> Bool {
        let isTaken = taken.withLock { taken in
            guard taken.all + bytes <= limit, taken.unfinished[cell] + bytes <= limitOfPrefix else { return false }
            taken.all += bytes
            taken.unfinished[cell] += bytes
            return true
        }
        if !isTaken { shed.increment() }
        return isTaken
    }

    private func giveBack(_ bytes: Int, unfinished: Int, cell: Int) {
        taken.withLock { taken in
            taken.all -= bytes
            taken.unfinished[cell] -= unfinished
        }
    }
}
