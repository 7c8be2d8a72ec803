import ExposureKeys
import Foundation
import TestSupport
import Testing

struct UploadRulesTests {
    private let now = Day(number: 20_500).firstHour.advanced(by: 10).start
    private let rules = UploadRules()

    private func key(
        data: [UInt8] = [UInt8](repeating: 7, count: 16), daysAgo: Int = 1, period: Int64 = 144, level: Int? = 5,
        onset: Int32? = nil
    ) -> UploadedKey {
        let start = Day(containing: now).advanced(by: -daysAgo).firstInterval
        return UploadedKey(
            data: data, rollingStart: Int64(start.rawValue), rollingPeriod: period, transmissionRiskLevel: level,
            daysSinceOnsetOfSymptoms: onset, reportType: .confirmedTest)
    }

    @Test("an upload has 1 to 30 keys, of which the youngest 14 are kept", arguments: [0, 1, 14, 15, 16, 30, 31])
    func count(count: Int) throws {
        let keys = (0..<count).map { key(data: Self.data($0), daysAgo: $0) }
        if (1...30).contains(count) {
            #expect(try rules.normalise(keys.shuffled()) == rules.normalise(Array(keys.prefix(14))))
        } else {
            #expect(throws: InvalidUpload.numberOfKeys) { try rules.normalise(keys) }
        }
    }

    @Test("which keys are kept doesn't depend on risk levels and days since onset", arguments: 0..<50)
    func withoutRisk(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let first = (0..<Int.random(in: 1...20, using: &random)).map { number in
            key(
                data: Self.data(Int.random(in: 0...number, using: &random)),
                daysAgo: Int.random(in: 0...14, using: &random),
                period: [48, 72, 100, 144].randomElement(using: &random) ?? 1,
                level: Int.random(in: 1...8, using: &random), onset: Int32.random(in: -15...4000, using: &random))
        }
        let repeated = first.map { key in
            var key = key
            key.transmissionRiskLevel = Int.random(in: 1...8, using: &random)
            key.daysSinceOnsetOfSymptoms = Int32.random(in: -15...4000, using: &random)
            return key
        }
        func kept(_ keys: [UploadedKey]) throws -> Set<KeyData> { Set(try rules.normalise(keys).map(\.data)) }
        #expect(try kept(repeated) == kept(first))
    }

    struct Breach: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout UploadedKey) -> Void
    }

    static let breaches = [
        Breach(testDescription: "15 bytes of key data") { $0.data.removeLast() },
        Breach(testDescription: "17 bytes of key data") { $0.data.append(0) },
        Breach(testDescription: "no key data") { $0.data = [] },
        Breach(testDescription: "a start off midnight") { $0.rollingStart += 1 },
        Breach(testDescription: "start zero") { $0.rollingStart = 0 },
        Breach(testDescription: "a negative start") { $0.rollingStart = -144 },
        Breach(testDescription: "a huge start") { $0.rollingStart = 144 << 40 },
        Breach(testDescription: "period zero") { $0.rollingPeriod = 0 },
        Breach(testDescription: "period 145") { $0.rollingPeriod = 145 },
        Breach(testDescription: "a negative period") { $0.rollingPeriod = -1 },
        Breach(testDescription: "level 0") { $0.transmissionRiskLevel = 0 },
        Breach(testDescription: "level 9") { $0.transmissionRiskLevel = 9 },
        Breach(testDescription: "onset -16") { $0.daysSinceOnsetOfSymptoms = -16 },
        Breach(testDescription: "onset 4001") { $0.daysSinceOnsetOfSymptoms = 4001 },
        Breach(testDescription: "neither level nor onset") {
            $0.transmissionRiskLevel = nil
        },
    ]

    @Test("an invalid key is dropped, and the valid ones are kept", arguments: breaches)
    func leftOut(breach: Breach) throws {
        var bad = key()
        breach.change(&bad)
        let good = [key(data: Self.data(1), daysAgo: 2), key(data: Self.data(2), daysAgo: 3)]
        #expect(try rules.normalise([good[0], bad, good[1]]) == rules.normalise(good))
        #expect(throws: InvalidUpload.noUsableKey) { try rules.normalise([bad]) }
        #expect(throws: InvalidUpload.noUsableKey) { try rules.normalise([bad, bad]) }
    }

    private static func data(_ number: Int) -> [UInt8] { [UInt8](repeating: UInt8(number), count: 16) }

    // MARK: Between keys

    /// The periods of a day's keys, and which of them are kept.
    static let days: [(sent: [Int64], kept: [Int64])] = [
        ([144], [144]),
        // Given away at some time of the day: what follows begins at midnight, too, and lasts to a later end …
        ([104, 142], [104, 142]), ([60, 144], [60, 144]), ([10, 20, 144], [10, 20, 144]),
        // … or is told by what was left.
        ([104, 40], [40, 104]), ([72, 72], [72, 72]), ([48, 48, 48], [48, 48, 48]),
        // Two phones' days, or made up.
        ([144, 144], [144]), ([100, 100], [100]), ([100, 100, 144], [100, 144]), ([1, 2, 3, 4], [1, 2, 3]),
        ([1, 1, 1, 1], [1, 1, 1]), ([80, 80, 80, 144, 144], [80, 144]),
    ]

    @Test("keys of one day may overlap only as the early release of a key makes them", arguments: days)
    func sameDay(sent: [Int64], kept: [Int64]) throws {
        let keys = sent.enumerated().map { key(data: Self.data($0), period: $1) }
        let other = key(data: Self.data(99), daysAgo: 2)
        let accepted = try rules.normalise(keys + [other])
        let lengths = accepted.filter { $0.data.bytes != other.data }.map { Int64($0.rollingPeriod.length) }
        #expect(lengths == kept)
        #expect(accepted.count == kept.count + 1)
    }

    @Test("duplicate key data counts once, and content decides which key is kept")
    func duplicates() throws {
        let once = key()
        #expect(try rules.normalise([once, once]) == rules.normalise([once]))
        let elsewhere = key(daysAgo: 2)
        #expect(try rules.normalise([once, elsewhere]) == rules.normalise([elsewhere]))
        #expect(try rules.normalise([elsewhere, once]) == rules.normalise([elsewhere]))
    }

    /// What the rules between keys say, word for word: a set of keys may be kept if no data is in it twice and each of its
    /// days is one that phones make. Of all ways to take keys in the order of days, lengths and data, the greedy one is asked for.
    private func obvious(_ uploaded: [UploadedKey]) -> [DiagnosisKey] {
        var kept: [DiagnosisKey] = []
        for one in uploaded.compactMap({ try? rules.normalise([$0]).first }).sorted(by: isOlder)
        where isPossible(kept + [one]) {
            kept.append(one)
        }
        return kept.sorted()
    }

    private func isOlder(_ one: DiagnosisKey, _ other: DiagnosisKey) -> Bool {
        func rank(_ key: DiagnosisKey) -> [UInt64] {
            [UInt64(key.rollingPeriod.start.rawValue), UInt64(key.rollingPeriod.length), key.data.high, key.data.low]
        }
        return rank(one) == rank(other) ? one < other : rank(one).lexicographicallyPrecedes(rank(other))
    }

    private func isPossible(_ keys: [DiagnosisKey]) -> Bool {
        let days = Dictionary(grouping: keys, by: \.rollingPeriod.start).values.map { $0.map(\.rollingPeriod.length) }
        return Set(keys.map(\.data)).count == keys.count && days.allSatisfy(isPossibleDay)
    }

    /// Keys of a day, told by their ends or by their lengths, from when to when each was in use.
    private func isPossibleDay(_ lengths: [UInt32]) -> Bool {
        guard lengths.count <= 3 else { return false }
        guard let last = lengths.sorted().last, lengths.count > 1 else { return true }
        let others = Array(lengths.sorted().dropLast())
        let byLengths = lengths.reduce(0, +) <= 144
        let byEnds = others.allSatisfy { $0 < last } && isPossibleDay(others)
        return byLengths || byEnds
    }

    @Test("the rules between keys agree with a slow reference implementation", arguments: 0..<200)
    func obviousModel(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let uploaded = (0..<Int.random(in: 1...14, using: &random)).map { _ in
            key(
                data: Self.data(Int.random(in: 0...9, using: &random)),
                daysAgo: Int.random(in: 0...3, using: &random),
                period: [0, 1, 48, 72, 73, 100, 144, 145].randomElement(using: &random) ?? 1,
                level: [nil, 0, 3, 5].randomElement(using: &random) ?? nil,
                onset: [nil, 3].randomElement(using: &random) ?? nil)
        }
        let expected = obvious(uploaded)
        if expected.isEmpty {
            #expect(throws: InvalidUpload.noUsableKey) { try rules.normalise(uploaded) }
        } else {
            let accepted = try rules.normalise(uploaded)
            #expect(accepted == expected)
            #expect(try rules.normalise(uploaded.shuffled(using: &random)) == accepted)
            // What was accepted is accepted whole.
            #expect(isPossible(accepted))
        }
    }

    @Test("a missing value is derived from the other one")
    func derived() throws {
        let fromOnset = try #require(try rules.normalise([key(level: nil, onset: 0)]).first)
        #expect(fromOnset.transmissionRiskLevel.rawValue == 8)
        let fromLevel = try #require(try rules.normalise([key(level: 6)]).first)
        #expect(fromLevel.daysSinceOnsetOfSymptoms.rawValue == 3995)
        let both = try #require(try rules.normalise([key(level: 1, onset: 0)]).first)
        #expect(both.transmissionRiskLevel.rawValue == 1 && both.daysSinceOnsetOfSymptoms.rawValue == 0)
    }

    @Test("normalising doesn't depend on the order of the keys")
    func order() throws {
        let keys = (1...14).map { key(data: [UInt8](repeating: UInt8($0), count: 16), daysAgo: $0) }
        var randomness = SystemRandomNumberGenerator()
        #expect(try rules.normalise(keys) == rules.normalise(keys.shuffled(using: &randomness)))
    }

    @Test("keys of the future and of more than 14 days ago are dropped without an error")
    func current() throws {
        let keys = try rules.normalise([0, 14, 15, -1].map { key(data: Self.data($0 + 1), daysAgo: $0) })
        let today = Day(containing: now).firstInterval.rawValue
        let kept = rules.current(keys, at: now).map(\.rollingPeriod.start.rawValue)
        #expect(kept.sorted() == [today - 14 * 144, today])
    }
}
