package import Metrics
import Synchronization

/// The memory of all requests that are under way, with a bound: what goes beyond is refused on admission.
///
/// Of that, requests from one part of the net have a quarter: whoever sends many and finishes none keeps only neighbours
/// out. What is taken is counted by a keyed hash of the address prefix, which the standard library seeds anew in every
/// process; two prefixes in the same cell, one in 4,096, share a quarter.
package final class BytesInFlight: Sendable {
    /// What one request takes beside its body: its fields, its answer, and what the proxy keeps of it.
    static let perRequest = 4 << 10
    /// What SwiftNIO keeps of a stream of HTTP/2 that is open. With ``perRequest`` that makes 16 KiB: measured were 6 KiB of
    /// a request whose answer isn't taken, and 8 more if its header is as large as may be.
    static let perStream = 12 << 10
    private static let cells = 4096

    private struct Taken {
        var all = 0
        var cells = Array(repeating: 0, count: BytesInFlight.cells)
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

    /// - Returns: whether there is room.
    func take(_ bytes: Int, for prefix: AddressPrefix) -> Bool {
        let cell = Self.cell(of: prefix)
        let isTaken = taken.withLock { taken in
            guard taken.all + bytes <= limit, taken.cells[cell] + bytes <= limitOfPrefix else { return false }
            taken.all += bytes
            taken.cells[cell] += bytes
            return true
        }
        if !isTaken { shed.increment() }
        return isTaken
    }

    func giveBack(_ bytes: Int, for prefix: AddressPrefix) {
        let cell = Self.cell(of: prefix)
        taken.withLock { taken in
            taken.all -= bytes
            taken.cells[cell] -= bytes
        }
    }

    private static func cell(of prefix: AddressPrefix) -> Int {
        Int(UInt(bitPattern: prefix.hashValue) % UInt(cells))
    }
}
