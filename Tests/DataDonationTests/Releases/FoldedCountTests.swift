import DonationFormat
import ExposureKeys
import HourKeys
import Postgres
import Statistics
import TestSupport
import Testing

@testable import DataDonation

/// What the fold stores is what figures and tables count.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct FoldedCountTests {
    /// A donation of somebody in the second state, aged 30 to 59.
    private func donation(_ client: AppClient) -> AnalyticsData {
        func scan(_ attenuation: Int16) -> DonatedWindow.Scan {
            DonatedWindow.Scan(typicalAttenuation: attenuation, minimumAttenuation: 20, seconds: 120)
        }
        let window = DonatedWindow(
            day: FoldStage.hour.day, reportType: .confirmedTest, infectiousness: .high, scans: [scan(80), scan(65)],
            transmissionRiskLevel: 6, normalizedTime: 12)
        let atHighRisk = RiskAtRegistration(.high, days: 1, hoursSinceWarning: 5)
        var upload = DonatedKeySubmission()
        upload.submitted = true
        return AnalyticsData(
            risk: DonatedRisk(encounters: .init(.high, levelChanged: true), visits: .init(.low)), windows: [window],
            tests: [
                DonatedTestResult(
                    .rapidPositive, hoursSinceRegistration: 2, encounters: atHighRisk, windowsAtRegistration: [window])
            ],
            submissions: [upload], client: client, user: UserGroup(federalState: 2, district: 1001, age: .to59))
    }

    @Test("a folded donation is in each count once, in the cell that its content says")
    func counts() async throws {
        try await FoldStage.run { stage in
            let version = SemanticVersion(3, 10, 1)
            try await stage.donate(donation(AppClient(version: version, system: .iOS(SemanticVersion(17, 1, 0)))))
            try await stage.donate(
                donation(AppClient(version: version, system: .android(apiLevel: 34, exposureNotifications: 1))))
            stage.clock.set(FoldStage.next.start)
            _ = try await stage.fold.run(asOf: FoldStage.next.start)
            let week = DonatedWeek(LocalDay(number: FoldStage.hour.day.number).monday)
            let (figures, cells) = try await stage.folding.session { session in
                let figures = [
                    try DonatedCounts.warnings(in: week, session),
                    try DonatedCounts.testsAtHighRisk(in: week, session),
                    try DonatedCounts.delays(in: week, session).flatMap(\.self),
                ]
                let cells = try DonatedTable.allCases.flatMap { table in
                    try DonatedCounts.slices(of: table, states: 16, in: week, session).flatMap { slice in
                        zip(slice.rows, slice.counts).flatMap { row, counts in
                            zip(slice.columns, counts).filter { $1 > 0 }.map {
                                "\(table) \(slice.part) \(row) \($0): \($1)"
                            }
                        }
                    }
                }
                return (figures, cells)
            }
            #expect(figures == [[2, 0], [2, 0], [0, 0, 0, 0, 2, 0]])
            #expect(
                cells == [
                    "riskLevels high 2 30-59: 2", "visitRiskLevels low 2 30-59: 2",
                    "testResults rapid-positive 2 30-59: 2", "keySubmissions  2 submitted: 2",
                    "encounters high 6 63-72: 2", "appVersions ios 3.10 : 1", "appVersions android 3.10 : 1",
                ])
        }
    }
}
