package import FoundationEssentials

/// A ten-minute interval since the Unix epoch, the time unit of exposure notifications (ENIntervalNumber).
package struct IntervalNumber: RawRepresentable, Hashable, Comparable, Sendable, BitwiseCopyable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Seconds in one interval.
    package static let seconds: Int64 = 600
    /// Intervals in one UTC day, and so the longest rolling period.
    package static let perDay: UInt32 = 144

    /// The interval that contains an instant. Instants before 1970 count as the first interval.
    package init(containing instant: Date) {
        self.init(rawValue: UInt32(clamping: Int64(instant.timeIntervalSince1970.rounded(.down)) / Self.seconds))
    }

    /// The interval that starts at midnight UTC of the day that contains this one.
    package var startOfDay: IntervalNumber { IntervalNumber(rawValue: rawValue - rawValue % Self.perDay) }

    /// The instant at which the interval begins, in seconds since the epoch.
    package var startSeconds: Int64 { Int64(rawValue) * Self.seconds }

    package static func < (left: IntervalNumber, right: IntervalNumber) -> Bool { left.rawValue < right.rawValue }
}

/// The intervals for which one key was in use: [start, start + length), with length in 1...144.
package struct RollingPeriod: Hashable, Sendable, BitwiseCopyable {
    /// The first interval of the period.
    package let start: IntervalNumber
    /// The length in intervals of ten minutes, 1...144.
    package let length: UInt32

    /// Nil unless the length is 1...144 and the end fits an interval number.
    package init?(start: IntervalNumber, length: UInt32) {
        guard (1...IntervalNumber.perDay).contains(length), start.rawValue <= UInt32(Int32.max) - length else {
            return nil
        }
        self.start = start
        self.length = length
    }

    /// The first interval after the period.
    package var end: IntervalNumber { IntervalNumber(rawValue: start.rawValue + length) }

    /// Days after its period for which a key is kept and published, whenever it was uploaded (cwa-documentation,
    /// `solution_architecture.md`: "when they refer to a period of more than 14 days ago").
    package static let daysKept = 14

    /// Whether the period ended more than ``daysKept`` days before an instant.
    package func hasExpired(at instant: Date) -> Bool { Self.hasExpired(endingWith: end, at: instant) }

    /// The same, from the period's end.
    package static func hasExpired(endingWith end: IntervalNumber, at instant: Date) -> Bool {
        Double(end.startSeconds + Int64(daysKept) * 86_400) < instant.timeIntervalSince1970
    }

    /// Whether the key was in use in an interval.
    package func contains(_ interval: IntervalNumber) -> Bool { start <= interval && interval < end }
}
