import CMatching
package import ExposureFormat
package import ExposureKeys

/// Finds among the broadcasts of published keys those that a phone heard. Nobody but the phone learns the outcome.
///
/// From each key follow an identifier key and up to 144 broadcasts (Exposure Notification Cryptography Specification 1.2).
/// A country's day is four million of them, so `CMatching` computes them, with the best instructions that the processor has,
/// and keeps those that a set of bits doesn't rule out. What is left, one of some hundred, is looked up here.
///
/// A matcher is good for any number of packages, as long as nothing more is heard.
package struct Matcher: Sendable {
    /// A broadcast, of a key that was published, that was heard.
    package struct Match: Hashable, Sendable {
        /// The published key; it says which day it was, but not who.
        package let key: KeyData
        /// When the other phone broadcast it, which is within two hours of when it was heard.
        package let interval: IntervalNumber
        /// As published with the key.
        package let transmissionRiskLevel: TransmissionRiskLevel
    }

    /// How far apart two phones' clocks may be: two hours, in intervals (Exposure Notification Cryptography Specification
    /// 1.2, matching). Otherwise a broadcast that was recorded and played back days later would be an encounter.
    package static let clockTolerance: UInt32 = 12

    /// When each identifier was heard.
    private let intervals: [RollingProximityIdentifier: [IntervalNumber]]
    private let filter: HeardFilter
    private let code: MatchingCode

    /// Keys that are handed to C at one time, and the room for what it finds: both stay in the processor's nearest memory.
    private static let keysAtOnce = 512
    private static let room = 2 * Int(VIGIL_MATCHING_BATCH * VIGIL_MATCHING_PER_KEY)

    /// A matcher of what a phone has heard; the same identifier may have been heard at several times.
    package init(heard: some Sequence<Encounter>) {
        self.init(heard: heard, code: .best)
    }

    /// A matcher that uses certain instructions. All find the same.
    init(heard: some Sequence<Encounter>, code: MatchingCode) {
        intervals = Dictionary(grouping: heard, by: \.identifier).mapValues { $0.map(\.interval) }
        filter = HeardFilter(intervals.keys)
        self.code = code
    }

    /// The broadcasts of published keys that were heard in time.
    /// - Returns: in the order of the keys, and for each of them in the order of intervals. A key that is there twice is
    ///   found twice.
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
                            let key = chunk[begin + rest.startIndex + Int(candidate.key)]
                            matches.append(
                                Match(
                                    key: key.data, interval: IntervalNumber(rawValue: candidate.interval),
                                    transmissionRiskLevel: key.transmissionRiskLevel))
                        }
                        rest = rest.dropFirst(found.keysDone)
                    }
                }
            }
        }
        return matches
    }

    /// Whether it was heard at all, and near the time at which it was sent.
    private func wasHeard(_ candidate: vigil_matching_candidate) -> Bool {
        let identifier = RollingProximityIdentifier(first: candidate.first, second: candidate.second)
        guard filter.passes(identifier), let heardAt = intervals[identifier] else { return false }
        let sent = candidate.interval
        return heardAt.contains { max($0.rawValue, sent) - min($0.rawValue, sent) <= Self.clockTolerance }
    }
}

extension vigil_matching_key {
    fileprivate init(_ key: ExportedKey) {
        self.init(
            high: key.data.high, low: key.data.low, start: key.rollingPeriod.start.rawValue,
            length: key.rollingPeriod.length)
    }
}
