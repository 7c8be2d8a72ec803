import Foundation
import Running
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct TimeTests {
    @Test(
        "an answer's date is the clock's, in the form of RFC 9110",
        arguments: [
            (784_111_777.0, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (951_868_799.999, "Tue, 29 Feb 2000 23:59:59 GMT"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
        ])
    func dates(seconds: Double, text: String) {
        let clock = ManualClock(Date(timeIntervalSince1970: seconds))
        let date = HTTPDate(clock: clock.clock)
        #expect(date.text == text)
        clock.advance(by: 86_400)
        #expect(date.text != text)
    }

    @Test("a manual clock stands until it is moved, and everybody sees the same time")
    func manual() {
        let clock = ManualClock(Date(timeIntervalSince1970: 100))
        let seen = clock.clock
        #expect(seen.now.timeIntervalSince1970 == 100)
        clock.advance(by: 20)
        #expect(seen.now.timeIntervalSince1970 == 120)
        clock.set(Date(timeIntervalSince1970: 7))
        #expect(seen.now.timeIntervalSince1970 == 7)
    }

    @Test("a moved clock is moved by just that much")
    func offset() {
        let before = Date()
        let moved = WallClock.offset(by: 3600).now
        let after = Date()
        #expect((before.addingTimeInterval(3600)...after.addingTimeInterval(3600)).contains(moved))
    }

    @Test("a shared clock is moved for everybody who reads its file, while they run")
    func shared() async throws {
        try await withScratchFolder { folder in
            let path = "\(folder)/clock"
            let driver = try SharedClock(moving: path)
            let reader = try SharedClock(path: path).clock
            #expect(reader.movedBy == 0)
            try driver.move(by: -86_400.5)
            #expect(reader.movedBy == -86_400.5)
            let instant = Date(timeIntervalSince1970: 1_600_000_000)
            try driver.move(to: instant)
            #expect((-0.001..<60).contains(reader.now.timeIntervalSince(instant)))
            #expect(try SharedClock(moving: path).movedBy == driver.movedBy, "the next driver finds the clock as it is")
        }
    }

    @Test("who sleeps by a shared clock wakes when the clock is moved, and not before")
    func sleeper() async throws {
        try await withScratchFolder { folder in
            let driver = try SharedClock(moving: "\(folder)/clock")
            let clock = driver.clock
            let start = clock.now
            async let woken: Date = {
                try await clock.sleep(until: start.addingTimeInterval(86_400))
                return clock.now
            }()
            try driver.move(by: 86_399)
            try driver.move(by: 86_401)
            #expect(try await woken >= start.addingTimeInterval(86_400))
        }
    }

    @Test("a cancelled sleeper wakes at once, by any clock", arguments: [false, true])
    func cancelledSleeper(isShared: Bool) async throws {
        try await withScratchFolder { folder in
            let clock = isShared ? try SharedClock(moving: "\(folder)/clock").clock : .system
            let sleeper = Task { try await clock.sleep(until: clock.now.addingTimeInterval(86_400)) }
            sleeper.cancel()
            await #expect(throws: CancellationError.self) { try await sleeper.value }
        }
    }

    @Test("a clock file that is missing or too short is a wrong configuration")
    func missingClock() async throws {
        try await withScratchFolder { folder in
            #expect(throws: ConfigurationProblem.self) { try SharedClock(path: "\(folder)/clock") }
            try Data([1, 2, 3]).write(to: URL(filePath: "\(folder)/clock"))
            #expect(throws: ConfigurationProblem.self) { try SharedClock(path: "\(folder)/clock") }
        }
    }
}
