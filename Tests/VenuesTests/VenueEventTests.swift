import ExposureKeys
import FoundationEssentials
import Testing
import Venues

@Suite struct VenueEventTests {
    /// 2026-05-26, at noon.
    private static let now = Date(timeIntervalSince1970: 1_779_796_800)

    private func window(_ from: Double, _ to: Double) throws(VenueWindow.Problem) -> VenueWindow {
        try VenueWindow(
            from: Self.now.addingTimeInterval(from * 60), to: Self.now.addingTimeInterval(to * 60),
            enteredAt: Self.now)
    }

    /// Recomputed with Python's `cryptography`, `hmac` and `hashlib`.
    @Test(arguments: [
        (Array(UInt8(0)..<32), UInt32(0), "0a89164721b08f7600ab7420e91e07d004d7c5c2201adb465a446dff9bb73fe4"),
        (Array(UInt8(0)..<32), 20_781, "871a68cdad877fba238519086f3d9dcbd402311852827638966ab84b68241df0"),
        (Array(UInt8(0)..<32), .max, "71ae60a432cb791360170b7811b44c7378a9b540d5e3c7d8bae3be8e1b4f116b"),
        (
            [UInt8](repeating: 0xff, count: 16), 20_781,
            "aad8340c522d7d801a2a7d4245ee508ccc4809995e6499dd0de17d43de1ee217"
        ),
    ])
    func `a seed gives another tag each day`(seed: [UInt8], day: UInt32, tag: String) throws {
        let keys = try #require(VenueSeed(seed)).keys
        #expect(keys.tag(onDay: day).hex == tag)
        #expect(keys.tag(onDay: day).kind == .day)
        #expect(keys.tag(onDay: day ^ 1) != keys.tag(onDay: day))
    }

    @Test(arguments: [
        (
            "9429300000007",
            "2d688c7b1d71b2998465e7fd115ec992f014143c6da90faa67247c6067f6fc5add935cfa3ca5bd9fac824e6faa566038"
        ),
        (
            "4012345000009",
            "f4e787fdcca2d61db1e8da6ff84b85339ffacf88cf9c756a94960f3fd3c9b354bd45b12045f230f7c81186a597a2d430"
        ),
    ])
    func `a number gives the same tag each day`(number: String, tag: String) throws {
        let known = try #require(GlobalLocationNumber(number)).tag
        #expect(known.hex == tag)
        #expect(known.kind == .number)
        #expect(VenueTag(hex: tag.uppercased()) == known)
    }

    @Test func `one wrong digit of a number is found, wherever it is`() {
        let number = Array("9429300000007".utf8)
        for place in number.indices {
            for digit in UInt8(ascii: "0")...UInt8(ascii: "9") where digit != number[place] {
                var changed = number
                changed[place] = digit
                #expect(GlobalLocationNumber(String(decoding: changed, as: UTF8.self)) == nil)
            }
        }
    }

    @Test(arguments: ["", "942930000000", "94293000000070", "９429300000007", "942930000000x", " 9429300000007"])
    func `what isn't thirteen digits is no number`(text: String) {
        #expect(GlobalLocationNumber(text) == nil)
    }

    @Test(arguments: [0, 31, 33, 47, 49, 64]) func `a tag has 32 or 48 bytes`(count: Int) {
        #expect(VenueTag([UInt8](repeating: 1, count: count)) == nil)
        #expect(VenueTag(hex: String(repeating: "01", count: count)) == nil)
        #expect(VenueTag(hex: String(repeating: "0g", count: 32)) == nil)
    }

    @Test func `windows end on the grid, last a day at most, have ended, and began at most 14 days ago`() throws {
        let fortnight: Double = -14 * 1_440
        for (from, to) in [(-10.0, 0.0), (-1_440, 0), (fortnight, fortnight + 10)] {
            #expect(try window(from, to).endDate == Self.now.addingTimeInterval(to * 60))
        }
        let refused: [(Double, Double, VenueWindow.Problem)] = [
            (-15, 0, .offGrid), (-20, -5, .offGrid), (-10, -10, .reversed), (-10, -20, .reversed),
            (-1_450, 0, .tooLong), (fortnight - 10, fortnight, .tooOld), (-10, 10, .future), (10, 20, .future),
        ]
        for (from, to, problem) in refused {
            #expect(throws: problem) { try window(from, to) }
        }
        #expect(throws: (any Error).self) {
            try VenueWindow(
                from: Date(timeIntervalSince1970: -600), to: Date(timeIntervalSince1970: 600), enteredAt: Self.now)
        }
    }

    @Test func `an event over midnight is one event with a record for each day`() throws {
        let keys = try #require(VenueSeed(Array(UInt8(0)..<32))).keys
        // From noon to noon of the next day.
        let window = try window(-1_440, 0)
        #expect(window.days.count == 2)
        let tags = window.days.map(keys.tag(onDay:))
        let event = try #require(
            VenueEvent(id: UUID(), tags: tags, window: window, severity: .test, message: .takeTest))
        #expect(event.records.map(\.tag) == tags)
        #expect(event.records.allSatisfy { $0.event == event.id && $0.window.days.count == 1 })
        #expect(event.records.first?.window.start == window.start)
        #expect(event.records.first?.window.end == event.records.last?.window.start)
        #expect(event.records.last?.window.end == window.end)

        let number = try #require(GlobalLocationNumber("9429300000007")).tag
        let numbered = try #require(
            VenueEvent(id: UUID(), tags: [number], window: window, severity: .test, message: .takeTest))
        #expect(numbered.records.map(\.window) == [window])
    }

    @Test func `a window that ends at midnight touches one day`() throws {
        let day: UInt32 = 20_600
        let midnight = IntervalNumber(rawValue: day * 144)
        let window = try #require(VenueWindow(start: IntervalNumber(rawValue: midnight.rawValue - 1), end: midnight))
        #expect(window.days == (day - 1)...(day - 1))
        #expect(window.part(onDay: day) == nil)
        #expect(window.part(onDay: day - 1) == window)
        #expect(window.part(onDay: .max) == nil)
    }

    @Test func `tags must fit the window`() throws {
        let keys = try #require(VenueSeed(Array(UInt8(0)..<32))).keys
        let number = try #require(GlobalLocationNumber("9429300000007")).tag
        let (day, night) = (try window(-20, -10), try window(-1_440, 0))
        let tags = (0..<3).map { keys.tag(onDay: $0) }
        let wrong: [([VenueTag], VenueWindow)] = [
            ([], day), ([tags[0], tags[1]], day), ([tags[0]], night), (tags, night), ([tags[0], tags[0]], night),
            ([tags[0], number], night), ([number, number], night),
        ]
        for (tags, window) in wrong {
            #expect(VenueEvent(id: UUID(), tags: tags, window: window, severity: .inform, message: .takeTest) == nil)
        }
    }

    @Test func `an event expires 14 days after its end`() throws {
        let window = try window(-20, -10)
        let end = window.endDate.addingTimeInterval(14 * 86_400)
        #expect(!window.hasExpired(at: end.addingTimeInterval(-1)))
        #expect(window.hasExpired(at: end))
    }
}
