package import FoundationEssentials

/// A UTC hour, half-open: [number × 3600, (number + 1) × 3600) seconds since the epoch.
///
/// Hours are the finest resolution of stored upload times, and the unit of publication.
package struct Hour: Hashable, Comparable, Sendable, Strideable {
    /// Hours since the epoch.
    package let number: Int32

    /// The hour with a number, which is negative before 1970.
    package init(number: Int32) {
        self.number = number
    }

    /// The hour that contains an instant.
    package init(containing instant: Date) {
        self.init(number: Int32(clamping: Int64((instant.timeIntervalSince1970 / 3600).rounded(.down))))
    }

    /// The latest hour that ended at or before an instant.
    package init(endedBy instant: Date) {
        self = Hour(containing: instant).advanced(by: -1)
    }

    /// When the hour begins, in seconds since the epoch.
    package var startSeconds: Int64 { Int64(number) * 3600 }
    /// When the next hour begins, in seconds since the epoch.
    package var endSeconds: Int64 { startSeconds + 3600 }
    /// When the hour begins.
    package var start: Date { Date(timeIntervalSince1970: Double(startSeconds)) }
    /// When the next hour begins; not part of this one.
    package var end: Date { Date(timeIntervalSince1970: Double(endSeconds)) }
    /// The UTC day that the hour belongs to.
    package var day: Day { Day(number: Int32(number.dividedFloor(by: 24))) }
    /// 0...23, the name of the hour's package.
    package var ofDay: Int { Int(number - day.number * 24) }

    package func distance(to other: Hour) -> Int { Int(other.number) - Int(number) }
    package func advanced(by hours: Int) -> Hour { Hour(number: number + Int32(hours)) }
    package static func < (left: Hour, right: Hour) -> Bool { left.number < right.number }
}

/// A UTC day.
package struct Day: Hashable, Comparable, Sendable, Strideable {
    /// Days since the epoch.
    package let number: Int32

    /// The day with a number, which is negative before 1970.
    package init(number: Int32) {
        self.number = number
    }

    /// The UTC day that contains an instant, whatever the machine's time zone.
    package init(containing instant: Date) {
        self = Hour(containing: instant).day
    }

    /// From 00:00 UTC.
    package var firstHour: Hour { Hour(number: number * 24) }
    /// From 23:00 UTC.
    package var lastHour: Hour { Hour(number: number * 24 + 23) }
    /// Midnight UTC that opens the day, in seconds since the epoch.
    package var startSeconds: Int64 { firstHour.startSeconds }
    /// Midnight UTC that opens the next day, in seconds since the epoch.
    package var endSeconds: Int64 { lastHour.endSeconds }
    /// The interval at midnight UTC that opens the day.
    package var firstInterval: IntervalNumber {
        IntervalNumber(rawValue: UInt32(clamping: Int64(number) * Int64(IntervalNumber.perDay)))
    }

    /// `yyyy-MM-dd`, the day's name in the published tree.
    ///
    /// Proleptic Gregorian calendar; the arithmetic is the usual conversion of a day count into civil years of 400-year eras
    /// that start in March.
    package var name: String {
        let shifted = Int64(number) + 719_468
        let era = shifted.dividedFloor(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return "\(Self.padded(year, to: 4))-\(Self.padded(month, to: 2))-\(Self.padded(day, to: 2))"
    }

    /// The day with a name; nil unless the text is the name of a day, byte for byte.
    package init?(name: some StringProtocol) {
        // Longer numbers would exceed the arithmetic.
        guard name.utf8.count == 10 else { return nil }
        let parts = name.split(separator: "-").compactMap { Int64($0) }
        guard parts.count == 3, (1...9999).contains(parts[0]), (1...12).contains(parts[1]), (1...31).contains(parts[2])
        else { return nil }
        let (month, day) = (parts[1], parts[2])
        let year = month <= 2 ? parts[0] - 1 : parts[0]
        let era = year.dividedFloor(by: 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        self.init(number: Int32(clamping: era * 146_097 + dayOfEra - 719_468))
        // The two differ if the text names a day that its month doesn't have.
        guard self.name == name else { return nil }
    }

    private static func padded(_ value: Int64, to width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    package func distance(to other: Day) -> Int { Int(other.number) - Int(number) }
    package func advanced(by days: Int) -> Day { Day(number: number + Int32(days)) }
    package static func < (left: Day, right: Day) -> Bool { left.number < right.number }
}

extension BinaryInteger {
    /// Division that rounds towards negative infinity, so that hours before 1970 belong to their own day.
    fileprivate func dividedFloor(by divisor: Self) -> Self {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
