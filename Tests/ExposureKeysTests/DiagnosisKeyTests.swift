import ExposureKeys
import Testing

@Suite("Diagnosis keys")
struct DiagnosisKeyTests {
    /// Few values of each field, the extremes among them, so that any field decides now and then.
    private static func random() throws -> DiagnosisKey {
        let starts: [UInt32] = [0, 1, 144, 2_649_888, UInt32(Int32.max) - 144]
        let days: [Int32] = [DaysSinceOnset.range.lowerBound, -1, 0, 15, 16, 255, 256, DaysSinceOnset.range.upperBound]
        let bytes: [UInt8] = [0, 127, 128, 255]
        return DiagnosisKey(
            data: try #require(KeyData((0..<16).map { $0 % 8 == 0 ? bytes.randomElement() ?? 0 : 5 })),
            rollingPeriod: try #require(
                RollingPeriod(
                    start: IntervalNumber(rawValue: starts.randomElement() ?? 0),
                    length: [1, 2, 143, 144].randomElement() ?? 1)),
            transmissionRiskLevel: try #require(
                TransmissionRiskLevel(rawValue: .random(in: TransmissionRiskLevel.range))),
            daysSinceOnsetOfSymptoms: try #require(DaysSinceOnset(rawValue: days.randomElement() ?? 0)),
            reportType: try #require(ReportType.allCases.randomElement()))
    }

    /// The obvious comparison: field by field.
    private static func precedes(_ left: DiagnosisKey, _ right: DiagnosisKey) -> Bool {
        func fields(_ key: DiagnosisKey) -> [Int] {
            [
                Int(key.rollingPeriod.start.rawValue), Int(key.rollingPeriod.length),
                key.transmissionRiskLevel.rawValue, Int(key.daysSinceOnsetOfSymptoms.rawValue),
                key.reportType.rawValue,
            ] + key.data.bytes.map { Int($0) }
        }
        return fields(left).lexicographicallyPrecedes(fields(right))
    }

    @Test("the order is rolling start, period, risk level, onset, report type, and then the key's bytes")
    func order() throws {
        for _ in 0..<20_000 {
            let left = try Self.random()
            var right = try Self.random()
            // From a random field on another key, so that the last fields decide as often as the first.
            let common = Int.random(in: 0...6)
            right = DiagnosisKey(
                data: common > 5 ? left.data : right.data,
                rollingPeriod: common > 0 ? left.rollingPeriod : right.rollingPeriod,
                transmissionRiskLevel: common > 1 ? left.transmissionRiskLevel : right.transmissionRiskLevel,
                daysSinceOnsetOfSymptoms: common > 2 ? left.daysSinceOnsetOfSymptoms : right.daysSinceOnsetOfSymptoms,
                reportType: common > 3 ? left.reportType : right.reportType)
            #expect((left < right) == Self.precedes(left, right))
            #expect((right < left) == Self.precedes(right, left))
        }
    }

    @Test("sorting is by that order, whatever the order before")
    func sorting() throws {
        let keys = try (0..<3000).map { _ in try Self.random() }
        #expect(keys.sorted() == keys.sorted(by: Self.precedes))
        #expect(keys.shuffled().sorted() == keys.sorted())
    }

    @Test(
        "in whole hours, a key's period ends with the hour in which it ended",
        arguments: [(1, 6), (6, 6), (7, 12), (104, 108), (138, 138), (139, 144), (144, 144)])
    func wholeHours(length: UInt32, rounded: UInt32) throws {
        let start = Day(number: 20_600).firstInterval
        let key = DiagnosisKey(
            data: try #require(KeyData(0..<16)),
            rollingPeriod: try #require(RollingPeriod(start: start, length: length)),
            transmissionRiskLevel: .lowestPublished,
            daysSinceOnsetOfSymptoms: try #require(DaysSinceOnset(rawValue: 1)),
            reportType: .recursive)
        #expect(key.inWholeHours.rollingPeriod == RollingPeriod(start: start, length: rounded))
        #expect(key.inWholeHours.data == key.data)
        #expect(key.inWholeHours.transmissionRiskLevel == key.transmissionRiskLevel)
        #expect(key.inWholeHours.daysSinceOnsetOfSymptoms == key.daysSinceOnsetOfSymptoms)
        #expect(key.inWholeHours.reportType == key.reportType)
    }
}
