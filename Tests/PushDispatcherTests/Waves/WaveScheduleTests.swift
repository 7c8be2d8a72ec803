import FoundationEssentials
import Running
import TestSupport
import Testing

@testable import PushDispatcher

@Suite struct WaveScheduleTests {
    private static let now = Date(timeIntervalSince1970: 1_779_797_400)
    private let schedule = WaveSchedule(interval: 7200, pause: 1800, spread: 600)

    @Test("the first wave is due at once, the next after the interval")
    func interval() {
        #expect(schedule.next(after: WaveTimes()) < Self.now)
        #expect(schedule.next(after: WaveTimes(lastStart: Self.now, lastEnd: Self.now + 20)) == Self.now + 7200)
    }

    @Test("an announcement brings the next wave forward, but no phone is woken twice within the pause")
    func announcement() {
        let times = WaveTimes(lastStart: Self.now, lastEnd: Self.now + 100)
        for (planned, due) in [(10, 1900), (1900, 1900), (1901, 1901), (7200, 7200), (8000, 7200)] {
            var times = times
            times.planned = Self.now + Double(planned)
            #expect(schedule.next(after: times) == Self.now + Double(due))
        }
    }

    @Test("a wave that woke no phone delays no other")
    func empty() {
        #expect(schedule.next(after: WaveTimes(lastStart: Self.now, planned: Self.now + 1)) == Self.now + 1)
    }

    @Test("a long wave is not followed at once")
    func long() {
        let times = WaveTimes(lastStart: Self.now, lastEnd: Self.now + 7190)
        #expect(schedule.next(after: times) == Self.now + 8990)
    }

    @Test("with any number of announcements, waves begin at most twice an hour")
    func rate() {
        var times = WaveTimes()
        var starts: [Date] = []
        var now = Self.now
        while now < Self.now + 86_400 {
            times.planned = now
            if schedule.next(after: times) <= now {
                starts.append(now)
                times = WaveTimes(lastStart: now, lastEnd: now + 2)
            }
            now += 5
        }
        #expect(starts.count > 40)
        for (first, third) in zip(starts, starts.dropFirst(2)) { #expect(third.timeIntervalSince(first) > 3600) }
    }

    @Test("with the default settings waves begin two hours apart, whatever is announced")
    func silence() throws {
        let usual = try WaveSchedule(Settings([String: String]()))
        let eager = WaveSchedule(interval: 7200, pause: 1800, spread: 300)
        var generator = SeededGenerator(seed: 1)
        let quiet = Self.waves(usual) { _ in false }
        #expect(quiet.count == 12)
        let differing = (0..<20).map { _ in
            let busy = Set((0..<24).filter { _ in Bool.random(using: &generator) })
            #expect(Self.waves(usual, announced: busy.contains) == quiet)
            return Self.waves(eager, announced: busy.contains) != Self.waves(eager) { _ in false }
        }
        // The control: after a shorter pause, waves tell.
        #expect(differing.contains(true))
    }

    /// The start times of a day's waves, with announcements five minutes after some hours.
    private static func waves(_ schedule: WaveSchedule, announced: (Int) -> Bool) -> [Date] {
        var times = WaveTimes(lastStart: now - 7000, lastEnd: now - 6700)
        var starts: [Date] = []
        for minute in 0..<1440 {
            let moment = now + Double(minute * 60)
            if minute % 60 == 5, announced(minute / 60), times.planned == nil { times.planned = moment }
            if schedule.next(after: times) <= moment {
                starts.append(moment)
                times = WaveTimes(lastStart: moment, lastEnd: moment + 300)
            }
        }
        return starts
    }

    @Test("the pages of a wave are spread evenly")
    func spread() {
        var wave = Wave(
            id: .fresh(), startedAt: Self.now, expiresAt: Self.now + 7200, size: 4000, position: [], sent: 0,
            accepted: 0,
            removed: 0)
        for (sent, second) in [(0, 0), (1000, 150), (3000, 450), (4000, 600), (5000, 600)] {
            wave.sent = sent
            #expect(schedule.nextPage(of: wave) == Self.now + Double(second))
        }
    }

    @Test("the spread must fit into the interval")
    func settings() throws {
        let usual = try WaveSchedule(Settings([String: String]()))
        #expect(usual.interval == 7200 && usual.pause == 7200 && usual.spread == 300)
        #expect(throws: ConfigurationProblem.self) {
            try WaveSchedule(Settings(["waves.interval": "3600", "waves.spread": "1801"]))
        }
        #expect(throws: ConfigurationProblem.self) { try WaveSchedule(Settings(["waves.interval": "0"])) }
    }
}
