import ExposureKeys
import Foundation
import Testing
import Venues

@testable import Phone

@Suite struct VenueEventMatchingTests {
    typealias Stage = CheckInStage

    private static let now = Stage.at(20)
    private static let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    /// A visit from 10:00 to 11:30.
    private static func diary(_ code: VenueCode) -> CheckInDiary {
        var diary = CheckInDiary()
        diary.checkIn(code, at: Stage.at(10), minutes: 90)
        return diary
    }

    /// An entry as the health authority publishes it.
    private static func records(
        _ code: VenueCode, _ start: IntervalNumber, _ end: IntervalNumber, revision: Int32 = 1,
        severity: VenueSeverity = .inform, id: UUID = id
    ) throws -> [VenueEventRecord] {
        let window = try #require(VenueWindow(start: start, end: end))
        let tags: [VenueTag]
        switch code.venue {
        case .seed(let seed): tags = window.days.map { seed.keys.tag(onDay: $0) }
        case .numbered(let number): tags = [number.tag]
        case .traceLocation: tags = []
        }
        let event = VenueEvent(
            id: id, tags: tags, window: window, severity: severity, message: .watchForSymptoms, revision: revision)
        return try #require(event).records
    }

    @Test(arguments: [
        (8, 0, 10, 0, false), (8, 0, 10, 10, true), (10, 30, 10, 40, true), (11, 20, 12, 0, true),
        (11, 30, 12, 0, false),
        (9, 0, 13, 0, true),
    ])
    func `an entry concerns who was there in its time`(
        startHour: Int, startMinute: Int, endHour: Int, endMinute: Int, isConcerned: Bool
    ) throws {
        for code in [try Stage.code(), try Stage.numbered()] {
            var diary = Self.diary(code)
            let records = try Self.records(
                code, Stage.interval(startHour, startMinute), Stage.interval(endHour, endMinute))
            let news = diary.compare(with: records, tombstones: [], at: Self.now)
            #expect(news.alerts.count == (isConcerned ? 1 : 0))
            #expect(diary.currentAlerts.map(\.event) == (isConcerned ? [Self.id] : []))
        }
    }

    @Test func `an entry of another venue concerns nobody else`() throws {
        var diary = Self.diary(try Stage.code())
        for other in [try Stage.code(2), try Stage.numbered()] {
            let records = try Self.records(other, Stage.interval(9), Stage.interval(13))
            #expect(diary.compare(with: records, tombstones: [], at: Self.now) == CheckInDiary.EventNews())
        }
    }

    @Test func `a day's tag is no other day's`() throws {
        var diary = Self.diary(try Stage.code())
        let right = try Self.records(try Stage.code(), Stage.interval(9), Stage.interval(13))
        // The same tag, published for the day after.
        let window = try #require(VenueWindow(start: Stage.interval(9, day: 1), end: Stage.interval(13, day: 1)))
        let wrong = right.map {
            VenueEventRecord(
                event: $0.event, tag: $0.tag, window: window, severity: $0.severity, message: $0.message,
                revision: $0.revision)
        }
        #expect(diary.compare(with: wrong, tombstones: [], at: Stage.at(20, day: 1)).alerts.isEmpty)
    }

    @Test func `a visit or an entry over midnight is found, once`() throws {
        var late = CheckInDiary()
        late.checkIn(try Stage.code(), at: Stage.at(23), minutes: 180)
        let now = Stage.at(9, day: 1)
        let records = try Self.records(try Stage.code(), Stage.interval(23), Stage.interval(25))
        #expect(records.count == 2)
        let news = late.compare(with: records, tombstones: [], at: now)
        #expect(news.alerts.count == 1)
        #expect(late.currentAlerts.count == 1)
        // Who came after midnight is told as well.
        var later = CheckInDiary()
        later.checkIn(try Stage.code(), at: Stage.at(24, 10), minutes: 30)
        #expect(later.compare(with: records, tombstones: [], at: now).alerts.count == 1)
    }

    @Test func `the owner is told once for an entry, also of several visits`() throws {
        var diary = Self.diary(try Stage.code())
        diary.checkIn(try Stage.code(), at: Stage.at(12), minutes: 30)
        let records = try Self.records(try Stage.code(), Stage.interval(9), Stage.interval(13))
        let news = diary.compare(with: records, tombstones: [], at: Self.now)
        #expect(news.alerts.map(\.checkIn) == [0])
        #expect(diary.currentAlerts.map(\.checkIn).sorted() == [0, 1])
        #expect(diary.compare(with: records, tombstones: [], at: Self.now) == CheckInDiary.EventNews())
    }

    @Test func `a later revision counts, and says something only if it asks something else`() throws {
        let code = try Stage.code()
        var diary = Self.diary(code)
        func news(_ revision: Int32, _ severity: VenueSeverity, until hour: Int = 13) throws -> CheckInDiary.EventNews {
            diary.compare(
                with: try Self.records(
                    code, Stage.interval(9), Stage.interval(hour), revision: revision, severity: severity),
                tombstones: [], at: Self.now)
        }
        #expect(try news(1, .inform).alerts.map(\.severity) == [.inform])
        #expect(try news(2, .inform).alerts.isEmpty)
        #expect(try news(3, .test).alerts.map(\.severity) == [.test])
        // An old copy changes nothing.
        #expect(try news(2, .inform) == CheckInDiary.EventNews())
        #expect(diary.currentAlerts.map(\.revision) == [3])
        // A correction of the time takes it back.
        #expect(try news(4, .test, until: 10) == CheckInDiary.EventNews(alerts: [], revoked: [Self.id]))
        #expect(diary.currentAlerts.isEmpty)
    }

    @Test func `a tombstone takes an entry back, and an old list doesn't bring it back`() throws {
        let code = try Stage.code()
        var diary = Self.diary(code)
        let records = try Self.records(code, Stage.interval(9), Stage.interval(13))
        _ = diary.compare(with: records, tombstones: [], at: Self.now)
        let tombstone = VenueTombstone(event: Self.id, revision: 2)
        #expect(diary.compare(with: [], tombstones: [tombstone], at: Self.now).revoked == [Self.id])
        #expect(diary.currentAlerts.isEmpty)
        #expect(diary.compare(with: records, tombstones: [], at: Self.now) == CheckInDiary.EventNews())
        #expect(diary.compare(with: [], tombstones: [tombstone], at: Self.now) == CheckInDiary.EventNews())
        #expect(diary.currentAlerts.isEmpty)
    }

    @Test func `a tombstone in the same list is stronger, and one of another entry has no effect`() throws {
        let code = try Stage.code()
        var diary = Self.diary(code)
        let records = try Self.records(code, Stage.interval(9), Stage.interval(13))
        let other = VenueTombstone(event: UUID(), revision: 2)
        #expect(diary.compare(with: records, tombstones: [other], at: Self.now).alerts.count == 1)
        var fresh = Self.diary(code)
        let own = VenueTombstone(event: Self.id, revision: 2)
        #expect(fresh.compare(with: records, tombstones: [own], at: Self.now).alerts.isEmpty)
        #expect(fresh.currentAlerts.isEmpty)
    }

    @Test func `an entry that is missing from a list stays until the visit is deleted`() throws {
        var diary = Self.diary(try Stage.code())
        let records = try Self.records(try Stage.code(), Stage.interval(9), Stage.interval(13))
        _ = diary.compare(with: records, tombstones: [], at: Self.now)
        #expect(diary.compare(with: [], tombstones: [], at: Self.now) == CheckInDiary.EventNews())
        #expect(diary.currentAlerts.count == 1)
        diary.delete(0)
        #expect(diary.alerts.isEmpty)
    }

    @Test func `alerts are sealed with the diary`() throws {
        var diary = Self.diary(try Stage.code())
        let records = try Self.records(try Stage.code(), Stage.interval(9), Stage.interval(13), severity: .test)
        _ = diary.compare(with: records, tombstones: [], at: Self.now)
        let copy = try JSONDecoder().decode(CheckInDiary.self, from: try JSONEncoder().encode(diary))
        #expect(copy == diary)
        #expect(copy.currentAlerts.map(\.severity) == [.test])
        #expect(copy.currentAlerts.map(\.message) == [.watchForSymptoms])
    }
}
