import ExposureKeys
import Exposures
import Foundation
import TestSupport
import Testing
import Venues

@testable import Phone

@Suite struct VenueWarningTests {
    typealias Stage = CheckInStage

    /// A visit on 4 March from 10:00 to 11:30.
    private static func diary(_ code: VenueCode) -> CheckInDiary {
        var diary = CheckInDiary()
        diary.checkIn(code, at: Stage.at(10), minutes: 90)
        return diary
    }

    private static let noon = Hour(containing: CheckInStage.at(12))
    private static let now = CheckInStage.at(15)

    private static func report(
        _ start: IntervalNumber, _ end: IntervalNumber, level: Int = 8, venue: UInt8 = 1
    ) throws -> VenueReport {
        try Stage.keys(Stage.code(venue)).seal(try Stage.record(start, end, level: level))
    }

    // MARK: Downloading

    @Test func `packages are due from the first visit on, each once`() throws {
        var diary = Self.diary(try Stage.code())
        let published = Hour(containing: Stage.at(0))...Hour(containing: Stage.at(14))
        #expect(diary.due(.venueReports, in: published).map(\.ofDay) == [10, 12, 14])
        #expect(diary.due(.checkInReports, in: published).isEmpty)
        diary.compare(with: [] as [VenueReport], of: Self.noon, at: Self.now)
        #expect(diary.due(.venueReports, in: published).map(\.ofDay) == [10, 14])
        // The server may keep less.
        #expect(
            diary.due(.venueReports, in: Hour(containing: Stage.at(14))...published.upperBound).map(\.ofDay) == [14])
    }

    @Test func `Corona-Warn-App's packages are due by the hour`() throws {
        var diary = Self.diary(try Stage.location())
        let published = Hour(containing: Stage.at(0))...Hour(containing: Stage.at(13))
        #expect(diary.due(.checkInReports, in: published).map(\.ofDay) == [10, 11, 12, 13])
        #expect(diary.due(.venueReports, in: published).isEmpty)
        diary.compare(with: [] as [CheckInReport], of: Self.noon, at: Self.now)
        #expect(diary.due(.checkInReports, in: published).map(\.ofDay) == [10, 11, 13])
    }

    @Test func `without visits nothing is downloaded`() throws {
        let published = Hour(containing: Stage.at(0))...Hour(containing: Stage.at(14))
        #expect(CheckInDiary().due(.venueReports, in: published).isEmpty)
        #expect(Self.diary(try Stage.numbered()).due(.venueReports, in: published).isEmpty)
    }

    @Test func `a new visit has the last packages compared again, which counts nothing twice`() throws {
        var diary = Self.diary(try Stage.code())
        let report = try Self.report(Stage.interval(10), Stage.interval(11))
        let later = try Self.report(Stage.interval(14), Stage.interval(15, 30), venue: 2)
        diary.compare(with: [] as [VenueReport], of: Hour(containing: Stage.at(10)), at: Stage.at(12, 1))
        diary.compare(with: [report], of: Self.noon, at: Stage.at(14, 5))
        // Somebody left at 14:00, and what was breathed out stays; the upload was before this visit began.
        diary.compare(with: [report, later], of: Hour(containing: Stage.at(14)), at: Stage.at(16, 2))
        #expect(diary.warnings.count == 1)
        diary.checkIn(try Stage.code(2), at: Stage.at(16, 10), minutes: 30)
        let published = Hour(containing: Stage.at(0))...Hour(containing: Stage.at(14))
        #expect(diary.due(.venueReports, in: published).map(\.ofDay) == [14])
        diary.compare(with: [report, later], of: Hour(containing: Stage.at(14)), at: Stage.at(16, 30))
        #expect(diary.warnings.count == 2)
    }

    @Test func `a phone that was switched off before it wrote its diary downloads the package again`() throws {
        let written = Self.diary(try Stage.code())
        var lost = written
        lost.compare(with: [try Self.report(Stage.interval(10), Stage.interval(11))], of: Self.noon, at: Self.now)
        #expect(lost.warnings.count == 1)
        #expect(written.due(.venueReports, in: Self.noon...Self.noon) == [Self.noon])
        #expect(lost.due(.venueReports, in: Self.noon...Self.noon).isEmpty)
    }

    // MARK: Comparing

    @Test func `who was there at the same time is warned, who was later or elsewhere isn't`() throws {
        let report = try Self.report(Stage.interval(9), Stage.interval(10, 20))
        var there = Self.diary(try Stage.code())
        var elsewhere = Self.diary(try Stage.code(2))
        var later = CheckInDiary()
        later.checkIn(try Stage.code(), at: Stage.at(10, 20))
        there.compare(with: [report], of: Self.noon, at: Self.now)
        elsewhere.compare(with: [report], of: Self.noon, at: Self.now)
        later.compare(with: [report], of: Self.noon, at: Self.now)
        #expect(there.news(by: Stage.rules, at: Self.now).map(\.checkIn) == [0])
        #expect(elsewhere.news(by: Stage.rules, at: Self.now).isEmpty)
        #expect(later.news(by: Stage.rules, at: Self.now).isEmpty)
    }

    @Test func `Corona-Warn-App's reports warn as Apple's do`() throws {
        var diary = Self.diary(try Stage.location())
        let venue = try Stage.traceLocation(Stage.location())
        let other = try Stage.traceLocation(Stage.location(2))
        let record = try Stage.record(Stage.interval(10), Stage.interval(11))
        diary.compare(with: [try other.seal(record)], of: Self.noon, at: Self.now)
        #expect(diary.warnings.isEmpty)
        diary.compare(with: [try venue.seal(record)], of: Self.noon, at: Self.now)
        #expect(diary.news(by: Stage.rules, at: Self.now).map(\.checkIn) == [0])
    }

    @Test func `a report that is published again counts once, and two of equal visits count twice`() throws {
        var diary = Self.diary(try Stage.code())
        let one = try Self.report(Stage.interval(10), Stage.interval(10, 10), level: 3)
        let other = try Self.report(Stage.interval(10), Stage.interval(10, 10), level: 3)
        for hour in 12...20 { diary.compare(with: [one], of: Hour(containing: Stage.at(hour)), at: Stage.at(hour)) }
        #expect(VenueRisk(diary, by: Stage.rules, at: Self.now).exposures.map(\.normalizedMinutes) == [6])
        diary.compare(with: [other], of: Self.noon, at: Self.now)
        #expect(VenueRisk(diary, by: Stage.rules, at: Self.now).exposures.map(\.normalizedMinutes) == [12])
    }

    @Test func `reports of the future, and of more than 14 days ago, are ignored`() throws {
        var diary = CheckInDiary()
        diary.checkIn(try Stage.code(), at: Self.now, minutes: 1440)
        let reports = [
            try Self.report(Stage.interval(15, 10), Stage.interval(16)),
            try Self.report(Stage.interval(15, day: -14), Stage.interval(16, day: -14)),
        ]
        diary.compare(with: reports, of: Self.noon, at: Self.now)
        #expect(diary.warnings.isEmpty)
        diary.compare(with: [try Self.report(Stage.interval(15), Stage.interval(16))], of: Self.noon, at: Self.now)
        #expect(diary.warnings.count == 1)
    }

    @Test func `a venue's visitor can't fill the phone`() throws {
        var diary = Self.diary(try Stage.code())
        var reports: [VenueReport] = []
        let (keys, record) = (
            try Stage.keys(Stage.code()), try Stage.record(Stage.interval(10), Stage.interval(11))
        )
        for _ in 0..<(CheckInDiary.maximumWarnings + 50) { reports.append(try keys.seal(record)) }
        diary.compare(with: reports, of: Self.noon, at: Self.now)
        #expect(diary.warnings.count == CheckInDiary.maximumWarnings)
    }

    // MARK: Overlap and risk

    /// A report of 10:00 to 11:00, and the minutes together: cwa-app-android, `OverlapTest.kt`.
    @Test(
        arguments: [
            ("09:30:00", "09:45:00", nil), ("11:15:00", "11:20:00", nil), ("09:30:00", "10:00:00", nil),
            ("11:00:00", "11:10:00", nil), ("09:30:00", "10:12:00", 12), ("10:45:00", "11:12:00", 15),
            ("10:00:00", "10:13:00", 13), ("10:15:00", "10:17:00", 2), ("10:30:00", "11:00:00", 30),
            ("10:00:00", "11:00:00", 60), ("09:50:00", "10:05:45", 6), ("09:50:00", "10:05:15", 5),
        ] as [(String, String, Double?)])
    func `minutes together are those of the published app`(from: String, to: String, minutes: Double?) throws {
        func time(_ text: String) -> Date {
            let parts = text.split(separator: ":").compactMap { Int($0) }
            return Stage.at(parts[0], parts[1], second: parts[2])
        }
        // Level 5 counts minutes as they are.
        let report = try Self.report(Stage.interval(10), Stage.interval(11), level: 5)
        var diary = CheckInDiary()
        let id = try #require(diary.checkIn(try Stage.code(), at: time(from), minutes: 120))
        diary.checkOut(id, at: time(to))
        diary.compare(with: [report], of: Self.noon, at: Self.now)
        let risk = VenueRisk(diary, by: Stage.rules, at: Self.now)
        #expect(risk.exposures.first?.normalizedMinutes == minutes)
        diary.markShared([id])
        #expect(VenueRisk(diary, by: Stage.rules, at: Self.now).exposures.isEmpty)
    }

    /// 38 minutes at 10:03 are reported as 10:00 to 11:10; a guest who came at 10:50 was there for 20 of them, at level 6: 24.
    @Test func `the worked example gives high risk`() throws {
        var patient = CheckInDiary()
        var random = SeededGenerator(seed: 8)
        patient.checkIn(try Stage.code(), at: Stage.at(10, 3), minutes: 38)
        var sharing = VisitSharing(patient, by: Stage.rules, onset: .unsaid, at: Stage.at(12, day: 1))
        sharing.select(0)
        var guest = CheckInDiary()
        guest.checkIn(try Stage.code(), at: Stage.at(10, 50), minutes: 30)
        let now = Stage.at(16, day: 1)
        guest.compare(with: try sharing.reports(using: &random).venueReports, of: Hour(containing: now), at: now)
        let risk = VenueRisk(guest, by: Stage.rules, at: now)
        #expect(risk.exposures.map(\.normalizedMinutes) == [24])
        #expect(risk.level == .high)
    }

    /// cwa-app-android, `PresenceTracingRiskCalculatorTest.kt`: 30 minutes at level 4, 45 at level 6.
    @Test func `minutes are weighted by level`() throws {
        var diary = CheckInDiary()
        diary.checkIn(try Stage.code(1), at: Stage.at(10), minutes: 30)
        diary.checkIn(try Stage.code(2), at: Stage.at(10), minutes: 45)
        let reports = [
            try Self.report(Stage.interval(10), Stage.interval(11), level: 4, venue: 1),
            try Self.report(Stage.interval(10), Stage.interval(11), level: 6, venue: 2),
        ]
        diary.compare(with: reports, of: Self.noon, at: Self.now)
        let risk = VenueRisk(diary, by: Stage.rules, at: Self.now)
        #expect(risk.exposures.map(\.normalizedMinutes) == [0.8 * 30, 1.2 * 45])
    }

    @Test(arguments: [(9, 5, VenueRules.Level.low), (10, 5, .high), (17, 3, .high), (16, 3, .low)])
    func `ten normalized minutes are high`(minutes: Int, level: Int, expected: VenueRules.Level) throws {
        var diary = CheckInDiary()
        diary.checkIn(try Stage.code(), at: Stage.at(10), minutes: minutes)
        let report = try Self.report(Stage.interval(9), Stage.interval(12), level: level)
        diary.compare(with: [report], of: Self.noon, at: Self.now)
        let risk = VenueRisk(diary, by: Stage.rules, at: Self.now)
        #expect(risk.exposures.map(\.level) == [expected])
        #expect(risk.level == expected)
    }

    /// cwa-app-android, `PresenceTracingRiskCalculator.kt`; cwa-app-ios, `CheckinRiskCalculation.swift`.
    @Test func `two low visits make a day of high risk on iOS, of both of which the owner is told, and not on Android`()
        throws
    {
        var diary = CheckInDiary()
        diary.checkIn(try Stage.code(1), at: Stage.at(10), minutes: 6)
        diary.checkIn(try Stage.code(2), at: Stage.at(12), minutes: 6)
        let reports = [
            try Self.report(Stage.interval(9), Stage.interval(14), level: 5, venue: 1),
            try Self.report(Stage.interval(9), Stage.interval(14), level: 5, venue: 2),
        ]
        diary.compare(with: [reports[0]], of: Hour(containing: Stage.at(10)), at: Self.now)
        for platform in Platform.allCases {
            #expect(VenueRisk(diary, by: Stage.rules, at: Self.now, on: platform).level == .low)
            #expect(diary.news(by: Stage.rules, at: Self.now, on: platform).isEmpty)
        }
        diary.compare(with: [reports[1]], of: Self.noon, at: Self.now)
        for (platform, level) in [(Platform.android, RiskLevel.low), (.iOS, .high)] {
            let risk = VenueRisk(diary, by: Stage.rules, at: Self.now, on: platform)
            #expect(risk.exposures.map(\.level) == [.low, .low])
            #expect(Array(risk.days.values) == [.high])
            #expect(risk.level == level)
        }
        #expect(diary.news(by: Stage.rules, at: Self.now, on: .android).isEmpty)
        #expect(diary.news(by: Stage.rules, at: Self.now, on: .iOS).map(\.checkIn) == [0, 1])
        #expect(diary.news(by: Stage.rules, at: Self.now, on: .iOS).isEmpty)
    }

    @Test func `a visit beyond the rules' ranges has no part in the sum of a day on iOS`() throws {
        let rules = VenueRules(
            droppedMinutes: [], aerosolDecay: [], riskValues: Stage.rules.riskValues,
            perCheckIn: [RiskGrade(time: RiskRange(8...999), level: .low)],
            perDay: [
                RiskGrade(time: RiskRange(0...13), level: .low), RiskGrade(time: RiskRange(14...999), level: .high),
            ],
            maximumDays: 10)
        var diary = CheckInDiary()
        diary.checkIn(try Stage.code(1), at: Stage.at(10), minutes: 9)
        diary.checkIn(try Stage.code(2), at: Stage.at(12), minutes: 6)
        let reports = [
            try Self.report(Stage.interval(9), Stage.interval(14), level: 5, venue: 1),
            try Self.report(Stage.interval(9), Stage.interval(14), level: 5, venue: 2),
        ]
        diary.compare(with: reports, of: Self.noon, at: Self.now)
        let days = Platform.allCases.map { platform in
            Array(VenueRisk(diary, by: rules, at: Self.now, on: platform).days.values)
        }
        #expect(days == [[.high], [.low]])
    }

    @Test func `the owner is told once for each visit and day`() throws {
        var diary = CheckInDiary()
        diary.checkIn(try Stage.code(), at: Stage.at(22), minutes: 240)
        let now = Stage.at(9, day: 1)
        diary.compare(
            with: [try Self.report(Stage.interval(22), Stage.interval(24))], of: Hour(containing: Stage.at(23)), at: now
        )
        #expect(diary.news(by: Stage.rules, at: now).map(\.day) == [Day(containing: Stage.morning)])
        #expect(diary.news(by: Stage.rules, at: now).isEmpty)
        // Another person, the same day; then one of the day after.
        diary.compare(
            with: [try Self.report(Stage.interval(22), Stage.interval(24))], of: Hour(containing: Stage.at(25)), at: now
        )
        #expect(diary.news(by: Stage.rules, at: now).isEmpty)
        diary.compare(
            with: [try Self.report(Stage.interval(24), Stage.interval(26))], of: Hour(containing: Stage.at(27)), at: now
        )
        #expect(diary.news(by: Stage.rules, at: now).map(\.day) == [Day(containing: now)])
        #expect(diary.news(by: Stage.rules, at: now).isEmpty)
    }

    @Test func `minutes beyond the rules' ranges have no level, and no reports are low risk`() throws {
        #expect(VenueRisk(CheckInDiary(), by: Stage.rules, at: Self.now).level == .low)
        var diary = Self.diary(try Stage.code())
        // Level 1 counts nothing, and no range has zero.
        diary.compare(
            with: [try Self.report(Stage.interval(10), Stage.interval(11), level: 1)], of: Self.noon, at: Self.now)
        let risk = VenueRisk(diary, by: Stage.rules, at: Self.now)
        #expect(risk.exposures.map(\.level) == [nil])
        // Android says that the calculation failed.
        #expect(risk.level == nil)
        #expect(VenueRisk(diary, by: Stage.rules, at: Self.now, on: .iOS).level == .low)
        #expect(diary.news(by: Stage.rules, at: Self.now).isEmpty)
    }

    @Test func `visits count until ten days after their last day on Android, and after their last second on iOS`()
        throws
    {
        var diary = Self.diary(try Stage.code())
        diary.compare(
            with: [try Self.report(Stage.interval(10), Stage.interval(11))], of: Self.noon, at: Self.now)
        #expect(VenueRisk(diary, by: Stage.rules, at: Stage.at(23, 59, day: 10)).level == .high)
        #expect(VenueRisk(diary, by: Stage.rules, at: Stage.at(24, day: 10)).exposures.isEmpty)
        // The visit ended at 11:30, and the time together at 11:00.
        let last = Stage.at(11, 30, day: 10)
        #expect(VenueRisk(diary, by: Stage.rules, at: last, on: .iOS).level == .high)
        #expect(VenueRisk(diary, by: Stage.rules, at: last + 1, on: .iOS).exposures.isEmpty)
    }

    @Test func `of a visit over midnight Android forgets the first day alone`() throws {
        var diary = CheckInDiary()
        diary.checkIn(try Stage.code(), at: Stage.at(22), minutes: 240)
        let now = Stage.at(9, day: 1)
        diary.compare(
            with: [
                try Self.report(Stage.interval(22), Stage.interval(23)),
                try Self.report(Stage.interval(24), Stage.interval(25)),
            ], of: Hour(containing: Stage.at(26)), at: now)
        #expect(VenueRisk(diary, by: Stage.rules, at: now).exposures.count == 2)
        #expect(
            VenueRisk(diary, by: Stage.rules, at: Stage.at(24, day: 10)).exposures.map(\.day) == [Day(containing: now)])
        #expect(VenueRisk(diary, by: Stage.rules, at: Stage.at(24, day: 10), on: .iOS).exposures.count == 2)
    }

    @Test func `a visit that goes on is judged up to now, and anew when it has ended`() throws {
        var diary = CheckInDiary()
        diary.checkIn(try Stage.code(), at: Stage.at(10), minutes: 240)
        diary.compare(
            with: [try Self.report(Stage.interval(10), Stage.interval(13), level: 5)], of: Self.noon,
            at: Stage.at(10, 8))
        #expect(VenueRisk(diary, by: Stage.rules, at: Stage.at(10, 8)).exposures.map(\.normalizedMinutes) == [8])
        #expect(diary.news(by: Stage.rules, at: Stage.at(10, 8)).isEmpty)
        diary.checkOut(0, at: Stage.at(10, 45))
        #expect(VenueRisk(diary, by: Stage.rules, at: Self.now).exposures.map(\.normalizedMinutes) == [45])
        #expect(diary.news(by: Stage.rules, at: Self.now).count == 1)
    }
}
