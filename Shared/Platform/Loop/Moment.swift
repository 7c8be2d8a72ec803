internal import CLinux
internal import Glibc

/// A moment of the monotonic clock, in nanoseconds since the machine started.
///
/// It doesn't jump when the machine's time is set, so timeouts use it. Wall-clock time is another type.
package struct Moment: Comparable, Hashable, Sendable {
    /// Nanoseconds since the machine started.
    package let nanoseconds: UInt64

    /// A moment that never comes.
    package static let distantFuture = Moment(nanoseconds: .max)

    /// Creates a moment, such as the start of a manual core.
    package init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// Reads the clock. On a core, ``Core/now`` costs less and follows a manual core's time.
    package static func now() -> Moment {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Moment(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    package static func < (one: Moment, other: Moment) -> Bool { one.nanoseconds < other.nanoseconds }

    /// A later moment, or an earlier one if the duration is negative; at most ``distantFuture``, at least zero.
    package static func + (moment: Moment, duration: Duration) -> Moment {
        let distance = duration.wholeNanoseconds
        let (sum, overflows) =
            distance < 0
            ? moment.nanoseconds.subtractingReportingOverflow(distance.magnitude)
            : moment.nanoseconds.addingReportingOverflow(distance.magnitude)
        return Moment(nanoseconds: overflows ? (distance < 0 ? 0 : .max) : sum)
    }

    /// An earlier moment.
    package static func - (moment: Moment, duration: Duration) -> Moment { moment + (.zero - duration) }

    /// The time from `start` to `end`.
    package static func - (end: Moment, start: Moment) -> Duration {
        .nanoseconds(Int64(truncatingIfNeeded: end.nanoseconds &- start.nanoseconds))
    }
}

extension Duration {
    /// Rounded down; durations of more than 292 years count as 292 years.
    ///
    /// Every request adds some durations to moments, and `components` divides numbers of 128 bits, which costs ten times as much.
    fileprivate var wholeNanoseconds: Int64 {
        let distance = attoseconds.magnitude
        let high = UInt64(truncatingIfNeeded: distance >> 64)
        guard high < 500_000_000 else { return attoseconds < 0 ? .min : .max }
        let (quotient, _) = (1_000_000_000 as UInt64)
            .dividingFullWidth((high, UInt64(truncatingIfNeeded: distance)))
        return attoseconds < 0 ? -Int64(quotient) : Int64(quotient)
    }
}
