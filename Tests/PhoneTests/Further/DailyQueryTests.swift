import Foundation
import Phone
import Testing

@Suite struct DailyQueryTests {
    /// 2020-05-05, 00:00 UTC.
    private let midnight = Date(timeIntervalSince1970: 1_588_636_800)
    private let summerInBerlin = 7200

    private func at(_ hour: Double) -> Date { midnight + hour * 3600 }

    @Test("the list is asked for from 19:00 local time on", arguments: [(16.99, false), (17, true), (21.9, true)])
    func hour(_ hour: Double, _ isTime: Bool) {
        var query = DailyQuery()
        #expect((query.look(at: at(hour), zone: summerInBerlin) != nil) == isTime)
    }

    @Test("the app looks every ten minutes, and asks once a calendar day", arguments: [-36_000, 0, 7200, 46_800])
    func onceADay(zone: Int) {
        var query = DailyQuery()
        var asked: [Date] = []
        var now = midnight
        while now < midnight + 5 * 86_400 {
            if let question = query.look(at: now, zone: zone) {
                asked.append(now)
                query.succeed(question)
            }
            now += 60
        }
        let local = asked.map {
            ($0.timeIntervalSince(midnight) + Double(zone) + 86_400).truncatingRemainder(dividingBy: 86_400)
        }
        #expect(asked.count == 5)
        #expect(local.allSatisfy { $0 >= 19 * 3600 && $0 < 19 * 3600 + DailyQuery.pause })
    }

    @Test("a failure is repeated after ten minutes, until midnight")
    func failure() {
        var query = DailyQuery()
        let looks = (0..<1440).filter { query.look(at: midnight + Double($0) * 60, zone: 0) != nil }
        #expect(looks == Array(stride(from: 19 * 60, to: 1440, by: 10)))
    }

    @Test("an answer after midnight belongs to the day of its question")
    func late() throws {
        var query = DailyQuery()
        let question = query.look(at: at(23.99), zone: 0)
        query.succeed(try #require(question))
        #expect(query.look(at: at(43), zone: 0) != nil)
    }

    @Test("a clock that was wrong once doesn't stop the questions")
    func wrongClock() throws {
        var query = DailyQuery()
        let question = query.look(at: at(19 + 365 * 24), zone: 0)
        query.succeed(try #require(question))
        #expect(query.look(at: at(19.5), zone: 0) != nil)
    }

    @Test("the question of a day survives the end of the process")
    func persistence() throws {
        var query = DailyQuery()
        let question = query.look(at: at(20), zone: 0)
        query.succeed(try #require(question))
        var kept = try JSONDecoder().decode(DailyQuery.self, from: JSONEncoder().encode(query))
        #expect(kept == query)
        #expect(kept.look(at: at(21), zone: 0) == nil)
    }
}
