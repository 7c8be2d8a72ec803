package import ExposureKeys
package import FoundationEssentials

/// The phone's own keys: one for each of the last 14 days and today, more for a day whose key was shared while it lasted.
package struct KeyRing: Sendable {
    /// A key and when the phone broadcasts under it.
    package struct OwnKey: Sendable {
        /// Random, and known to this phone only until it is shared.
        package let data: KeyData
        /// Within one UTC day: to its end, or to the moment when the key was replaced.
        package fileprivate(set) var period: RollingPeriod
        fileprivate let schedule: KeySchedule

        /// The period with which the key is shared: from midnight, whenever its use began.
        ///
        /// Servers take no other start (``UploadRules``), and intervals without broadcasts match nothing.
        package var sharedPeriod: RollingPeriod {
            let start = period.start.startOfDay
            return RollingPeriod(start: start, length: period.end.rawValue - start.rawValue) ?? period
        }

        /// The UTC day during which the key is in use.
        package var day: Day { Day(containing: Date(timeIntervalSince1970: Double(period.start.startSeconds))) }
    }

    /// In the order of their periods, which don't overlap. The last one is in use.
    package private(set) var keys: [OwnKey]

    /// How many days keys are kept, besides today.
    package static let daysKept = 14

    /// The keys of a phone that has been in use for two weeks.
    /// - Parameter random: of the system, except in a simulation: whoever can predict it can follow the phone.
    package init(at now: Date, using random: inout some RandomNumberGenerator) {
        let today = Day(containing: now)
        keys = []
        for day in today.advanced(by: -Self.daysKept)...today { add(from: day.firstInterval, using: &random) }
    }

    /// Time passes: each new day gets a key, and what is older than 14 days is forgotten.
    package mutating func live(until now: Date, using random: inout some RandomNumberGenerator) {
        let today = Day(containing: now)
        guard let last = keys.last?.day, last < today else { return }
        let oldest = today.advanced(by: -Self.daysKept)
        keys.removeAll { $0.day < oldest }
        for day in max(last.advanced(by: 1), oldest)...today { add(from: day.firstInterval, using: &random) }
    }

    /// Replaces the key in use by another for the rest of the day, so that it can be shared at once: whoever has a key that is still in use
    /// can be taken for this phone.
    ///
    /// The old key's period ends before the present interval. Nothing happens within the interval in which the key began.
    package mutating func rollOver(at now: Date, using random: inout some RandomNumberGenerator) {
        live(until: now, using: &random)
        let interval = IntervalNumber(containing: now)
        guard let last = keys.last, last.period.contains(interval), last.period.start < interval,
            let shorter = RollingPeriod(
                start: last.period.start, length: interval.rawValue - last.period.start.rawValue)
        else { return }
        keys[keys.count - 1].period = shorter
        add(from: interval, using: &random)
    }

    /// What the phone broadcasts in an interval of the last two weeks; nil at other times.
    package func advertisement(at interval: IntervalNumber, _ metadata: BroadcastMetadata) throws -> Advertisement? {
        try keys.last { $0.period.contains(interval) }?.schedule.advertisement(at: interval, metadata)
    }

    /// The identifier alone, without metadata.
    package func identifier(at interval: IntervalNumber) throws -> RollingProximityIdentifier? {
        try keys.last { $0.period.contains(interval) }?.schedule.identifier(at: interval)
    }

    /// Adds a key for the rest of a day.
    private mutating func add(from start: IntervalNumber, using random: inout some RandomNumberGenerator) {
        let length = IntervalNumber.perDay - start.rawValue % IntervalNumber.perDay
        guard let period = RollingPeriod(start: start, length: length) else { return }
        let data = KeyData(high: random.next(), low: random.next())
        keys.append(OwnKey(data: data, period: period, schedule: KeySchedule(data)))
    }
}
