import Foundation

/// Times and days as the authority's clocks show them. Foundation's essentials alone know no time zones.
struct LocalTime: Sendable {
    private let calendar: Calendar

    /// - Parameter zone: a name of the IANA time zone database, such as `Europe/Berlin`. Nil for an unknown one.
    init?(zone: String) {
        guard let zone = TimeZone(identifier: zone) else { return nil }
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = zone
        self.calendar = calendar
    }

    /// `14:05`, or with the day if that isn't today.
    func time(_ moment: Date, now: Date, in words: Words) -> String {
        let parts = calendar.dateComponents([.hour, .minute], from: moment)
        let (hour, minute) = (parts.hour ?? 0, parts.minute ?? 0)
        let time = words.clock((hour < 10 ? "0" : "") + "\(hour):" + (minute < 10 ? "0" : "") + "\(minute)")
        return calendar.isDate(moment, inSameDayAs: now) ? time : "\(day(moment, in: words)), \(time)"
    }

    /// `23 November 2026`
    func day(_ moment: Date, in words: Words) -> String {
        let parts = calendar.dateComponents([.day, .month, .year], from: moment)
        return words.date(parts.day ?? 0, words.months[(parts.month ?? 1) - 1], parts.year ?? 0)
    }
}
