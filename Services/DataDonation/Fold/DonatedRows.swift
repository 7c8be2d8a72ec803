import DonationFormat
import ExposureKeys
import HourKeys

import enum Crypto.Curve25519

/// What was donated in an hour, taken apart into rows of the tables.
///
/// What goes with a person's group and what goes with the app and its phone never meet in a row. No row has anything by which it can be
/// told from an equal one, and rows are ordered by what is in them, so that nothing is left of a donation but its parts.
struct DonatedRows: HourContent {
    private(set) var groups: [UserGroup] = []
    private(set) var clients: [AppClient] = []
    private(set) var risks: [RiskRow] = []
    private(set) var windows: [WindowRow] = []
    private(set) var tests: [TestRow] = []
    private(set) var submissionsByUser: [SubmissionByUserRow] = []
    private(set) var submissionsByClient: [SubmissionByClientRow] = []

    /// How many donations.
    var people: Int { clients.count }
    var isEmpty: Bool { clients.isEmpty }

    static func open(_ row: SealedRow, with key: Curve25519.KeyAgreement.PrivateKey) -> AnalyticsData? {
        SealedDonation(bytes: row.sealed).open(tag: row.tag, hour: row.hour, with: key)
    }

    mutating func add(_ data: AnalyticsData) {
        let (group, app) = (data.user, AppRow(data.client))
        groups.append(group)
        clients.append(data.client)
        if let risk = data.risk { risks.append(RiskRow(group: group, risk: risk)) }
        windows += data.windows.map { WindowRow(app: app, occasion: .new, window: $0) }
        for test in data.tests {
            tests.append(TestRow(group, test))
            windows += test.windowsAtRegistration.map { WindowRow(app: app, occasion: .beforeRegistration, window: $0) }
            windows += test.windowsUntilResult.map { WindowRow(app: app, occasion: .untilResult, window: $0) }
        }
        submissionsByUser += data.submissions.map { SubmissionByUserRow(group, $0) }
        submissionsByClient += data.submissions.map { SubmissionByClientRow(app, $0) }
    }

    mutating func add(_ other: DonatedRows) {
        groups += other.groups
        clients += other.clients
        risks += other.risks
        windows += other.windows
        tests += other.tests
        submissionsByUser += other.submissionsByUser
        submissionsByClient += other.submissionsByClient
    }
}

/// A row of a table of donated data, without its day.
protocol FoldedRow: Sendable {
    /// All that is in the row and nothing else, as numbers: -1 for what is missing.
    var content: [Int64] { get }
}

extension Array where Element: FoldedRow {
    /// In an order that depends on nothing but the rows' content.
    func sortedByContent() -> [Element] {
        map { (row: $0, content: $0.content) }.sorted { $0.content.lexicographicallyPrecedes($1.content) }.map(\.row)
    }
}

// MARK: The tables' rows

/// The app, as far as it goes with encounters and submissions.
struct AppRow: Sendable, Hashable {
    let platform: AppClient.Platform
    let version: SemanticVersion

    init(_ client: AppClient) {
        platform = client.system.platform
        version = client.version
    }

    fileprivate var content: [Int64] { [Int64(platform.number)] + version.content }
}

struct RiskRow: FoldedRow {
    let group: UserGroup
    let risk: DonatedRisk

    var content: [Int64] { group.content + risk.encounters.content + risk.visits.content }
}

struct WindowRow: FoldedRow {
    let app: AppRow
    let occasion: Occasion
    let window: DonatedWindow

    /// In the numbers of the table.
    enum Occasion: Int16 {
        case new
        case beforeRegistration
        case untilResult
    }

    var content: [Int64] {
        app.content + [
            Int64(occasion.rawValue), Int64(window.day.number), Int64(window.reportType.rawValue),
            Int64(window.infectiousness.rawValue), Int64(window.calibrationConfidence),
            Int64(window.transmissionRiskLevel), Int64(bitPattern: window.normalizedTime.bitPattern),
        ] + window.scans.flatMap { [Int64($0.typicalAttenuation), Int64($0.minimumAttenuation), Int64($0.seconds)] }
    }
}

struct TestRow: FoldedRow {
    let group: UserGroup
    let result: DonatedTestResult.Result
    let hoursSinceRegistration: Int16?
    let encounters: RiskAtRegistration
    let visits: RiskAtRegistration

    init(_ group: UserGroup, _ test: DonatedTestResult) {
        self.group = group
        result = test.result
        hoursSinceRegistration = test.hoursSinceRegistration
        encounters = test.encounters
        visits = test.visits
    }

    var content: [Int64] {
        group.content + [Int64(result.rawValue), Int64(hoursSinceRegistration ?? -1)] + encounters.content
            + visits.content
    }
}

/// What somebody did and when.
struct SubmissionByUserRow: FoldedRow {
    let group: UserGroup
    let kind: DonatedKeySubmission.Kind
    let submitted: Bool
    let afterSymptomFlow: Bool
    let withTeleTAN: Bool
    let afterRapidTest: Bool
    let withCheckIns: DonatedKeySubmission.Answer
    let hoursSinceResult: Int16?
    let hoursSinceRegistration: Int16?
    /// Without level.
    let encounters: RiskAtRegistration
    /// Without level.
    let visits: RiskAtRegistration

    init(_ group: UserGroup, _ submission: DonatedKeySubmission) {
        self.group = group
        kind = submission.kind
        submitted = submission.submitted
        afterSymptomFlow = submission.submittedAfterSymptomFlow
        withTeleTAN = submission.submittedWithTeleTAN
        afterRapidTest = submission.submittedAfterRapidTest
        withCheckIns = submission.submittedWithCheckIns
        hoursSinceResult = submission.hoursSinceResult
        hoursSinceRegistration = submission.hoursSinceRegistration
        encounters = submission.encounters
        visits = submission.visits
    }

    var content: [Int64] {
        group.content + [Int64(kind.rawValue)]
            + [submitted, afterSymptomFlow, withTeleTAN, afterRapidTest].map(\.content) + [
                Int64(withCheckIns.rawValue), Int64(hoursSinceResult ?? -1), Int64(hoursSinceRegistration ?? -1),
            ] + encounters.content + visits.content
    }
}

/// The way through the app. It has nothing in common with the other row of the same submission but whether keys were uploaded.
struct SubmissionByClientRow: FoldedRow {
    let app: AppRow
    let submitted: Bool
    let inBackground: Bool
    let afterCancel: Bool
    let advancedConsentGiven: Bool
    let lastScreen: DonatedKeySubmission.Screen

    init(_ app: AppRow, _ submission: DonatedKeySubmission) {
        self.app = app
        submitted = submission.submitted
        inBackground = submission.submittedInBackground
        afterCancel = submission.submittedAfterCancel
        advancedConsentGiven = submission.advancedConsentGiven
        lastScreen = submission.lastScreen
    }

    var content: [Int64] {
        app.content + [submitted, inBackground, afterCancel, advancedConsentGiven].map(\.content) + [
            Int64(lastScreen.rawValue)
        ]
    }
}

// MARK: Content

extension UserGroup: FoldedRow {
    var content: [Int64] { [Int64(federalState), Int64(district), Int64(age.rawValue)] }
}

extension AppClient: FoldedRow {
    var content: [Int64] {
        let system: [Int64] =
            switch system {
            case .iOS(let version): version.content
            case .android(let apiLevel, let exposureNotifications): [Int64(apiLevel), exposureNotifications]
            }
        return AppRow(self).content + system + configurationTag.utf8.map(Int64.init)
    }
}

extension SemanticVersion {
    fileprivate var content: [Int64] { [Int64(major), Int64(minor), Int64(patch)] }
}

extension DonatedRisk.Course {
    fileprivate var content: [Int64] {
        [Int64(level.rawValue), levelChanged.content, Int64(mostRecentDay?.number ?? -1), dayChanged.content]
    }
}

extension RiskAtRegistration {
    fileprivate var content: [Int64] {
        [Int64(level.rawValue), Int64(days ?? -1), Int64(hoursSinceWarning ?? -1)]
    }
}

extension Bool {
    fileprivate var content: Int64 { self ? 1 : 0 }
}
