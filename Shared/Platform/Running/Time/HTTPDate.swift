import FoundationEssentials
import Synchronization

/// The `Date` field of answers, which is formatted once per second instead of once per answer.
package final class HTTPDate: Sendable {
    private let clock: WallClock
    private let latest = Mutex((second: Int.min, text: ""))

    /// - Parameter clock: the source of the time.
    package init(clock: WallClock) {
        self.clock = clock
    }

    /// The current time in the format of RFC 9110 (5.6.7).
    package var text: String {
        let second = Int(clock.now.timeIntervalSince1970.rounded(.down))
        return latest.withLock { latest in
            if latest.second != second {
                latest = (second, Self.format(second))
            }
            return latest.text
        }
    }

    /// - Parameter second: since 1970-01-01T00:00:00Z.
    static func format(_ second: Int) -> String {
        let time = CivilTime(secondsSince1970: second)
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][floored(time.daysSince1970, 7)]
        let month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][time.month - 1]
        return "\(weekday), \(padded(time.day)) \(month) \(padded(time.year, 4)) "
            + "\(padded(time.hour)):\(padded(time.minute)):\(padded(time.second)) GMT"
    }
}

/// An instant in UTC, split by arithmetic alone because every log line needs it.
struct CivilTime {
    let daysSince1970: Int
    let year: Int
    let month: Int
    let day: Int
    let hour: Int
    let minute: Int
    let second: Int

    init(secondsSince1970 instant: Int) {
        let secondOfDay = floored(instant, 86_400)
        daysSince1970 = (instant - secondOfDay) / 86_400
        hour = secondOfDay / 3600
        minute = secondOfDay / 60 % 60
        second = secondOfDay % 60
        // Days are counted from 1 March of year 0, so that the leap day is the last day of its year.
        let shifted = daysSince1970 + 719_468
        let dayOfEra = floored(shifted, 146_097)
        let era = (shifted - dayOfEra) / 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }
}

/// A number with leading zeros.
func padded(_ number: Int, _ width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

/// The non-negative remainder.
private func floored(_ dividend: Int, _ divisor: Int) -> Int {
    let remainder = dividend % divisor
    return remainder < 0 ? remainder + divisor : remainder
}
