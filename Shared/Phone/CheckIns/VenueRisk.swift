package import ExposureKeys
package import Exposures
package import FoundationEssentials
package import Venues

/// What the reports in a diary amount to, by the health authority's rules.
///
/// The calculation is that of the published apps (cwa-app-android, `PresenceTracingRiskCalculator.kt` and `CheckInsFilter.kt`; cwa-app-ios,
/// `CheckinRiskCalculation.swift`). They differ in what makes the whole high, and in when a visit is too old.
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
    /// Whose app judged.
    package let platform: Platform

    /// Judges a diary.
    /// - Parameter platform: whose app judges. Android's counts whole days, from the end of the time together, and doesn't look at sums of
    ///   days. That for iOS counts seconds, from the visit's end, and looks at nothing but these sums, in which a visit without a level has
    ///   no part.
    package init(_ diary: CheckInDiary, by rules: VenueRules, at now: Date, on platform: Platform = .android) {
        var minutes: [Day: [UInt32: Double]] = [:]
        let warnings = Dictionary(grouping: diary.warnings, by: \.venue)
        for checkIn in diary.checkIns where !checkIn.isShared {
            guard let venue = checkIn.code?.venue.secret else { continue }
            let visit = checkIn.seconds(until: now.wholeSeconds)
            for record in (warnings[venue] ?? []).compactMap(\.record) {
                let together = visit.clamped(to: record.start.startSeconds..<record.end.startSeconds)
                guard !together.isEmpty, platform.counts(together, of: checkIn, by: rules, at: now) else { continue }
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
        days = minutes.mapValues { visits in
            let counting = visits.values.filter { platform == .android || rules.perCheckIn.level(of: $0) != nil }
            return rules.perDay.level(of: counting.sorted().reduce(0, +))
        }
        self.platform = platform
    }

    /// What the app shows, and low if nothing was found.
    ///
    /// On Android high if any visit on a day is, and nil if the rules have no level for any of them, which the app shows as a failed
    /// calculation. On iOS high if any day is, and otherwise low.
    package var level: VenueRules.Level? {
        switch platform {
        case .android:
            if exposures.isEmpty { return .low }
            let levels = exposures.map(\.level)
            return levels.contains(.high) ? .high : levels.contains(.low) ? .low : nil
        case .iOS: return days.values.contains(.high) ? .high : .low
        }
    }

    /// Whether a visit on a day has to do with the level being high.
    func isHigh(_ exposure: Exposure) -> Bool {
        switch platform {
        case .android: exposure.level == .high
        case .iOS: exposure.level != nil && days[exposure.day] == .high
        }
    }
}

extension Platform {
    /// Whether a time together, in seconds since the epoch, isn't too old.
    fileprivate func counts(
        _ together: Range<Int64>, of checkIn: CheckIn, by rules: VenueRules, at now: Date
    ) -> Bool {
        switch self {
        case .android: together.upperBound >= Day(containing: now).advanced(by: -rules.maximumDays).startSeconds
        case .iOS: now.wholeSeconds - checkIn.end.wholeSeconds <= Int64(rules.maximumDays) * 86_400
        }
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
    package mutating func news(by rules: VenueRules, at now: Date, on platform: Platform = .android) -> [Told] {
        let risk = VenueRisk(self, by: rules, at: now, on: platform)
        let news = risk.exposures
            .filter(risk.isHigh)
            .map { Told(checkIn: $0.checkIn, day: $0.day) }
            .filter { !told.contains($0) }
        told.formUnion(news)
        return news
    }
}
