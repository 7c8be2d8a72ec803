import ExposureKeys
import Foundation
import Testing

struct HourTests {
    @Test("an hour is half-open: its last second belongs to it, its end to the next")
    func halfOpen() {
        let hour = Hour(number: 491_000)
        #expect(Hour(containing: hour.start) == hour)
        #expect(Hour(containing: hour.end.addingTimeInterval(-0.001)) == hour)
        #expect(Hour(containing: hour.end) == hour.advanced(by: 1))
    }

    @Test("the latest hour that ended by an instant includes the one that ends right then")
    func endedBy() {
        let hour = Hour(number: 491_000)
        #expect(Hour(endedBy: hour.end) == hour)
        #expect(Hour(endedBy: hour.end.addingTimeInterval(-1)) == hour.advanced(by: -1))
    }

    @Test("an hour has its day and its number in the day")
    func ofDay() {
        let midnight = Day(number: 20_000).firstHour
        #expect(midnight.ofDay == 0)
        #expect(midnight.advanced(by: -1).ofDay == 23)
        #expect(midnight.advanced(by: -1).day == Day(number: 19_999))
        #expect(Hour(number: -1).day == Day(number: -1))
        #expect(Hour(number: -1).ofDay == 23)
    }

    @Test("days are named as Foundation's calendar names them, leap years and centuries included")
    func names() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        // Every day from 1970 to 2169 would take a second; a stride that is prime to 7, 365 and 400 finds every case.
        for number in stride(from: Int32(0), to: 73_000, by: 13) {
            let parts = calendar.dateComponents([.year, .month, .day], from: Day(number: number).firstHour.start)
            let (year, month, day) = (try #require(parts.year), try #require(parts.month), try #require(parts.day))
            let name = Day(number: number).name
            #expect(name == String(format: "%04d-%02d-%02d", year, month, day))
            #expect(Day(name: name) == Day(number: number))
        }
        #expect(Day(number: 20_513).name == "2026-03-01")
        #expect(Day(number: 11_016).name == "2000-02-29")
    }

    @Test(
        "an invalid day name is refused, whatever numbers it has",
        arguments: [
            "", "2026-02-30", "2026-13-01", "2026-1-1", "26-01-01", "2026-01-01-", "2026-00-10", "a-b-c",
            "2026-01-32", "2026-01-00", "2020-01-9223372036854775807", "2020-01--9223372036854775808",
            "9223372036854775807-01-01", "2020-9223372036854775807-1", "+026-01-01", "2026-+1-01", "2026-01-+1",
            "2026-01--1", "--", "---------", "\u{0662}026-01-1", String(repeating: "9", count: 400),
            "2020-01-" + String(repeating: "9", count: 400),
        ])
    func refusedNames(name: String) {
        #expect(Day(name: name) == nil)
    }
}
