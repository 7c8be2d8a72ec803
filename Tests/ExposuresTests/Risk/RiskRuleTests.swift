import ExposureKeys
import Exposures
import FoundationEssentials
import Testing

@Suite struct RiskRuleTests {
    private static let today = Day(number: 20_600)
    private static let now = today.firstHour.advanced(by: 13).start

    private static func window(
        daysAgo: Int = 1, _ reportType: ReportType = .confirmedTest, _ infectiousness: Infectiousness = .high,
        scans: [(attenuation: Int, seconds: Int)]
    ) -> ExposureWindow {
        ExposureWindow(
            day: today.advanced(by: -daysAgo), reportType: reportType, infectiousness: infectiousness,
            calibrationConfidence: .high,
            scans: scans.map {
                ScanInstance(minimumAttenuation: $0.attenuation, typicalAttenuation: 99, seconds: $0.seconds)
            })
    }

    private static func risk(_ windows: [ExposureWindow], by rules: RiskRules = .shipped) -> ExposureRisk {
        ExposureRisk(windows, by: rules, at: now, on: .iOS)
    }

    /// Four scans of four minutes: 10.8 weighted minutes.
    private static let scans = [60, 58, 66, 75].map { (attenuation: $0, seconds: 240) }

    @Test(
        "an encounter of 10.8 weighted minutes, by report and infectiousness",
        arguments: [
            (ReportType.confirmedTest, Infectiousness.high, 17.28, RiskLevel.high),
            (.confirmedTest, .standard, 15.12, .high), (.confirmedClinicalDiagnosis, .standard, 10.8, .high),
            (.selfReport, .standard, 6.48, .low),
        ])
    func encounter(reportType: ReportType, infectiousness: Infectiousness, minutes: Double, level: RiskLevel) throws {
        let risk = Self.risk([Self.window(reportType, infectiousness, scans: Self.scans)])
        let day = try #require(risk.days.first)
        #expect(abs(day.normalizedMinutes - minutes) < 1e-9)
        #expect(day.level == level)
        #expect(risk.level == level)
    }

    @Test func `two encounters of low risk make a day of high risk`() {
        let window = Self.window(.selfReport, .standard, scans: Self.scans)
        let risk = Self.risk([window, window])
        #expect(risk.level == .high)
        #expect(risk.encounters(of: .low) == 1 && risk.encounters(of: .high) == 0)
    }

    @Test func `on a day without a level Android counts no encounters, and iOS does`() {
        // Four normalized minutes have a level for the window, but none for the day.
        let short = Self.window(scans: [(70, 150)])
        let windows = [short, Self.window(daysAgo: 2, scans: Self.scans)]
        let counts = Platform.allCases.map { platform in
            let risk = ExposureRisk(windows, by: .shipped, at: Self.now, on: platform)
            #expect(risk.days.count == 1 && risk.level == .high)
            return [risk.encounters(of: .low), risk.encounters(of: .high)]
        }
        #expect(counts == [[0, 1], [1, 1]])
    }

    @Test("windows count for ten days and today", arguments: [(0, 1), (10, 1), (11, 0)])
    func age(daysAgo: Int, days: Int) {
        #expect(Self.risk([Self.window(daysAgo: daysAgo, scans: Self.scans)]).days.count == days)
    }

    /// What was published for apps before 1.15: short windows and the lowest levels are dropped.
    private static let filtering = RiskRules(
        attenuationFilters: [
            RiskRules.AttenuationFilter(
                attenuation: RiskRange(0...79, excludesMaximum: true),
                droppedMinutes: RiskRange(0...5, excludesMaximum: true)),
            RiskRules.AttenuationFilter(
                attenuation: RiskRange(0...10), droppedMinutes: RiskRange(4...5)),
        ],
        droppedLevels: [RiskRange(1...2)], attenuationWeights: RiskRules.shipped.attenuationWeights,
        perWindow: RiskRules.shipped.perWindow, perDay: [RiskGrade(time: RiskRange(0...9999), level: .low)],
        levelEncoding: RiskRules.shipped.levelEncoding, riskValues: [1: 1, 2: 1, 8: 1], maximumDays: 14)

    @Test("any filter drops a window by its minutes at some attenuations, in fractions of minutes")
    func filters() {
        func isDropped(_ scans: [(attenuation: Int, seconds: Int)]) -> Bool {
            Self.risk([Self.window(scans: scans)], by: Self.filtering).days.isEmpty
        }
        #expect(isDropped([(78, 299)]))
        #expect(!isDropped([(78, 300)]))
        #expect(isDropped([(79, 3000)]))
        #expect(isDropped([(78, 3000), (10, 300)]))
        #expect(!isDropped([(78, 3000), (10, 301)]))
        // A negative scan takes nothing away.
        #expect(!isDropped([(78, 300), (78, -240)]))
    }

    @Test("the lowest levels are dropped by their filter, and unlisted ones count nothing")
    func levels() {
        func minutes(_ reportType: ReportType, _ infectiousness: Infectiousness) -> Double? {
            let window = Self.window(reportType, infectiousness, scans: [(65, 600)])
            return Self.risk([window], by: Self.filtering).days.first?.normalizedMinutes
        }
        #expect(minutes(.recursive, .standard) == nil)
        #expect(minutes(.recursive, .high) == nil)
        #expect(minutes(.selfReport, .standard) == 0)
        #expect(minutes(.confirmedTest, .high) == 10)
    }

    @Test(
        "an attenuation outside all ranges counts nothing",
        arguments: [(62, 8.0), (63, 10), (72, 10), (73, 1), (79, 0)])
    func weights(attenuation: Int, minutes: Double) {
        let rules = RiskRules(
            attenuationFilters: [], droppedLevels: [], attenuationWeights: RiskRules.shipped.attenuationWeights,
            perWindow: RiskRules.shipped.perWindow, perDay: [RiskGrade(time: RiskRange(0...9999), level: .low)],
            levelEncoding: RiskRules.shipped.levelEncoding, riskValues: [8: 1], maximumDays: 14)
        let risk = Self.risk([Self.window(scans: [(attenuation, 600)])], by: rules)
        #expect(risk.days.first?.normalizedMinutes == minutes)
    }

    // MARK: The card

    private static let fine = RiskPreconditions(clockOffset: -7199, isTracing: true, lastPackage: now - 172_800)

    @Test(
        "encounters and visits together",
        arguments: [
            (RiskLevel?.some(.low), RiskLevel?.some(.low), RiskCard.low), (.low, .high, .high), (.high, .low, .high),
            (.high, .high, .high), (nil, .high, .failed), (.high, nil, .failed), (nil, nil, .failed),
        ])
    func card(exposures: RiskLevel?, venues: RiskLevel?, card: RiskCard) {
        #expect(RiskCard(exposures: exposures, venues: venues, Self.fine, at: Self.now) == card)
    }

    @Test(
        "nothing is said with a wrong clock, without tracing, or without packages of two days",
        arguments: [
            RiskPreconditions(clockOffset: 7200, isTracing: true, lastPackage: now),
            RiskPreconditions(clockOffset: -7200, isTracing: true, lastPackage: now),
            RiskPreconditions(clockOffset: 0, isTracing: false, lastPackage: now),
            RiskPreconditions(clockOffset: 0, isTracing: true, lastPackage: now - 172_801),
            RiskPreconditions(clockOffset: 0, isTracing: true, lastPackage: nil),
        ])
    func unknown(preconditions: RiskPreconditions) {
        #expect(RiskCard(exposures: .high, venues: .high, preconditions, at: Self.now) == .unknown)
    }
}
