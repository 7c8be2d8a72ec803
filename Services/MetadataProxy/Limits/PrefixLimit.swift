import FoundationEssentials
package import ServiceKit
import Synchronization

/// How many requests one address prefix may make in five minutes.
///
/// It must keep nothing that tells who called. Addresses go into a keyed hash (the standard library's SipHash, which every
/// process seeds anew, over a key and the prefix) whose key lives for one window; counted is not by prefix but in a sketch
/// of fixed size (count-min with two rows), which can't be read back even with the key at hand without trying prefixes. At
/// the end of a window key and counts are gone, so everything is forgotten within five minutes. Two prefixes that share
/// both cells, which nobody can arrange without the key, share a limit.
package final class PrefixLimit: Sendable {
    private struct Window {
        var end: Date
        var key: (UInt64, UInt64)
        var counts: [UInt32]
    }

    private static let rows = 2
    /// A power of two; both rows together take 512 KiB.
    private static let cells = 65_536
    private static let length: TimeInterval = 300

    private let limit: Int
    private let clock: WallClock
    private let window: Mutex<Window>

    /// - Parameter limit: requests of a prefix in five minutes.
    package init(_ limit: Int, clock: WallClock) {
        self.limit = limit
        self.clock = clock
        window = Mutex(Self.fresh(at: clock.now))
    }

    /// Counts a request, and says whether it is within the limit.
    func admits(_ prefix: AddressPrefix) -> Bool {
        let now = clock.now
        return window.withLock { window in
            if now >= window.end { window = Self.fresh(at: now) }
            var hasher = Hasher()
            hasher.combine(window.key.0)
            hasher.combine(window.key.1)
            hasher.combine(prefix)
            let hash = UInt(bitPattern: hasher.finalize())
            let first = Int(hash % UInt(Self.cells))
            let second = Self.cells + Int((hash >> 32) % UInt(Self.cells))
            window.counts[first] += 1
            window.counts[second] += 1
            return window.counts[first] <= limit || window.counts[second] <= limit
        }
    }

    private static func fresh(at now: Date) -> Window {
        Window(
            end: now.addingTimeInterval(length), key: (.random(in: 0 ... .max), .random(in: 0 ... .max)),
            counts: Array(repeating: 0, count: rows * cells))
    }
}
