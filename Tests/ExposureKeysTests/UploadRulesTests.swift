import ExposureKeys
import Foundation
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

    @Test("an upload has 1 to 14 keys", arguments: [(0, false), (1, true), (14, true), (15, false)])
    func count(count: Int, valid: Bool) throws {
        let keys = (0..<count).map { key(data: [UInt8](repeating: UInt8($0), count: 16)) }
        if valid {
            #expect(try rules.normalise(keys).count == count)
        } else {
            #expect(throws: InvalidUpload.numberOfKeys) { try rules.normalise(keys) }
        }
    }

    struct Breach: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let error: InvalidUpload
        let change: @Sendable (inout UploadedKey) -> Void
    }

    static let breaches = [
        Breach(testDescription: "15 bytes of key data", error: .keyLength) { $0.data.removeLast() },
        Breach(testDescription: "17 bytes of key data", error: .keyLength) { $0.data.append(0) },
        Breach(testDescription: "no key data", error: .keyLength) { $0.data = [] },
        Breach(testDescription: "a start off midnight", error: .rollingStart) { $0.rollingStart += 1 },
        Breach(testDescription: "start zero", error: .rollingStart) { $0.rollingStart = 0 },
        Breach(testDescription: "a negative start", error: .rollingStart) { $0.rollingStart = -144 },
        Breach(testDescription: "a huge start", error: .rollingStart) { $0.rollingStart = 144 << 40 },
        Breach(testDescription: "period zero", error: .rollingPeriod) { $0.rollingPeriod = 0 },
        Breach(testDescription: "period 145", error: .rollingPeriod) { $0.rollingPeriod = 145 },
        Breach(testDescription: "a negative period", error: .rollingPeriod) { $0.rollingPeriod = -1 },
        Breach(testDescription: "level 0", error: .transmissionRiskLevel) { $0.transmissionRiskLevel = 0 },
        Breach(testDescription: "level 9", error: .transmissionRiskLevel) { $0.transmissionRiskLevel = 9 },
        Breach(testDescription: "onset -16", error: .daysSinceOnset) { $0.daysSinceOnsetOfSymptoms = -16 },
        Breach(testDescription: "onset 4001", error: .daysSinceOnset) { $0.daysSinceOnsetOfSymptoms = 4001 },
        Breach(testDescription: "neither level nor onset", error: .neitherRiskLevelNorOnset) {
            $0.transmissionRiskLevel = nil
        },
    ]

    @Test("one bad key refuses the upload", arguments: breaches)
    func refused(breach: Breach) {
        var bad = key()
        breach.change(&bad)
        #expect(throws: breach.error) { try rules.normalise([key(daysAgo: 2), bad]) }
    }

    @Test("what is missing is derived from what is there")
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

    @Test("keys of the future and of more than 14 days ago are dropped without a word")
    func current() throws {
        let keys = try rules.normalise([key(daysAgo: 0), key(daysAgo: 14), key(daysAgo: 15), key(daysAgo: -1)])
        let today = Day(containing: now).firstInterval.rawValue
        let kept = rules.current(keys, at: now).map(\.rollingPeriod.start.rawValue)
        #expect(kept.sorted() == [today - 14 * 144, today])
    }
}
