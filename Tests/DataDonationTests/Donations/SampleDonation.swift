import DonationFormat
import ExposureKeys

/// Donations as apps send them, each from a sequence of random numbers.
enum SampleDonation {
    /// A few values of everything, so that many people's are the same.
    static func data(using random: inout some RandomNumberGenerator) -> AnalyticsData {
        let platform = AppClient.Platform.allCases[Int.random(in: 0...1, using: &random)]
        return AnalyticsData(
            risk: DonatedRisk(encounters: course(using: &random), visits: course(using: &random)),
            windows: windows(Int.random(in: 0...3, using: &random), using: &random),
            tests: Int.random(in: 0..<4, using: &random) == 0 ? [test(using: &random)] : [],
            submissions: Int.random(in: 0..<6, using: &random) == 0 ? [submission(using: &random)] : [],
            client: client(on: platform, using: &random),
            user: UserGroup(
                federalState: .random(in: 1...16, using: &random), district: .random(in: 0...3, using: &random),
                age: UserGroup.Age.allCases[.random(in: 0...3, using: &random)]))
    }

    static func client(
        on platform: AppClient.Platform = .iOS, using random: inout some RandomNumberGenerator
    ) -> AppClient {
        AppClient(
            version: SemanticVersion(3, .random(in: 0...2, using: &random), 0),
            system: platform == .iOS
                ? .iOS(SemanticVersion(.random(in: 16...18, using: &random), 1, 0))
                : .android(apiLevel: .random(in: 30...35, using: &random), exposureNotifications: 18_211_313_000_000),
            configurationTag: #""5f1c8d2a9b3e4f60718293a4b5c6d7e8""#)
    }

    static func windows(_ count: Int, using random: inout some RandomNumberGenerator) -> [DonatedWindow] {
        (0..<count).map { _ in window(scans: .random(in: 1...8, using: &random), using: &random) }
    }

    static func window(scans: Int, using random: inout some RandomNumberGenerator) -> DonatedWindow {
        DonatedWindow(
            day: Day(number: FoldStage.hour.day.number - .random(in: 1...14, using: &random)),
            reportType: .confirmedTest, infectiousness: Bool.random(using: &random) ? .standard : .high,
            calibrationConfidence: .random(in: 0...3, using: &random),
            scans: (0..<scans).map { _ in
                .init(
                    typicalAttenuation: .random(in: 30...90, using: &random),
                    minimumAttenuation: .random(in: 20...80, using: &random),
                    seconds: .random(in: 60...300, using: &random))
            },
            transmissionRiskLevel: .random(in: 1...8, using: &random),
            normalizedTime: .random(in: 0...40, using: &random))
    }

    static func test(
        windows: ClosedRange<Int> = 0...3, using random: inout some RandomNumberGenerator
    ) -> DonatedTestResult {
        DonatedTestResult(
            DonatedTestResult.Result.allCases[.random(in: 1...8, using: &random)],
            hoursSinceRegistration: .random(in: 1...48, using: &random),
            encounters: RiskAtRegistration(.high, days: .random(in: 0...9, using: &random), hoursSinceWarning: 20),
            windowsAtRegistration: self.windows(.random(in: windows, using: &random), using: &random),
            windowsUntilResult: self.windows(.random(in: windows, using: &random), using: &random))
    }

    static func submission(using random: inout some RandomNumberGenerator) -> DonatedKeySubmission {
        var submission = DonatedKeySubmission()
        submission.submitted = .random(using: &random)
        submission.submittedInBackground = .random(using: &random)
        submission.advancedConsentGiven = .random(using: &random)
        submission.submittedAfterSymptomFlow = .random(using: &random)
        submission.hoursSinceResult = .random(in: 0...20, using: &random)
        submission.hoursSinceRegistration = .random(in: 20...60, using: &random)
        submission.lastScreen = .warnOthers
        return submission
    }

    private static func course(using random: inout some RandomNumberGenerator) -> DonatedRisk.Course {
        .init(
            Bool.random(using: &random) ? .low : .high, levelChanged: .random(using: &random),
            mostRecentDay: Day(number: FoldStage.hour.day.number - 2), dayChanged: .random(using: &random))
    }
}
