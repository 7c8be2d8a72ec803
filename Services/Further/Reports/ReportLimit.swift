import FoundationEssentials
import FurtherAPI
import Running
import Synchronization

/// Limits the reports for an id within an hour, in memory only.
///
/// It keeps no id but hashes with a random key, which goes with them when the hour ends. It counts each caller's key by itself, so that who
/// knows an id can't use up its owner's reports. If there are too many ids, it forgets all: the proxy's limit stops whoever invents them.
final class ReportLimit: Sendable {
    private struct Hour {
        let number: Int
        let key = UInt64.random(in: 0 ... .max)
        var counts: [Int: UInt8] = [:]
    }

    private let clock: WallClock
    private let limit: UInt8
    private let capacity: Int
    private let hour: Mutex<Hour>

    init(limit: UInt8 = 10, capacity: Int = 1 << 20, clock: WallClock) {
        self.clock = clock
        self.limit = limit
        self.capacity = capacity
        hour = Mutex(Hour(number: Self.number(clock.now)))
    }

    /// Counts a report for each id.
    /// - Parameter key: who signed the reports.
    /// - Returns: whether all are within the limit.
    func admits(_ ids: [UUID], of key: KeyName?) -> Bool {
        let number = Self.number(clock.now)
        return hour.withLock { hour in
            if hour.number != number { hour = Hour(number: number) }
            var isWithin = true
            for id in ids {
                // Hasher has another random key in each process.
                var hasher = Hasher()
                hasher.combine(hour.key)
                hasher.combine(id)
                hasher.combine(key)
                let entry = hasher.finalize()
                if hour.counts.count >= capacity, hour.counts[entry] == nil { hour.counts.removeAll() }
                let count = hour.counts[entry, default: 0]
                hour.counts[entry] = min(count, .max - 1) + 1
                isWithin = isWithin && count < limit
            }
            return isWithin
        }
    }

    private static func number(_ now: Date) -> Int { Int((now.timeIntervalSince1970 / 3600).rounded(.down)) }
}
