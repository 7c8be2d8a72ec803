import Crypto
package import ExposureFormat
package import ExposureKeys
package import FoundationEssentials

/// The reference phone: what an app and its operating system do, as a library for the story, the tests and load.
package struct Phone: Sendable {
    /// One key for each of the last 14 days and today, in the order of days.
    package let keys: [DailyKey]
    /// What it heard from others.
    private var heard: Set<Encounter> = []

    /// A day's key.
    package struct DailyKey: Sendable {
        /// Random, and on nobody else's phone until it is shared.
        package let data: KeyData
        /// The UTC day during which the key is in use.
        package let day: Day
        fileprivate let schedule: KeySchedule
    }

    /// Days for which keys are kept, besides today.
    package static let daysKept = 14

    /// A phone that has been in use for two weeks.
    package init(at now: Date) {
        let today = Day(containing: now)
        keys = (today.advanced(by: -Self.daysKept)...today).map { day in
            let data = SymmetricKey(size: .bits128).withUnsafeBytes { KeyData($0) }
            guard let data else { preconditionFailure("a 128-bit key has 16 bytes") }
            return DailyKey(data: data, day: day, schedule: KeySchedule(data))
        }
    }

    // MARK: Meeting others

    /// What this phone broadcasts in an interval of the last two weeks; nil at other times.
    package func broadcast(in interval: IntervalNumber) throws -> RollingProximityIdentifier? {
        try keys.first { $0.day.firstInterval == interval.startOfDay }?.schedule.identifier(at: interval)
    }

    /// Two phones near each other for a number of intervals hear each other.
    package mutating func meet(_ other: inout Phone, from start: IntervalNumber, intervals: UInt32) throws {
        for offset in 0..<intervals {
            let interval = IntervalNumber(rawValue: start.rawValue + offset)
            if let identifier = try other.broadcast(in: interval) { hear(identifier, in: interval) }
            if let identifier = try broadcast(in: interval) { other.hear(identifier, in: interval) }
        }
    }

    /// Notes a broadcast that was received, by this phone's clock.
    package mutating func hear(_ identifier: RollingProximityIdentifier, in interval: IntervalNumber) {
        heard.insert(Encounter(identifier: identifier, interval: interval))
    }

    // MARK: After a positive test

    /// The keys of the last 14 days, as the app shares them: without today's, which is still in use, and with the risk
    /// that belongs to a test without information on symptoms (cwa-server, services/submission `application.yaml`; days 3992 to 4000).
    package func diagnosisKeys() -> [DiagnosisKey] {
        guard let today = keys.last?.day else { return [] }
        return keys.dropLast().compactMap { key in
            let daysAgo = Int32(key.day.distance(to: today))
            guard let onset = DaysSinceOnset(rawValue: 4000 - daysAgo),
                let period = RollingPeriod(start: key.day.firstInterval, length: IntervalNumber.perDay)
            else { return nil }
            return DiagnosisKey(
                data: key.data, rollingPeriod: period, transmissionRiskLevel: TransmissionRiskLevel(derivedFrom: onset),
                daysSinceOnsetOfSymptoms: onset, reportType: .confirmedTest)
        }
    }

    // MARK: Matching

    /// Finds, on the phone, what it heard among the broadcasts of published keys. Nobody learns the outcome.
    package func matches(among published: [ExportedKey]) -> [Matcher.Match] {
        Matcher(heard: heard).matches(among: published)
    }
}
