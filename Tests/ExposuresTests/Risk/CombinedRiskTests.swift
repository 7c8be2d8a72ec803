import ExposureKeys
import Exposures
import FoundationEssentials
import Testing

/// The risk of 2020.
@Suite struct CombinedRiskTests {
    private static let day = Day(number: 20_600)
    private static let now = day.firstHour.advanced(by: 36).start

    /// Corona-Warn-App's values of its first months and of November 2020 (cwa-server, main configuration).
    private static func rules(isFirst: Bool) throws -> ScoreRules {
        ScoreRules(
            attenuation: try #require(ScoreRules.Levels([0] + Array(repeating: isFirst ? 1 : 2, count: 7))),
            days: try #require(ScoreRules.Levels(Array(repeating: 5, count: 8))),
            duration: try #require(ScoreRules.Levels([0, 0, 0, 1, 1, 1, 1, 1])),
            transmission: try #require(ScoreRules.Levels(isFirst ? Array(1...8) : [0, 0, 3, 4, 5, 6, 7, 8])),
            minimumScore: 11, lowerThreshold: 55, upperThreshold: 63,
            weights: ScoreRules.Weights(low: 1, middle: 0.5, high: 0), offset: 0, divisor: isFirst ? 25 : 50,
            highFrom: 15)
    }

    private static func encounter(level: Int, minutes: [Int], attenuation: Int = 40) throws -> ExposureInformation {
        ExposureInformation(
            day: day, attenuation: attenuation, minutes: (minutes.reduce(0, +) + 4) / 5 * 5,
            transmissionRiskLevel: try #require(TransmissionRiskLevel(rawValue: level)),
            seconds: minutes.map { $0 * 60 })
    }

    @Test(
        "worked examples of the first months, and the same results by the later values",
        arguments: [
            (8, [20, 0, 0], 32.0, RiskLevel.high), (5, [15, 0, 0], 15, .high), (5, [14, 0, 0], 14, .low),
            (5, [0, 28, 40], 14, .low), (5, [0, 30, 0], 15, .high), (8, [10, 0, 0], 0, .low), (1, [30, 0, 0], 0, .low),
            (2, [30, 0, 0], 0, .low), (3, [25, 0, 0], 15, .high), (8, [300, 300, 0], 72, .high),
        ])
    func examples(level: Int, minutes: [Int], score: Double, risk: RiskLevel) throws {
        for isFirst in [true, false] {
            let combined = CombinedRisk(
                [try Self.encounter(level: level, minutes: minutes)], by: try Self.rules(isFirst: isFirst), at: Self.now
            )
            #expect(combined.score == score)
            #expect(combined.level == risk)
        }
    }

    @Test func `the most serious encounter meets the minutes of all, which is the weakness of the score`() throws {
        let rules = try Self.rules(isFirst: true)
        let serious = try Self.encounter(level: 8, minutes: [11, 0, 0])
        let long = try Self.encounter(level: 1, minutes: [4, 10, 0])
        #expect(CombinedRisk([serious], by: rules, at: Self.now).score == 17.6)
        let both = CombinedRisk([serious, long], by: rules, at: Self.now)
        #expect(both.minutes == [15, 10, 0])
        #expect(both.score == 32)
        #expect(CombinedRisk([long], by: rules, at: Self.now).score == 0)
        #expect(CombinedRisk([], by: rules, at: Self.now).level == .low)
    }

    @Test(
        "each level has its place by attenuation, age and minutes",
        arguments: [
            (74, 14, 0, 1), (73, 13, 1, 2), (64, 12, 5, 2), (63, 11, 6, 3), (52, 10, 10, 3), (51, 9, 11, 4),
            (34, 8, 15, 4), (33, 7, 16, 5),
            (28, 6, 20, 5), (27, 5, 21, 6), (16, 4, 25, 6), (15, 3, 26, 7), (11, 2, 30, 7), (10, 1, 31, 8),
            (0, 0, 99, 8),
        ])
    func places(attenuation: Int, age: Int, minutes: Int, place: Int) throws {
        let ones = try #require(ScoreRules.Levels(Array(repeating: 1, count: 8)))
        let numbered = try #require(ScoreRules.Levels(Array(1...8)))
        for which in 0..<3 {
            let rules = ScoreRules(
                attenuation: which == 0 ? numbered : ones, days: which == 1 ? numbered : ones,
                duration: which == 2 ? numbered : ones, transmission: ones, minimumScore: 0, lowerThreshold: 50,
                upperThreshold: 74, weights: ScoreRules.Weights(low: 1, middle: 1, high: 1), offset: 0, divisor: 1,
                highFrom: 1)
            let encounter = ExposureInformation(
                day: Day(containing: Self.now).advanced(by: -age), attenuation: attenuation, minutes: minutes,
                transmissionRiskLevel: .lowest, seconds: [0, 0, 0])
            #expect(rules.score(of: encounter, at: Self.now) == place)
        }
    }

    // MARK: Encounters from sightings

    private static func encounters(_ sightings: [(second: Int, attenuation: Int)]) -> [ExposureInformation] {
        ExposureInformation.encounters(
            in: sightings.map {
                KeySighting(
                    second: UInt32(Int(day.startSeconds) + $0.second), attenuation: $0.attenuation,
                    secondsSinceLastScan: 0, calibrationConfidence: .high)
            }, day: day, transmissionRiskLevel: .lowest, thresholds: (55, 63))
    }

    @Test func `an attenuation lasts until the next scan, and the first and last two and a half minutes longer`() {
        let found = Self.encounters([(0, 50), (300, 60), (900, 70)])
        #expect(found.map(\.seconds) == [[450, 600, 150]])
        #expect(found.map(\.attenuation) == [58])
        #expect(found.map(\.minutes) == [20])
    }

    @Test("ten minutes without a scan don't end an encounter, a second more does", arguments: [(600, 1), (601, 2)])
    func gap(second: Int, count: Int) {
        #expect(Self.encounters([(0, 50), (second, 50)]).count == count)
    }

    @Test("durations are rounded to five minutes", arguments: [(0, 5), (150, 5), (151, 10), (450, 10), (451, 15)])
    func minutes(second: Int, minutes: Int) {
        #expect(Self.encounters([(0, 50), (second, 50)]).map(\.minutes) == [minutes])
    }

    @Test func `of a scan the strongest broadcast counts`() {
        let found = Self.encounters([(0, 70), (1, 54), (2, 60)])
        #expect(found.map(\.attenuation) == [54])
        #expect(found.map(\.seconds) == [[300, 0, 0]])
    }

    // MARK: Daily summaries

    private static func window(_ attenuations: [Int], daysAgo: Int = 0, _ infectiousness: Infectiousness = .high)
        -> ExposureWindow
    {
        ExposureWindow(
            day: Day(containing: now).advanced(by: -daysAgo), reportType: .confirmedTest,
            infectiousness: infectiousness,
            calibrationConfidence: .high,
            scans: attenuations.map { ScanInstance(minimumAttenuation: 0, typicalAttenuation: $0, seconds: 300) })
    }

    @Test func `a daily summary weights typical attenuations, infectiousness and reports`() throws {
        let rules = try #require(
            DailySummaryRules(
                thresholds: [30, 50, 70], weights: [2.5, 2, 1, 0.5], reportTypes: [.confirmedTest: 2],
                infectiousness: [.high: 1.5, .standard: 1], minimumWindowScore: 1000, maximumDays: 3))
        let summaries = DailySummary.days(
            of: [
                Self.window([30, 31, 50, 51, 70, 71]), Self.window([50], .standard), Self.window([50, 50], .standard),
                Self.window([71], daysAgo: 3), Self.window([30], daysAgo: 4),
            ], by: rules, at: Self.now)
        #expect(summaries.map(\.day) == [-3, 0].map { Day(containing: Self.now).advanced(by: $0) })
        // 9 times 300 s, 2 times, and 4 times; a window of half of 300 s doesn't reach the minimum.
        #expect(summaries.map(\.weightedSeconds) == [0, 2700 + 600 + 1200])
        #expect(summaries.map(\.scoreSum) == [0, 8100 + 1200 + 2400])
        #expect(summaries.map(\.maximumScore) == [0, 8100])
    }

    @Test func `thresholds out of order, and too few weights, are no rules`() {
        func isValid(_ thresholds: [Int], _ weights: [Double]) -> Bool {
            DailySummaryRules(
                thresholds: thresholds, weights: weights, reportTypes: [:], infectiousness: [:], minimumWindowScore: 0,
                maximumDays: nil) != nil
        }
        #expect(isValid([30, 50, 70], [1, 1, 1, 1]))
        #expect(!isValid([50, 30, 70], [1, 1, 1, 1]))
        #expect(!isValid([30, 50], [1, 1, 1, 1]))
        #expect(!isValid([30, 50, 70], [1, 1, 1]))
        #expect(ScoreRules.Levels([0, 0, 0, 0, 0, 0, 0, 9]) == nil)
        #expect(ScoreRules.Levels([0]) == nil)
    }
}
