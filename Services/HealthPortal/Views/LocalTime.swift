import ExposureKeys
import FoundationEssentials
import Statistics

/// Times and days as the authority's clocks show them.
struct LocalTime: Sendable {
    private let zone: ZoneFile

    private static let dayLength: Int64 = 86_400

    /// - Parameter zone: a name of the IANA time zone database, such as `Europe/Berlin`. Nil for an unknown one.
    init?(zone: String) {
        guard let zone = ZoneFile(zone) else { return nil }
        self.zone = zone
    }

    /// `14:05`, or with the day if that isn't today.
    func time(_ moment: Date, now: Date, in words: Words) -> String {
        let (day, second) = local(moment)
        let (hour, minute) = (second / 3600, second / 60 % 60)
        let time = words.clock((hour < 10 ? "0" : "") + "\(hour):" + (minute < 10 ? "0" : "") + "\(minute)")
        return day == local(now).day ? time : "\(self.day(moment, in: words)), \(time)"
    }

    /// The moment that a field for local times holds, such as `2026-05-25T10:00`; nil for another form, and for a time that clocks
    /// skip. Of a time that they repeat it is the first.
    func moment(_ text: String) -> Date? {
        guard let parts = text.wholeMatch(of: /([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2}):([0-9]{2})/)?.output,
            let day = Day(name: parts.1), let hour = Int64(parts.2), let minute = Int64(parts.3), hour < 24, minute < 60
        else { return nil }
        return zone.second(local: day.startSeconds + hour * 3600 + minute * 60).map {
            Date(timeIntervalSince1970: Double($0))
        }
    }

    /// `23 November 2026`
    func day(_ moment: Date, in words: Words) -> String {
        let date = local(moment).day.date
        return words.date(date.day, words.months[date.month - 1], date.year)
    }

    /// The day, and the seconds that the clocks have counted in it.
    private func local(_ moment: Date) -> (day: LocalDay, second: Int64) {
        let local = zone.local(Int64(moment.timeIntervalSince1970.rounded(.down)))
        let second = (local % Self.dayLength + Self.dayLength) % Self.dayLength
        return (LocalDay(number: Int32(clamping: (local - second) / Self.dayLength)), second)
    }
}
