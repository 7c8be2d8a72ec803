import Crypto
package import ExposureFormat
package import ExposureKeys
package import FoundationEssentials

/// The reference phone: an app and its operating system as a library for the story, tests and load generation.
package struct Phone: Sendable {
    /// One key for each of the last 14 days and today, in the order of days.
    package private(set) var keys: [DailyKey]
    /// What it heard from others.
    private var heard: Set<Encounter> = []

    /// A day's key.
    package struct DailyKey: Sendable {
        /// Random, and known to this phone only until it is shared.
        package let data: KeyData
        /// The UTC day during which the key is in use.
        package let day: Day
        fileprivate let schedule: KeySchedule
    }

    /// How many days keys are kept, besides today.
    package static let daysKept = 14

    /// Creates a phone that has been in use for two weeks.
    package init(at now: Date) {
        let today = Day(containing: now)
        keys = (today.advanced(by: -Self.daysKept)...today).map(Self.newKey)
    }

    private static func newKey(of day: Day) -> DailyKey {
        let data = SymmetricKey(size: .bits128).withUnsafeBytes { KeyData($0) }
        guard let data else { preconditionFailure("a 128-bit key has 16 bytes") }
        return DailyKey(data: data, day: day, schedule: KeySchedule(data))
    }

    /// Time passes: each new day gets a key, and what is older than 14 days is forgotten.
    package mutating func live(until now: Date) {
        let today = Day(containing: now)
        guard let last = keys.last?.day, last < today else { return }
        let oldest = today.advanced(by: -Self.daysKept)
        keys.removeAll { $0.day < oldest }
        keys += (max(last.advanced(by: 1), oldest)...today).map(Self.newKey)
        heard = heard.filter { $0.interval >= oldest.firstInterval }
    }

    // MARK: Meeting others

    /// The phone's broadcast in an interval of the last two weeks; nil at other times.
    package func broadcast(in interval: IntervalNumber) throws -> RollingProximityIdentifier? {
        try keys.first { $0.day.firstInterval == interval.startOfDay }?.schedule.identifier(at: interval)
    }

    /// Lets two nearby phones hear each other for a number of intervals.
    package mutating func meet(_ other: inout Phone, from start: IntervalNumber, intervals: UInt32) throws {
        for offset in 0..<intervals {
            let interval = IntervalNumber(rawValue: start.rawValue + offset)
            if let identifier = try other.broadcast(in: interval) { hear(identifier, in: interval) }
            if let identifier = try broadcast(in: interval) { other.hear(identifier, in: interval) }
        }
    }

    /// Records a received broadcast, by this phone's clock.
    package mutating func hear(_ identifier: RollingProximityIdentifier, in interval: IntervalNumber) {
        heard.insert(Encounter(identifier: identifier, interval: interval))
    }

    // MARK: After a positive test

    /// The keys of the last 14 days, as the app shares them.
    ///
    /// Today's key is missing, because it is still in use. The risk is that of a test without information on symptoms
    /// (cwa-server, services/submission `application.yaml`; days 3992 to 4000).
    package func diagnosisKeys() -> [DiagnosisKey] {
        guard let first = keys.first?.day, let today = keys.last?.day else { return [] }
        return diagnosisKeys(of: first...today)
    }

    /// The same for some days. Today's isn't among them: whoever had it could still use it to be taken for this phone.
    package func diagnosisKeys(of days: ClosedRange<Day>) -> [DiagnosisKey] {
        guard let today = keys.last?.day else { return [] }
        return keys.dropLast().filter { days.contains($0.day) }.compactMap { key in
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

    /// Finds, on the phone, the heard broadcasts of published keys. Nobody else learns the outcome.
    package func matches(among published: [ExportedKey]) -> [Matcher.Match] {
        Matcher(heard: heard).matches(among: published)
    }
}
