import DonationFormat
import ExposureKeys

/// Donations as apps could send them, each from a sequence of random numbers.
enum Sample {
    static func data<Random: RandomNumberGenerator>(
        on platform: AppClient.Platform, using random: inout Random
    ) -> AnalyticsData {
        AnalyticsData(
            risk: Bool.random(using: &random)
                ? DonatedRisk(encounters: course(using: &random), visits: course(using: &random)) : nil,
            windows: windows(0...5, using: &random),
            tests: (0..<Int.random(in: 0...AnalyticsData.mostTests, using: &random)).map { _ in test(using: &random) },
            submissions: (0..<Int.random(in: 0...AnalyticsData.mostSubmissions, using: &random)).map { _ in
                submission(using: &random)
            },
            client: client(on: platform, using: &random),
            user: UserGroup(
                federalState: .random(in: 0...16, using: &random),
                district: .random(in: 0...16_077_999, using: &random),
                age: any(using: &random)))
    }

    static func window<Random: RandomNumberGenerator>(scans: Int, using random: inout Random) -> DonatedWindow {
        DonatedWindow(
            day: day(using: &random), reportType: any(using: &random), infectiousness: any(using: &random),
            calibrationConfidence: .random(in: 0...3, using: &random),
            scans: (0..<scans).map { _ in
                .init(
                    typicalAttenuation: .random(in: 0...255, using: &random),
                    minimumAttenuation: .random(in: 0...255, using: &random),
                    seconds: .random(in: 0...600, using: &random))
            },
            transmissionRiskLevel: .random(in: 0...8, using: &random),
            normalizedTime: .random(in: 0...80, using: &random))
    }

    static func client<Random: RandomNumberGenerator>(
        on platform: AppClient.Platform, using random: inout Random
    ) -> AppClient {
        let version = SemanticVersion(.random(in: 1...3, using: &random), .random(in: 0...28, using: &random), 1)
        let system: AppClient.System =
            switch platform {
            case .iOS: .iOS(SemanticVersion(.random(in: 12...26, using: &random), 0, 1))
            case .android:
                .android(apiLevel: .random(in: 23...36, using: &random), exposureNotifications: 1_604_002_000)
            }
        return AppClient(version: version, system: system, configurationTag: #""a1b2c3d4e5f6""#)
    }

    private static func windows<Random: RandomNumberGenerator>(
        _ counts: ClosedRange<Int>, using random: inout Random
    ) -> [DonatedWindow] {
        (0..<Int.random(in: counts, using: &random)).map { _ in
            let scans = Int.random(in: 1...DonatedWindow.mostScans, using: &random)
            return window(scans: scans, using: &random)
        }
    }

    private static func test<Random: RandomNumberGenerator>(using random: inout Random) -> DonatedTestResult {
        DonatedTestResult(
            any(using: &random), hoursSinceRegistration: elapsed(using: &random), encounters: risk(using: &random),
            visits: risk(using: &random), windowsAtRegistration: windows(0...2, using: &random),
            windowsUntilResult: windows(0...2, using: &random))
    }

    private static func submission<Random: RandomNumberGenerator>(using random: inout Random) -> DonatedKeySubmission {
        var report = DonatedKeySubmission(any(using: &random))
        for flag: WritableKeyPath<DonatedKeySubmission, Bool> in [
            \.submitted, \.submittedInBackground, \.submittedAfterCancel, \.submittedAfterSymptomFlow,
            \.advancedConsentGiven, \.submittedWithTeleTAN, \.submittedAfterRapidTest,
        ] {
            report[keyPath: flag] = .random(using: &random)
        }
        report.lastScreen = any(using: &random)
        report.hoursSinceResult = elapsed(using: &random)
        report.hoursSinceRegistration = elapsed(using: &random)
        for risk: WritableKeyPath<DonatedKeySubmission, RiskAtRegistration> in [\.encounters, \.visits] {
            report[keyPath: risk].days = elapsed(using: &random)
            report[keyPath: risk].hoursSinceWarning = elapsed(using: &random)
        }
        report.submittedWithCheckIns = any(using: &random)
        return report
    }

    private static func course<Random: RandomNumberGenerator>(using random: inout Random) -> DonatedRisk.Course {
        .init(
            any(using: &random), levelChanged: .random(using: &random),
            mostRecentDay: Bool.random(using: &random) ? day(using: &random) : nil, dayChanged: .random(using: &random))
    }

    private static func risk<Random: RandomNumberGenerator>(using random: inout Random) -> RiskAtRegistration {
        RiskAtRegistration(
            any(using: &random), days: elapsed(using: &random), hoursSinceWarning: elapsed(using: &random))
    }

    private static func elapsed<Random: RandomNumberGenerator>(using random: inout Random) -> Int16? {
        Bool.random(using: &random) ? .random(in: 0...400, using: &random) : nil
    }

    private static func day<Random: RandomNumberGenerator>(using random: inout Random) -> Day {
        Day(number: .random(in: 20_700...20_780, using: &random))
    }

    /// One of an enumeration's values.
    private static func any<Value: CaseIterable, Random: RandomNumberGenerator>(using random: inout Random) -> Value
    where Value.AllCases == [Value] {
        Value.allCases[.random(in: Value.allCases.indices, using: &random)]
    }
}
