import CMatching
package import ExposureFormat
package import ExposureKeys
package import Exposures

/// Finds the broadcasts of published keys that a phone heard. Only the phone learns the outcome.
///
/// Each key determines an identifier key and up to 144 broadcasts (Exposure Notification Cryptography Specification 1.2). A
/// country's day has four million broadcasts, so `CMatching` computes them with the processor's best instructions and discards
/// those that a bit set rules out. The rest, one of some hundred, is looked up here.
///
/// A matcher can be reused for any number of packages until the phone hears something new.
package struct Matcher: Sendable {
    /// A heard broadcast of a published key.
    package struct Match: Hashable, Sendable {
        /// The key as it was published.
        package let published: ExportedKey
        /// When the other phone sent the broadcast, within two hours of when it was heard.
        package let interval: IntervalNumber
        /// What it broadcast.
        package let identifier: RollingProximityIdentifier

        /// The published key, which reveals the day but not the person.
        package var key: KeyData { published.data }
        /// The level that was published with the key.
        package var transmissionRiskLevel: TransmissionRiskLevel { published.transmissionRiskLevel }
    }

    /// The intervals in which each identifier was heard.
    private let intervals: [RollingProximityIdentifier: [IntervalNumber]]
    private let filter: HeardFilter
    private let code: MatchingCode

    /// How many keys are passed to C at a time. They and the room for the candidates stay in the processor's fastest cache.
    private static let keysAtOnce = 512
    private static let room = 2 * Int(VIGIL_MATCHING_BATCH * VIGIL_MATCHING_PER_KEY)

    /// Creates a matcher for what a phone has heard; an identifier may have been heard several times.
    package init(heard: some Sequence<Encounter>) {
        self.init(heard: heard, code: .best)
    }

    /// Creates a matcher that uses certain instructions. All give the same result.
    init(heard: some Sequence<Encounter>, code: MatchingCode) {
        intervals = Dictionary(grouping: heard, by: \.identifier).mapValues { $0.map(\.interval) }
        filter = HeardFilter(intervals.keys)
        self.code = code
    }

    /// The broadcasts of published keys that were heard in time.
    /// - Returns: the matches in the order of the keys and, for each key, of the intervals. A duplicate key is found twice.
    package func matches(among published: [ExportedKey]) -> [Match] {
        guard !intervals.isEmpty else { return [] }
        var matches: [Match] = []
        withUnsafeTemporaryAllocation(of: vigil_matching_candidate.self, capacity: Self.room) { candidates in
            for begin in stride(from: 0, to: published.count, by: Self.keysAtOnce) {
                let chunk = published[begin..<min(begin + Self.keysAtOnce, published.count)]
                let keys = chunk.map(vigil_matching_key.init)
                keys.withUnsafeBufferPointer { keys in
                    var rest = keys[...]
                    while !rest.isEmpty {
                        let found = filter.candidates(among: UnsafeBufferPointer(rebasing: rest), code, in: candidates)
                        for candidate in candidates[..<found.count] where wasHeard(candidate) {
                            matches.append(
                                Match(
                                    published: chunk[begin + rest.startIndex + Int(candidate.key)],
                                    interval: IntervalNumber(rawValue: candidate.interval),
                                    identifier: RollingProximityIdentifier(candidate)))
                        }
                        rest = rest.dropFirst(found.keysDone)
                    }
                }
            }
        }
        return matches
    }

    /// Whether the candidate was heard, and close to the time when it was sent.
    private func wasHeard(_ candidate: vigil_matching_candidate) -> Bool {
        let identifier = RollingProximityIdentifier(candidate)
        guard filter.passes(identifier), let heardAt = intervals[identifier] else { return false }
        let sent = IntervalNumber(rawValue: candidate.interval)
        return heardAt.contains { KeySchedule.isInTime($0, sentAt: sent) }
    }
}

extension RollingProximityIdentifier {
    fileprivate init(_ candidate: vigil_matching_candidate) {
        self.init(first: candidate.first, second: candidate.second)
    }
}

extension vigil_matching_key {
    fileprivate init(_ key: ExportedKey) {
        self.init(
            high: key.data.high, low: key.data.low, start: key.rollingPeriod.start.rawValue,
            length: key.rollingPeriod.length)
    }
}
