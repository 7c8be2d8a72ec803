/// A day of the calendar in the authority's time zone. Which instants belong to it, PostgreSQL computes.
package struct LocalDay: Hashable, Sendable, Comparable {
    /// Days since 1970-01-01.
    package let number: Int32

    /// Creates a day from its number.
    package init(number: Int32) { self.number = number }

    package static func < (one: LocalDay, other: LocalDay) -> Bool { one.number < other.number }

    /// The day that is so many days later, or earlier if negative.
    package func advanced(by days: Int) -> LocalDay { LocalDay(number: number + Int32(days)) }

    /// 0 for Monday to 6 for Sunday. 1970-01-01 was a Thursday.
    package var weekday: Int { Int((number % 7 + 10) % 7) }

    /// The Monday of the day's week (ISO 8601).
    package var monday: LocalDay { advanced(by: -weekday) }

    /// Year, month and day of the Gregorian calendar (algorithm: <https://howardhinnant.github.io/date_algorithms.html>).
    package var date: (year: Int, month: Int, day: Int) {
        let shifted = Int(number) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// The year and the number of the day's week (ISO 8601): a week belongs to the year of its Thursday.
    package var week: (year: Int, number: Int) {
        let thursday = monday.advanced(by: 3)
        let year = thursday.date.year
        let dayOfYear = (0..<366).first { thursday.advanced(by: -$0).date.year < year } ?? 366
        return (year, (dayOfYear - 1) / 7 + 1)
    }
}

extension LocalDay: CustomStringConvertible {
    /// As ISO 8601 writes it, such as `2026-11-23`.
    package var description: String {
        func padded(_ number: Int, _ digits: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
    }
}

/// What one released value covers.
package enum Period: Int16, Sendable, CaseIterable {
    /// A local day, of 23 to 25 hours.
    case day = 1
    /// A local week from Monday on (ISO 8601).
    case week = 7
}
