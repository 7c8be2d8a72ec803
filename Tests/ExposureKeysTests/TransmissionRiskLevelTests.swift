import ExposureKeys
import Testing

struct TransmissionRiskLevelTests {
    @Test("levels are 1 to 8", arguments: [(0, false), (1, true), (8, true), (9, false)])
    func range(value: Int, valid: Bool) {
        #expect((TransmissionRiskLevel(rawValue: value) != nil) == valid)
    }

    @Test(
        "days since onset give Corona-Warn-App's level",
        arguments: [
            (-5, 2), (0, 8), (6, 2), (7, 1), (-6, 1), (194, 2), (205, 2), (206, 1), (492, 2), (504, 2), (1102, 2),
            (1201, 2), (1301, 2), (1400, 2), (1500, 2), (1599, 2), (1699, 2), (1799, 2), (1992, 2), (2000, 5),
            (2997, 2), (3000, 4), (3992, 2), (3996, 7), (4000, 5), (3986, 1),
        ] as [(Int32, Int)])
    func derived(days: Int32, level: Int) throws {
        let onset = try #require(DaysSinceOnset(rawValue: days))
        #expect(TransmissionRiskLevel(derivedFrom: onset).rawValue == level)
    }

    @Test("every value of days since onset has a level", arguments: [DaysSinceOnset.range])
    func total(range: ClosedRange<Int32>) throws {
        for days in range {
            let level = TransmissionRiskLevel(derivedFrom: try #require(DaysSinceOnset(rawValue: days)))
            #expect(TransmissionRiskLevel.range.contains(level.rawValue))
        }
    }

    @Test(
        "a level alone gives Corona-Warn-App's days since onset",
        arguments: [(1, 3986), (2, 3992), (3, 3993), (4, 3994), (5, 4000), (6, 3995), (7, 3996), (8, 3997)])
    func onset(level: Int, days: Int32) throws {
        #expect(DaysSinceOnset(derivedFrom: try #require(TransmissionRiskLevel(rawValue: level))).rawValue == days)
    }
}
