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

    /// The moment that a field for local times holds, such as `2026-05-25T10:00`; nil for another form, and for a time that clocks
    /// skip. Of a time that they repeat it is the first.
    func moment(_ text: String) -> Date? {
        let numbers = text.split(omittingEmptySubsequences: false) { "-T:".contains($0) }.map { Int($0) ?? -1 }
        guard text.utf8.count == 16, text.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}/) != nil,
            numbers.count == 5
        else { return nil }
        let parts = DateComponents(
            year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4])
        guard let moment = calendar.date(from: parts),
            calendar.dateComponents([.year, .month, .day, .hour, .minute], from: moment) == parts
        else { return nil }
        return moment
    }

    /// `23 November 2026`
    func day(_ moment: Date, in words: Words) -> String {
        let parts = calendar.dateComponents([.day, .month, .year], from: moment)
        return words.date(parts.day ?? 0, words.months[(parts.month ?? 1) - 1], parts.year ?? 0)
    }
}
