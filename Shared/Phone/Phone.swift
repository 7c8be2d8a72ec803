package import ExposureFormat
package import ExposureKeys
package import Exposures
package import FoundationEssentials

/// The reference phone: an app and its operating system as a library for the story, tests and load generation.
package struct Phone: Sendable {
    private var ring: KeyRing
    /// What it heard from others.
    private var heard: Set<Encounter> = []

    /// A day's key.
    package struct DailyKey: Sendable {
        /// Random, and known to this phone only until it is shared.
        package let data: KeyData
        /// The UTC day during which the key is in use.
        package let day: Day
    }

    /// How many days keys are kept, besides today.
    package static let daysKept = KeyRing.daysKept

    /// Creates a phone that has been in use for two weeks.
    package init(at now: Date) {
        var random = SystemRandomNumberGenerator()
        self.init(at: now, using: &random)
    }

    /// The same with keys from a generator, for simulations.
    package init(at now: Date, using random: inout some RandomNumberGenerator) {
        ring = KeyRing(at: now, using: &random)
    }

    /// The keys of the last 14 days and today, in the order of their periods.
    package var keys: [DailyKey] { ring.keys.map { DailyKey(data: $0.data, day: $0.day) } }

    /// Time passes: each new day gets a key, and what is older than 14 days is forgotten.
    package mutating func live(until now: Date) {
        var random = SystemRandomNumberGenerator()
        live(until: now, using: &random)
    }

    /// The same with keys from a generator, for simulations.
    package mutating func live(until now: Date, using random: inout some RandomNumberGenerator) {
        ring.live(until: now, using: &random)
        let oldest = Day(containing: now).advanced(by: -Self.daysKept)
        heard = heard.filter { $0.interval >= oldest.firstInterval }
    }

    /// Ends the day's key, so that it can be shared at once, and begins another for the rest of the day.
    package mutating func rollOver(at now: Date) {
        var random = SystemRandomNumberGenerator()
        ring.rollOver(at: now, using: &random)
    }

    // MARK: Meeting others

    /// The phone's broadcast in an interval of the last two weeks; nil at other times.
    package func broadcast(in interval: IntervalNumber) throws -> RollingProximityIdentifier? {
        try ring.identifier(at: interval)
    }

    /// All that it broadcasts in an interval of the last two weeks; nil at other times.
    package func advertisement(in interval: IntervalNumber, _ metadata: BroadcastMetadata) throws -> Advertisement? {
        try ring.advertisement(at: interval, metadata)
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
    /// The key in use is missing. Several keys of a day have the same risk.
    /// - Parameter onset: what the person says of symptoms.
    package func diagnosisKeys(_ onset: OnsetOfSymptoms = .unsaid) -> [DiagnosisKey] {
        guard let first = ring.keys.first?.day, let today = ring.keys.last?.day else { return [] }
        return diagnosisKeys(of: first...today, onset)
    }

    /// The same for some days. The key in use isn't among them: whoever had it could still use it to be taken for this phone.
    /// - Parameter answer: the day on which the person said it; by default today.
    package func diagnosisKeys(
        of days: ClosedRange<Day>, _ onset: OnsetOfSymptoms = .unsaid, answeredOn answer: Day? = nil
    ) -> [DiagnosisKey] {
        guard let today = answer ?? ring.keys.last?.day else { return [] }
        return ring.keys.dropLast().filter { days.contains($0.day) }.compactMap { key in
            onset.daysSinceOnset(of: key.day, today: today).map { daysSinceOnset in
                DiagnosisKey(
                    data: key.data, rollingPeriod: key.sharedPeriod,
                    transmissionRiskLevel: onset.level(of: key.day, today: today),
                    daysSinceOnsetOfSymptoms: daysSinceOnset, reportType: .confirmedTest)
            }
        }
    }

    // MARK: Matching

    /// Finds, on the phone, the heard broadcasts of published keys. Nobody else learns the outcome.
    package func matches(among published: [ExportedKey]) -> [Matcher.Match] {
        Matcher(heard: heard).matches(among: published)
    }
}
