import ExposureFormat
import ExposureKeys
import Foundation
import TestSupport
import Testing
import Venues

@testable import Phone

@Suite struct VisitSharingTests {
    typealias Stage = CheckInStage

    // MARK: Times

    /// Minutes after 09:00 UTC on 4 March 2021, which is 10:00 in Berlin: `checkin-timeinterval-derivation.json` of cwa-app-ios, which is
    /// also cwa-app-android's `TimeIntervalDeriverTest.kt`.
    @Test(
        arguments: [
            (21, 29, nil), (20, 30, 20..<40), (21, 31, 20..<40), (26, 36, 30..<50), (21, 33, 20..<40),
            (24, 36, 30..<50),
            (25, 39, 20..<50), (28, 42, 30..<60), (25, 40, 20..<50), (22, 72, 20..<100),
            // The worked example of the published rules: 38 minutes become 70.
            (3, 41, 0..<70),
        ] as [(Int, Int, Range<Int>?)])
    func `the reported times are those of the published apps`(from: Int, to: Int, expected: Range<Int>?) {
        let base = Stage.morning.wholeSeconds
        let reported = Stage.rules.reported(from: base + Int64(from) * 60, to: base + Int64(to) * 60)
        #expect(reported.map { Self.minutes($0.lowerBound)..<Self.minutes($0.upperBound) } == expected)
    }

    private static func minutes(_ interval: IntervalNumber) -> Int {
        Int(interval.startSeconds - Stage.morning.wholeSeconds) / 60
    }

    @Test func `seconds count for the aerosol's time, but not for the filter`() {
        let base = Stage.morning.wholeSeconds
        func reported(_ seconds: Int64) -> UInt32? {
            Stage.rules.reported(from: base, to: base + seconds).map { $0.upperBound.rawValue - $0.lowerBound.rawValue }
        }
        // 9:59 is nine minutes.
        #expect(reported(599) == nil)
        #expect(reported(600) == 2)
        // 12:29 and as much again is just below half of a third interval, and 12:30 is half of it.
        #expect(reported(749) == 2)
        #expect(reported(750) == 3)
        // 30:59 is thirty minutes, so the slope counts: 61:58. From 31 minutes on it is the intercept: 61:00.
        #expect(reported(1859) == 6)
        #expect(reported(1860) == 6)
        #expect(reported(3600) == 9)
    }

    @Test func `reported times are as long as visit and aerosol, to half an interval, and lie around them`() throws {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<2000 {
            let start = Stage.morning.wholeSeconds + Int64.random(in: 0..<86_400, using: &random)
            let length = Int64.random(in: 600...(26 * 3600), using: &random)
            let reported = try #require(Stage.rules.reported(from: start, to: start + length))
            let seconds = reported.upperBound.startSeconds - reported.lowerBound.startSeconds
            let decay = length / 60 <= 30 ? length : 1800
            #expect(abs(seconds - length - decay) <= 300)
            #expect(abs(reported.lowerBound.startSeconds - start) < 900)
            #expect(reported.upperBound.startSeconds >= start + length)
        }
    }

    @Test func `times before 1970 and at the end of all numbers are no visit`() {
        #expect(Stage.rules.reported(from: -600, to: 3600) == nil)
        let last = Int64(UInt32.max) * 600
        #expect(Stage.rules.reported(from: last, to: last + 86_400) == nil)
        #expect(Stage.rules.reported(from: last, to: last - 86_400) == nil)
    }

    /// Cases of cwa-app-android's `CheckInSplitterTest.kt`, on the grid.
    @Test(
        arguments: [
            (6, 20, [6..<20]), (57, 202, [57..<144, 144..<202]), (57, 346, [57..<144, 144..<288, 288..<346]),
            (0, 144, [0..<144]), (143, 145, [143..<144, 144..<145]), (144, 288, [144..<288]), (0, 0, []),
        ] as [(UInt32, UInt32, [Range<UInt32>])])
    func `a visit is split at each midnight UTC`(start: UInt32, end: UInt32, parts: [Range<UInt32>]) {
        let midnight = Stage.interval(0).rawValue
        let whole = IntervalNumber(rawValue: midnight + start)..<IntervalNumber(rawValue: midnight + end)
        #expect(
            whole.splitAtMidnight.map { ($0.lowerBound.rawValue - midnight)..<($0.upperBound.rawValue - midnight) }
                == parts)
    }

    @Test func `the last day of all numbers ends with them`() {
        let whole = IntervalNumber(rawValue: .max - 200)..<IntervalNumber(rawValue: .max)
        #expect(whole.splitAtMidnight.last?.upperBound == IntervalNumber(rawValue: .max))
    }

    // MARK: Risk levels

    /// The levels by age in days, and for a known onset by the days since it.
    @Test(arguments: [
        (OnsetOfSymptoms.unsaid, [5, 6, 7, 7, 7, 6, 4, 3, 2, 1, 1, 1, 1, 1, 1]),
        (.none, [4, 4, 3, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]),
        (.unknownDay, [5, 6, 8, 8, 8, 7, 5, 3, 2, 1, 1, 1, 1, 1, 1]),
        (.lastWeek, [4, 5, 6, 7, 7, 7, 6, 5, 4, 3, 2, 1, 1, 1, 1]),
        (.weekBefore, [1, 1, 1, 1, 2, 3, 4, 5, 6, 6, 7, 7, 6, 6, 4]),
        (.earlier, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 5]),
        (.day(Day(number: 18_687)), [6, 8, 8, 8, 7, 6, 4, 2, 1, 1, 1, 1, 1, 1, 1]),
    ])
    func `the levels of past days are those of the published apps`(onset: OnsetOfSymptoms, levels: [Int]) {
        let today = Day(number: 18_689)
        #expect((0...14).map { onset.level(of: today.advanced(by: -$0), today: today).rawValue } == levels)
        #expect(onset.level(of: today.advanced(by: 1), today: today) == .lowest)
        #expect(onset.level(of: today.advanced(by: -15), today: today) == .lowest)
    }

    @Test func `a known onset gives the level by the days since it`() {
        let onset = Day(number: 18_680)
        let today = onset.advanced(by: 9)
        let levels = (-6...7).map {
            OnsetOfSymptoms.day(onset).level(of: onset.advanced(by: $0), today: today).rawValue
        }
        #expect(levels == [1, 2, 4, 6, 7, 8, 8, 8, 6, 5, 3, 2, 2, 1])
    }

    // MARK: Selecting

    /// Three visits yesterday, and one that was too short. Today somebody tests positive.
    private static func diary() throws -> CheckInDiary {
        var diary = CheckInDiary()
        for (code, hour, minutes) in [
            (try Stage.code(), 9, 38), (try Stage.location(), 12, 60), (try Stage.code(2), 13, 9),
            (try Stage.numbered(), 14, 60), (try Stage.code(2), 23, 90),
        ] {
            diary.checkIn(code, at: Stage.at(hour, 3), minutes: minutes)
        }
        diary.live(until: Stage.at(9, day: 1))
        return diary
    }

    private static func sharing() throws -> VisitSharing {
        VisitSharing(try diary(), by: Stage.rules, onset: .unsaid, at: Stage.at(9, day: 1))
    }

    @Test func `nothing is selected at first, and nothing but random reports is shared then`() throws {
        var random = SeededGenerator(seed: 1)
        let sharing = try Self.sharing()
        #expect(sharing.selected.isEmpty)
        for _ in 0..<20 {
            let reports = try sharing.reports(using: &random)
            #expect(reports.checkIns.isEmpty)
            #expect(Self.read(reports).isEmpty)
        }
    }

    @Test func `visits that were too short, or of venues without reports, can't be selected`() throws {
        var sharing = try Self.sharing()
        #expect(sharing.candidates.map(\.id) == [0, 1, 4])
        for id in UInt32(0)...9 { sharing.select(id) }
        #expect(sharing.selected == [0, 1, 4])
        sharing.deselect(1)
        #expect(sharing.selected == [0, 4])
    }

    @Test func `only what was selected is shared, in the venue's format, split at midnight`() throws {
        var random = SeededGenerator(seed: 2)
        var sharing = try Self.sharing()
        sharing.select(1)
        sharing.select(4)
        let reports = try sharing.reports(using: &random)
        #expect(reports.checkIns == [1, 4])
        let level = 6
        #expect(
            Self.read(reports) == [
                try Stage.record(Stage.interval(12), Stage.interval(13, 30), level: level),
                // 23:03 to 00:33 and half an hour.
                try Stage.record(Stage.interval(23), Stage.interval(24), level: level),
                try Stage.record(Stage.interval(24), Stage.interval(25), level: 5),
            ])
        // What the owner was shown is what is sent.
        #expect(Self.read(reports) == sharing.candidates.filter { [1, 4].contains($0.id) }.flatMap(sharing.records))
    }

    /// What the venues of the stage can read.
    private static func read(_ reports: VisitSharing.Reports) -> [VisitRecord] {
        var records: [VisitRecord] = []
        for number in UInt8(1)...2 {
            guard let keys = try? Stage.keys(Stage.code(number)) else { continue }
            records += reports.venueReports.compactMap(keys.open)
        }
        if let location = try? Stage.traceLocation(Stage.location()) {
            records += reports.checkInReports.compactMap(location.open)
        }
        return records.sorted { $0.start < $1.start }
    }

    @Test func `days whose level counts for nothing aren't shared`() throws {
        // Without symptoms, three days ago has level 2, and two days ago level 3.
        for (daysLater, count) in [(2, 3), (3, 1)] {
            let diary = try Self.diary()
            let sharing = VisitSharing(diary, by: Stage.rules, onset: .none, at: Stage.at(9, day: daysLater))
            #expect(sharing.candidates.count == count)
        }
        // What counts is when the owner answered, and not when the visits are shared.
        let answer = Day(containing: Stage.at(9, day: 2))
        let late = VisitSharing(
            try Self.diary(), by: Stage.rules, onset: .none, answeredOn: answer, at: Stage.at(9, day: 3))
        #expect(late.candidates.count == 3)
        // Of the visit over midnight, only the second day is left.
        let sharing = VisitSharing(try Self.diary(), by: Stage.rules, onset: .none, at: Stage.at(9, day: 3))
        #expect(
            sharing.candidates.flatMap(sharing.records) == [
                try Stage.record(Stage.interval(24), Stage.interval(25), level: 3)
            ])
    }

    @Test func `zero to three random reports are added of each kind, each number as often`() throws {
        var random = SeededGenerator(seed: 5)
        var sharing = try Self.sharing()
        sharing.select(0)
        var counts: [[Int]: Int] = [:]
        for _ in 0..<1600 {
            let reports = try sharing.reports(using: &random)
            counts[[reports.venueReports.count - 1, reports.checkInReports.count], default: 0] += 1
        }
        #expect(counts.count == 16)
        #expect(counts.keys.allSatisfy { $0.allSatisfy((0...3).contains) })
        #expect(counts.values.allSatisfy { (50...160).contains($0) })
    }

    @Test func `every place of the batch is as likely for every visit`() throws {
        var random = SeededGenerator(seed: 6)
        var diary = CheckInDiary()
        for number in UInt8(1)...4 { diary.checkIn(try Stage.code(number), at: Stage.at(10), minutes: 30) }
        var sharing = VisitSharing(diary, by: Stage.rules, onset: .unsaid, at: Stage.at(12))
        for id in UInt32(0)...3 { sharing.select(id) }
        let keys = try (UInt8(1)...4).map { try Stage.keys(Stage.code($0)) }
        var first = [Int](repeating: 0, count: 4)
        var rounds = 0
        while rounds < 400 {
            let reports = try sharing.reports(using: &random).venueReports
            guard reports.count == 4 else { continue }
            rounds += 1
            if let owner = keys.firstIndex(where: { $0.open(reports[0]) != nil }) { first[owner] += 1 }
        }
        #expect(first.reduce(0, +) == 400)
        #expect(first.allSatisfy { (60...150).contains($0) })
    }

    @Test func `what was shared once isn't offered again`() throws {
        var diary = try Self.diary()
        diary.markShared([0, 4])
        let sharing = VisitSharing(diary, by: Stage.rules, onset: .unsaid, at: Stage.at(9, day: 1))
        #expect(sharing.candidates.map(\.id) == [1])
    }

    @Test func `more visits than an upload holds are cut to the latest`() throws {
        var random = SeededGenerator(seed: 7)
        var diary = CheckInDiary()
        for visit in 0..<200 { diary.checkIn(try Stage.code(), at: Stage.at(9, visit), minutes: 20) }
        var sharing = VisitSharing(diary, by: Stage.rules, onset: .unsaid, at: Stage.at(13))
        for checkIn in diary.checkIns { sharing.select(checkIn.id) }
        let reports = try sharing.reports(using: &random)
        #expect((125...128).contains(reports.venueReports.count))
        #expect(reports.checkIns == Set(75...199))
    }

    @Test func `visits of both kinds share one upload: the latest ones, and each earlier one that still fits`() throws {
        var random = SeededGenerator(seed: 8)
        // 7,600 bytes, less the most padding: 7,105. A report takes 59 of them, or 106.
        let cases: [(isOurs: (Int) -> Bool, count: Int, shared: Set<UInt32>)] = [
            // 43 visits of each kind take 7,095.
            ({ $0.isMultiple(of: 2) }, 150, Set(64...149)),
            // The last two take 118, and 65 of the others 6,890. There is room for one of the first five.
            ({ $0 < 5 || $0 > 104 }, 107, Set(40...106).union([4])),
        ]
        for (isOurs, count, shared) in cases {
            var diary = CheckInDiary()
            for visit in 0..<count {
                let code = try isOurs(visit) ? Stage.code() : Stage.location()
                diary.checkIn(code, at: Stage.at(9, visit), minutes: 20)
            }
            var sharing = VisitSharing(diary, by: Stage.rules, onset: .unsaid, at: Stage.at(13))
            for checkIn in diary.checkIns { sharing.select(checkIn.id) }
            for _ in 0..<20 {
                let reports = try sharing.reports(inOneUpload: true, using: &random)
                #expect(reports.checkIns == shared)
                let size = VenueUpload.size(
                    venueReports: reports.venueReports.count, checkInReports: reports.checkInReports.count)
                #expect(size <= VenueUpload.roomForReports)
            }
            // Alone, either kind has more room.
            #expect(try sharing.reports(using: &random).checkIns.count == count)
        }
    }
}
