import Crypto
import ExposureKeys
import Foundation
import TestSupport
import Testing
import Venues

@testable import Phone

@Suite struct CheckInDiaryTests {
    typealias Stage = CheckInStage

    @Test func `a visit lasts until the visitor checks out`() throws {
        var diary = CheckInDiary()
        let id = try #require(diary.checkIn(try Stage.code(), at: Stage.at(10, 3)))
        #expect(diary.checkIns.map(\.isCheckedOut) == [false])
        diary.checkOut(id, at: Stage.at(10, 41))
        let visit = try #require(diary.checkIns.first)
        #expect(visit.isCheckedOut)
        #expect(visit.start == Stage.at(10, 3))
        #expect(visit.end == Stage.at(10, 41))
        #expect(visit.code == (try Stage.code()))
        // Whoever leaves twice has left once.
        diary.checkOut(id, at: Stage.at(11))
        #expect(diary.checkIns.first?.end == Stage.at(10, 41))
        diary.checkOut(99, at: Stage.at(11))
    }

    @Test func `the phone checks out by itself, as the owner, the code or the usual time says`() throws {
        var diary = CheckInDiary()
        diary.checkIn(try Stage.code(), at: Stage.at(10), minutes: 30)
        diary.checkIn(try Stage.location(), at: Stage.at(10))
        diary.checkIn(try Stage.code(2), at: Stage.at(10))
        diary.live(until: Stage.at(10, 29))
        #expect(diary.checkIns.map(\.isCheckedOut) == [false, false, false])
        diary.live(until: Stage.at(11, 0))
        #expect(diary.checkIns.map(\.isCheckedOut) == [true, true, false])
        diary.live(until: Stage.at(20))
        #expect(diary.checkIns.map(\.end) == [Stage.at(10, 30), Stage.at(10, 45), Stage.at(12)])
        // The system let the app run late: the planned end counts.
        diary.checkIn(try Stage.code(), at: Stage.at(21), minutes: 15)
        diary.checkOut(3, at: Stage.at(23))
        #expect(diary.checkIns.last?.end == Stage.at(21, 15))
    }

    @Test(arguments: [(-5, 1), (0, 1), (1440, 1440), (9999, 1440)])
    func `a planned visit lasts a minute to a day`(asked: Int, planned: Int) throws {
        var diary = CheckInDiary()
        diary.checkIn(try Stage.code(), at: Stage.morning, minutes: asked)
        #expect(diary.checkIns.first?.end == Stage.morning.addingTimeInterval(Double(planned) * 60))
    }

    @Test func `a visit is deleted 14 days after it began, with all that derives from it`() throws {
        var diary = CheckInDiary()
        diary.checkIn(try Stage.code(), at: Stage.morning)
        let report = try Stage.keys(Stage.code()).seal(try Stage.record(Stage.interval(9), Stage.interval(11)))
        diary.compare(with: [report], of: Hour(containing: Stage.at(12)), at: Stage.at(14))
        #expect(diary.news(by: Stage.rules, at: Stage.at(14)).count == 1)
        diary.live(until: Stage.at(8, 59, day: 14, second: 59))
        #expect(diary.checkIns.count == 1)
        #expect(diary.warnings.count == 1)
        diary.live(until: Stage.at(9, day: 14))
        #expect(diary.checkIns.isEmpty)
        #expect(diary.warnings.isEmpty)
        #expect(diary.told.isEmpty)
        #expect(diary.compared == CheckInDiary.Compared())
    }

    @Test func `one visit can be deleted, or all`() throws {
        var diary = CheckInDiary()
        for number in UInt8(1)...3 { diary.checkIn(try Stage.code(number), at: Stage.morning) }
        let report = try Stage.keys(Stage.code(2)).seal(try Stage.record(Stage.interval(9), Stage.interval(11)))
        diary.compare(with: [report], of: Hour(containing: Stage.at(12)), at: Stage.at(14))
        #expect(diary.news(by: Stage.rules, at: Stage.at(14)).map(\.checkIn) == [1])
        diary.delete(1)
        #expect(diary.checkIns.map(\.id) == [0, 2])
        #expect(diary.warnings.isEmpty)
        #expect(diary.told.isEmpty)
        // A number isn't used again.
        #expect(diary.checkIn(try Stage.code(2), at: Stage.at(15)) == 3)
        diary.deleteAll()
        #expect(diary == CheckInDiary())
    }

    @Test func `a venue's reports stay while another visit to it does`() throws {
        var diary = CheckInDiary()
        diary.checkIn(try Stage.code(), at: Stage.morning)
        // The same seed under another name is the same venue.
        diary.checkIn(try Stage.code(name: "Terrace"), at: Stage.at(10))
        let report = try Stage.keys(Stage.code()).seal(try Stage.record(Stage.interval(10), Stage.interval(11)))
        diary.compare(with: [report], of: Hour(containing: Stage.at(12)), at: Stage.at(14))
        diary.delete(0)
        #expect(diary.warnings.count == 1)
        #expect(diary.news(by: Stage.rules, at: Stage.at(14)).map(\.checkIn) == [1])
        diary.delete(1)
        #expect(diary.warnings.isEmpty)
    }

    @Test func `visits without a readable name are counted`() throws {
        var diary = CheckInDiary()
        diary.checkIn(try Stage.code(), at: Stage.morning)
        diary.checkIn(try Stage.code(2, name: ""), at: Stage.morning)
        diary.checkIn(try Stage.location(), at: Stage.morning)
        #expect(diary.unreadable == 1)
        // What a later version of the app kept.
        let later = try JSONEncoder().encode(diary)
        let text = String(decoding: later, as: UTF8.self).replacing("traceLocation", with: "anotherKind")
        let read = try JSONDecoder().decode(CheckInDiary.self, from: Data(text.utf8))
        #expect(read.checkIns.count == 3)
        #expect(read.unreadable == 2)
    }

    @Test func `a full diary takes no visit until one is deleted`() throws {
        var diary = CheckInDiary()
        let code = try Stage.code()
        for _ in 0..<CheckInDiary.maximumCheckIns { #expect(diary.checkIn(code, at: Stage.morning) != nil) }
        #expect(diary.checkIn(code, at: Stage.morning) == nil)
        diary.delete(7)
        #expect(diary.checkIn(code, at: Stage.morning) != nil)
    }

    // MARK: Sealing

    private static let key = SymmetricKey(size: .bits256)

    private static func diary() throws -> CheckInDiary {
        var diary = CheckInDiary()
        diary.checkIn(try Stage.code(name: "A very particular place"), at: Stage.morning)
        diary.checkIn(try Stage.location(), at: Stage.at(10))
        let report = try Stage.keys(Stage.code()).seal(try Stage.record(Stage.interval(9), Stage.interval(11)))
        diary.compare(with: [report], of: Hour(containing: Stage.at(12)), at: Stage.at(14))
        _ = diary.news(by: Stage.rules, at: Stage.at(14))
        return diary
    }

    @Test func `a sealed diary is the same when it is opened`() throws {
        let diary = try Self.diary()
        #expect(diary.warnings.count == 1)
        #expect(diary.told.count == 1)
        #expect(try CheckInDiary(opening: diary.sealed(with: Self.key), with: Self.key) == diary)
    }

    @Test func `nothing of a sealed diary can be read, and its size is that of an empty one`() throws {
        let sealed = try Self.diary().sealed(with: Self.key)
        #expect(try sealed.count == CheckInDiary().sealed(with: Self.key).count)
        #expect(sealed.count == CheckInDiary.step + CheckInDiary.overhead)
        let parts = ["checkIns", Data([1] + [UInt8](repeating: 1, count: 32)).base64EncodedString()].map {
            Array($0.utf8)
        }
        for part in parts { #expect(!sealed.contains(part)) }
        // The control: before it is sealed, both are there.
        let plain = Array(try Self.diary().content())
        for part in parts { #expect(plain.contains(part)) }
    }

    @Test func `another key doesn't open it`() throws {
        let sealed = try Self.diary().sealed(with: Self.key)
        #expect(throws: CheckInDiary.Unreadable.refused) {
            try CheckInDiary(opening: sealed, with: SymmetricKey(size: .bits256))
        }
    }

    @Test func `a file with any change, cut or addition is refused`() throws {
        let sealed = try Self.diary().sealed(with: Self.key)
        var random = SeededGenerator(seed: 3)
        let places = Array(0..<64) + (0..<200).map { _ in Int.random(in: 0..<sealed.count, using: &random) }
        for place in places {
            var changed = sealed
            changed[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            #expect(throws: CheckInDiary.Unreadable.self) { try CheckInDiary(opening: changed, with: Self.key) }
        }
        for length in [0, 1, 12, 28, 29, sealed.count - 1] {
            #expect(throws: CheckInDiary.Unreadable.refused) {
                try CheckInDiary(opening: Array(sealed.prefix(length)), with: Self.key)
            }
        }
        #expect(throws: CheckInDiary.Unreadable.refused) { try CheckInDiary(opening: sealed + [0], with: Self.key) }
    }

    @Test func `a file of a later version is told from a damaged one`() throws {
        var sealed = try Self.diary().sealed(with: Self.key)
        sealed[0] = 2
        #expect(throws: CheckInDiary.Unreadable.unknownVersion) { try CheckInDiary(opening: sealed, with: Self.key) }
    }
}

extension [UInt8] {
    fileprivate func contains(_ part: [UInt8]) -> Bool { firstRange(of: part) != nil }
}
