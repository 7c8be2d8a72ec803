import Credentials
import DonationFormat
import ExposureKeys
import Foundation
import HourKeys
import Logging
import Postgres
import Running
import Schema
import TestSupport
import Testing

@testable import DataDonation

/// What comes out of an hour's donations.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct FoldTests {
    private static let hour = FoldStage.hour
    private static let day = FoldStage.hour.day.number

    private static func donations(_ count: Int, seed: UInt64) -> [AnalyticsData] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { _ in SampleDonation.data(using: &random) }
    }

    // MARK: The tables

    /// A donation in which every value is another.
    private static var full: AnalyticsData {
        func window(_ number: Int16) -> DonatedWindow {
            DonatedWindow(
                day: Day(number: day - Int32(number)), reportType: .selfReport, infectiousness: .high,
                calibrationConfidence: 3,
                scans: [
                    .init(typicalAttenuation: 60 + number, minimumAttenuation: 50, seconds: 299),
                    .init(typicalAttenuation: 61, minimumAttenuation: 51, seconds: 180),
                ],
                transmissionRiskLevel: 5, normalizedTime: 7.25)
        }
        var submission = DonatedKeySubmission(.selfTest)
        submission.submitted = true
        submission.submittedAfterSymptomFlow = true
        submission.submittedAfterRapidTest = true
        submission.submittedAfterCancel = true
        submission.submittedWithCheckIns = .no
        submission.hoursSinceResult = 10
        submission.hoursSinceRegistration = 11
        submission.encounters = RiskAtRegistration(days: 12, hoursSinceWarning: 13)
        submission.visits = RiskAtRegistration(days: 14, hoursSinceWarning: 15)
        submission.lastScreen = .symptomOnset
        return AnalyticsData(
            risk: DonatedRisk(
                encounters: .init(.high, levelChanged: true, mostRecentDay: Day(number: day - 3)),
                visits: .init(.low, mostRecentDay: Day(number: day - 4), dayChanged: true)),
            windows: [window(1)],
            tests: [
                DonatedTestResult(
                    .rapidPositive, hoursSinceRegistration: 30,
                    encounters: RiskAtRegistration(.high, days: 31, hoursSinceWarning: 32),
                    visits: RiskAtRegistration(.none, days: 33, hoursSinceWarning: 34),
                    windowsAtRegistration: [window(2)], windowsUntilResult: [window(3)])
            ],
            submissions: [submission],
            client: AppClient(
                version: SemanticVersion(3, 2, 1),
                system: .android(apiLevel: 34, exposureNotifications: 18_211_313_000_000), configurationTag: "\"tag\""),
            user: UserGroup(federalState: 12, district: 12_061_000, age: .to59))
    }

    @Test
    func `every value of a donation comes into its table, with the person's group or with the app, never with both`()
        async throws
    {
        try await FoldStage.run { stage in
            try await stage.donate(Self.full)
            let report = try await stage.foldNextHour()
            #expect(report == Fold.Report(lastHour: Self.hour.number, donations: [1]))
            let (day, group) = (Self.day, "12,12061000,2")
            let window = "3,2,3,5,7.25"
            let expected: [String: [String]] = [
                "user_group": ["(\(day),\(group))"],
                "client": [#"(\#(day),1,3.2.1,34,18211313000000,"""tag""")"#],
                "exposure_risk": ["(\(day),\(group),3,t,\(day - 3),f,2,f,\(day - 4),t)"],
                "exposure_window": [
                    #"(\#(day),1,3.2.1,0,\#(day - 1),\#(window),"{61,50,299,61,51,180}")"#,
                    #"(\#(day),1,3.2.1,1,\#(day - 2),\#(window),"{62,50,299,61,51,180}")"#,
                    #"(\#(day),1,3.2.1,2,\#(day - 3),\#(window),"{63,50,299,61,51,180}")"#,
                ],
                "test_result": ["(\(day),\(group),7,30,3,31,32,1,33,34)"],
                "key_submission_by_user": ["(\(day),\(group),1,t,t,f,t,2,10,11,12,13,14,15)"],
                "key_submission_by_client": ["(\(day),1,3.2.1,t,f,t,f,5)"],
            ]
            #expect(try await stage.everything() == expected)
        }
    }

    @Test func `what an app doesn't say is missing, and an empty donation is a group and a client`() async throws {
        try await FoldStage.run { stage in
            var data = AnalyticsData(
                risk: DonatedRisk(encounters: .init(.none)), submissions: [DonatedKeySubmission()],
                client: AppClient(version: SemanticVersion(3, 2, 1), system: .iOS(SemanticVersion(18, 1, 0))))
            data.tests = [DonatedTestResult(.pcrPending, hoursSinceRegistration: nil)]
            try await stage.donate(data)
            try await stage.donate(AnalyticsData(client: data.client))
            try await stage.foldNextHour()
            let day = Self.day
            let expected: [String: [String]] = [
                "user_group": ["(\(day),0,0,0)", "(\(day),0,0,0)"],
                "client": [#"(\#(day),0,3.2.1,18.1.0,,"")"#, #"(\#(day),0,3.2.1,18.1.0,,"")"#],
                "exposure_risk": ["(\(day),0,0,0,1,f,,f,0,f,,f)"],
                "exposure_window": [],
                "test_result": ["(\(day),0,0,0,1,,0,,,0,,)"],
                "key_submission_by_user": ["(\(day),0,0,0,0,f,f,f,f,0,,,,,,)"],
                "key_submission_by_client": ["(\(day),0,3.2.1,f,f,f,f,0)"],
            ]
            #expect(try await stage.everything() == expected)
        }
    }

    @Test func `no table has both what says where a person lives and what says which phone it is`() async throws {
        try await FoldStage.run { stage in
            let columns = try await stage.asSuperuser { session in
                try session.rows(
                    """
                    SELECT relname::text, array_agg(attname::text ORDER BY attnum) FROM pg_attribute
                    JOIN pg_class ON pg_class.oid = attrelid
                    WHERE relnamespace = 'donation'::regnamespace AND relkind = 'p' AND attnum > 0 AND NOT attisdropped
                    GROUP BY relname
                    """, as: String.self, [String].self)
            }
            #expect(Set(columns.map(\.0)) == Set(FoldStage.tables))
            for (table, names) in columns {
                #expect(names.contains("federal_state") != names.contains("platform"), "\(table)")
            }
            // A client's table and a group's have these in common, and no other.
            let (users, clients) = (
                columns.filter { $0.1.contains("federal_state") }.flatMap(\.1),
                columns.filter { $0.1.contains("platform") }.flatMap(\.1)
            )
            #expect(Set(users).intersection(clients) == ["day", "submitted"])
        }
    }

    @Test func `an hour's rows lie in the same order however its donations arrived, equal ones included`() async throws
    {
        let donations = Self.donations(120, seed: 1)
        var random = SeededGenerator(seed: 2)
        let orders = [donations, donations.reversed(), donations.shuffled(using: &random)]
        var found: [[String: [String]]] = []
        for order in orders {
            found.append(
                try await FoldStage.run { stage in
                    for data in order { try await stage.donate(data) }
                    try await stage.foldNextHour()
                    return try await stage.everything()
                })
        }
        #expect(found[1] == found[0])
        #expect(found[2] == found[0])
        for (table, rows) in found[0] { #expect(rows.count > 10, "\(table)") }
        // Equal donations of several people count several times.
        let groups = found[0]["user_group"] ?? []
        #expect(groups.count == 120 && Set(groups).count < 120)
    }

    @Test func `an hour's rows of all tables have one transaction's number`() async throws {
        try await FoldStage.run { stage in
            for data in Self.donations(40, seed: 3) { try await stage.donate(data) }
            try await stage.foldNextHour()
            let numbers = try await stage.asSuperuser { session in
                try session.rows(
                    """
                    SELECT DISTINCT xmin::text FROM donation.user_group
                    UNION SELECT xmin::text FROM donation.client
                    UNION SELECT xmin::text FROM donation.exposure_risk
                    UNION SELECT xmin::text FROM donation.exposure_window
                    UNION SELECT xmin::text FROM donation.test_result
                    UNION SELECT xmin::text FROM donation.key_submission_by_user
                    UNION SELECT xmin::text FROM donation.key_submission_by_client
                    """, as: String.self)
            }
            #expect(numbers.count == 1)
        }
    }

    @Test func `each hour is folded once, and its rows go to the partition of its day`() async throws {
        try await FoldStage.run { stage in
            // From nine on, over midnight.
            for hours in 0..<17 {
                for data in Self.donations(hours % 3, seed: UInt64(hours)) { try await stage.donate(data) }
                #expect(try await stage.foldNextHour().donations == [hours % 3])
                // Once more in the same hour, as after a restart.
                #expect(try await stage.fold.run(asOf: stage.clock.now).donations == [])
            }
            #expect(try await stage.foldedHours() == (0..<17).map { Self.hour.advanced(by: $0) })
            let days = try await stage.asSuperuser { session in
                try session.rows(
                    "SELECT tableoid::regclass::text, count(*) FROM donation.client GROUP BY 1 ORDER BY 1",
                    as: String.self, Int64.self)
            }
            #expect(days.map(\.0) == ["donation.client_\(Self.day)", "donation.client_\(Self.day + 1)"])
            #expect(days.map(\.1) == [15, 1])
        }
    }

    @Test func `what was donated is gone after two weeks, by the fold's own rules`() async throws {
        try await FoldStage.run { stage in
            for data in Self.donations(30, seed: 4) { try await stage.donate(data) }
            try await stage.foldNextHour()
            let before = try await stage.everything()
            func apply(daysLater days: Int32) async throws {
                let noon = Date(timeIntervalSince1970: Double(Self.day + days) * 86_400 + 43_200)
                _ = try await Retention.apply(.donationFold, at: noon, in: stage.folding)
            }
            try await apply(daysLater: 14)
            #expect(try await stage.everything() == before)
            try await apply(daysLater: 15)
            #expect(try await stage.everything().values.allSatisfy(\.isEmpty))
        }
    }

    @Test func `a log line and metrics name hours and numbers, and nothing of one donation`() async throws {
        try await FoldStage.run { stage in
            for data in Self.donations(7, seed: 5) { try await stage.donate(data) }
            let report = try await stage.foldNextHour()
            #expect(
                report.metadata.mapValues { "\($0)" } == [
                    "hour": "\(Self.hour.number)", "donations": "7", "unreadable": "0", "single_donor_hours": "0",
                ])
            try await stage.donate(Self.full)
            #expect(try await stage.foldNextHour().singlePersonHours == 1)
            let text = stage.metrics.text
            #expect(text.contains(#"folded_donation_hours_total{donations="several"} 1"#))
            #expect(text.contains(#"folded_donation_hours_total{donations="one"} 1"#))
            #expect(text.contains("folded_donations_total 8"))
        }
    }
}
