package import ExposureKeys
package import FoundationEssentials

/// When somebody infectious was at a venue: whole steps of ten minutes, from the start up to but not including the end.
package struct VenueWindow: Hashable, Sendable {
    /// The first interval.
    package let start: IntervalNumber
    /// The first interval after it.
    package let end: IntervalNumber

    /// Intervals of the longest window: a day.
    package static let longest = IntervalNumber.perDay
    /// Days that an event can lie in the past when it is entered, and for which it is kept after its end: phones keep their diaries
    /// as long.
    package static let daysKept = 14

    /// Why two instants aren't an event's window.
    package enum Problem: Error, Hashable, Sendable, CaseIterable {
        /// One isn't a multiple of ten minutes.
        case offGrid
        /// The end isn't after the start.
        case reversed
        /// It is longer than a day.
        case tooLong
        /// It began more than 14 days ago.
        case tooOld
        /// It hasn't ended.
        case future
    }

    /// Nil unless the end is after the start, by a day at most.
    package init?(start: IntervalNumber, end: IntervalNumber) {
        guard start < end, end.rawValue - start.rawValue <= Self.longest, end.rawValue <= UInt32(Int32.max) else {
            return nil
        }
        self.start = start
        self.end = end
    }

    /// The window of an event that is entered now.
    package init(from start: Date, to end: Date, enteredAt now: Date) throws(Problem) {
        let (from, to) = (IntervalNumber(containing: start), IntervalNumber(containing: end))
        guard Self.instant(from) == start, Self.instant(to) == end else { throw .offGrid }
        guard start < end else { throw .reversed }
        guard let window = Self(start: from, end: to) else { throw .tooLong }
        guard start >= now.addingTimeInterval(-Double(Self.daysKept) * 86_400) else { throw .tooOld }
        guard end <= now else { throw .future }
        self = window
    }

    /// The start, as an instant.
    package var startDate: Date { Self.instant(start) }
    /// The end, as an instant.
    package var endDate: Date { Self.instant(end) }

    /// The UTC days that it touches, numbered since 1970: one or two.
    package var days: ClosedRange<UInt32> {
        (start.rawValue / IntervalNumber.perDay)...((end.rawValue - 1) / IntervalNumber.perDay)
    }

    /// The part on a day; nil if there is none.
    package func part(onDay day: UInt32) -> VenueWindow? {
        guard days.contains(day) else { return nil }
        let first = IntervalNumber(rawValue: day * IntervalNumber.perDay)
        let next = IntervalNumber(rawValue: first.rawValue + IntervalNumber.perDay)
        return VenueWindow(start: max(start, first), end: min(end, next))
    }

    /// Whether phones have forgotten visits of this time, and the event with them.
    package func hasExpired(at now: Date) -> Bool {
        endDate.addingTimeInterval(Double(Self.daysKept) * 86_400) <= now
    }

    private static func instant(_ interval: IntervalNumber) -> Date {
        Date(timeIntervalSince1970: Double(interval.startSeconds))
    }
}
