import Glibc

/// Counts the frames that cost a peer little and its receiver more, as a token bucket (RFC 9113, section 10.5).
///
/// One bucket holds all kinds of them, each with its own weight. The clock is read only when the bucket is empty.
struct EffortBucket {
    /// What one frame costs.
    enum Cost {
        /// Frames without effect, or with too little of it: PRIORITY, an unknown type, an acknowledgement, WINDOW_UPDATE, a few
        /// bytes of DATA (CVE-2019-9513, CVE-2019-9518).
        static let cheap = 1
        /// A frame to be answered: PING (CVE-2019-9512).
        static let answered = 10
        /// Settings are answered and touch all streams (CVE-2019-9515); a reset throws work away, whether the peer sends it
        /// (CVE-2023-44487) or provokes it (CVE-2025-8671); so does a header over its limit.
        static let wasted = 50
    }

    private let capacity: Int
    private let perSecond: Int
    private var points: Int
    private var refilled: UInt64
    private let now: () -> UInt64

    /// - Parameter now: nanoseconds of a monotonic clock.
    init(capacity: Int, perSecond: Int, now: @escaping () -> UInt64 = Self.coarseNow) {
        self.capacity = capacity
        self.perSecond = perSecond
        self.now = now
        points = capacity
        refilled = now()
    }

    /// - Returns: false if there aren't enough points.
    mutating func take(_ cost: Int) -> Bool {
        if points < cost {
            let moment = now()
            let milliseconds = Int(min((moment &- refilled) / 1_000_000, 1_000_000))
            points = min(capacity, points + milliseconds * perSecond / 1000)
            refilled = moment
            guard points >= cost else { return false }
        }
        points -= cost
        return true
    }

    /// Gives points back for frames that were of use.
    mutating func giveBack(_ cost: Int) {
        points = min(capacity, points + cost)
    }

    private static func coarseNow() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
