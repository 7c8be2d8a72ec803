package import ExposureKeys
package import FoundationEssentials
package import Venues

/// What the reports in a diary amount to, by the health authority's rules.
///
/// The calculation is that of cwa-app-android, `PresenceTracingRiskCalculator.kt`.
package struct VenueRisk: Hashable, Sendable {
    /// A visit on a day at which somebody who tested positive was there, too.
    package struct Exposure: Hashable, Sendable {
        /// The visit.
        package let checkIn: UInt32
        /// The UTC day on which the times together began.
        package let day: Day
        /// Minutes together, each weighted by the other's transmission risk level.
        package let normalizedMinutes: Double
        /// Nil if the rules have no level for so many minutes.
        package let level: VenueRules.Level?
    }

    /// By day and visit.
    package let exposures: [Exposure]
    /// Days with exposures; the level is nil if the rules have none for the sum of the day.
    package let days: [Day: VenueRules.Level?]

    /// Judges a diary.
    package init(_ diary: CheckInDiary, by rules: VenueRules, at now: Date) {
        // The days are counted from the start of the visit's last day.
        let today = Day(containing: now)
        let first = today.advanced(by: -rules.maximumDays)
        var minutes: [Day: [UInt32: Double]] = [:]
        let warnings = Dictionary(grouping: diary.warnings, by: \.venue)
        for checkIn in diary.checkIns where !checkIn.isShared && Day(containing: checkIn.end) >= first {
            guard let venue = checkIn.code?.venue.secret else { continue }
            let visit = checkIn.seconds(until: now.wholeSeconds)
            for record in (warnings[venue] ?? []).compactMap(\.record) {
                let together = visit.clamped(to: record.start.startSeconds..<record.end.startSeconds)
                guard !together.isEmpty else { continue }
                // Whole minutes, half a minute counting as one.
                let whole = Double((together.count + 30) / 60)
                let day = Day(containing: Date(timeIntervalSince1970: Double(together.lowerBound)))
                minutes[day, default: [:]][checkIn.id, default: 0] +=
                    whole * rules.value(of: record.transmissionRiskLevel)
            }
        }
        exposures = minutes.flatMap { day, visits in
            visits.map { checkIn, minutes in
                Exposure(
                    checkIn: checkIn, day: day, normalizedMinutes: minutes, level: rules.perCheckIn.level(of: minutes))
            }
        }.sorted { ($0.day, $0.checkIn) < ($1.day, $1.checkIn) }
        days = minutes.mapValues { rules.perDay.level(of: $0.values.sorted().reduce(0, +)) }
    }

    /// High if any visit or day is; low if nothing was found; nil if the rules have no level for anything that was.
    package var level: VenueRules.Level? {
        if exposures.isEmpty { return .low }
        let levels = exposures.map(\.level) + days.values
        return levels.contains(.high) ? .high : levels.contains(.low) ? .low : nil
    }
}

extension CheckInDiary {
    /// A visit on a day, of which the owner was told.
    package struct Told: Codable, Hashable, Sendable {
        /// The visit.
        package let checkIn: UInt32
        private let dayNumber: Int32

        /// The day of the exposure.
        package var day: Day { Day(number: dayNumber) }

        init(checkIn: UInt32, day: Day) {
            self.checkIn = checkIn
            dayNumber = day.number
        }
    }

    /// What the owner is to be told now, by a local notification: visits on days of high risk of which nothing was said before. It counts
    /// as told: the app writes the diary first.
    package mutating func news(by rules: VenueRules, at now: Date) -> [Told] {
        let risk = VenueRisk(self, by: rules, at: now)
        let news = risk.exposures
            .filter { $0.level == .high || $0.normalizedMinutes > 0 && risk.days[$0.day] == .high }
            .map { Told(checkIn: $0.checkIn, day: $0.day) }
            .filter { !told.contains($0) }
        told.formUnion(news)
        return news
    }
}
