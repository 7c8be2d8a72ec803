import FoundationEssentials
import HTTPContract
import InMemoryLogging
import Logging
import Postgres
import Running
import TestSupport
import Testing

@testable import Schema

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct DatabaseClockTests {
    private static let month: TimeInterval = 30 * 86_400
    /// Two clocks that are read one after the other, on a machine that may be busy.
    private static let glance: TimeInterval = 240

    @Test("an instant may be at most five minutes ahead")
    func tolerance() throws {
        let now = Date(timeIntervalSince1970: 1_779_796_800)
        for seconds in [-Self.month, 0, 300] { #expect(ClockAhead(now + seconds, by: now) == nil) }
        #expect(ClockAhead(now + 300.001, by: now)?.seconds == 300)
        #expect(ClockAhead(now + Self.month, by: now)?.seconds == 2_592_000)
        #expect(ClockAhead(.distantFuture, by: now) != nil)
    }

    @Test("the error says what to do, and a phone may try again")
    func sentence() throws {
        let problem = try #require(ClockAhead(Date() + Self.month, by: Date()))
        #expect(problem.description.contains("correct the clock"))
        #expect(problem.problem == .unavailable)
    }

    @Test("with a database's real clock, instants in the past are accepted and later ones aren't")
    func real() async throws {
        try await TestPostgres.withDatabase { connection in
            try await TestPostgres.withClient(connection) { client in
                let clock = DatabaseClock(of: client, movedLike: .system)
                try await clock.require(Date())
                try await clock.require(Date() - Self.month)
                await #expect(throws: ClockAhead.self) { try await clock.require(Date() + Self.month) }
                await #expect(throws: ClockAhead.self) { try await clock.require(Date() + 3600) }
                #expect(abs(try await clock.lead()) < Self.glance)
            }
        }
    }

    @Test("a wrong clock is distinguished from one that is moved on purpose", arguments: [month, -month])
    func wrong(seconds: TimeInterval) async throws {
        try await TestPostgres.withDatabase { connection in
            try await TestPostgres.withClient(connection) { client in
                let wrong = DatabaseClock(of: client, movedLike: WallClock { Date() + seconds })
                #expect(abs(try await wrong.lead() - seconds) < Self.glance)

                let moved = WallClock.offset(by: seconds)
                let database = DatabaseClock(of: client, movedLike: moved)
                #expect(abs(try await database.lead()) < Self.glance)
                try await database.require(moved.now)
                await #expect(throws: ClockAhead.self) { try await database.require(moved.now + 3600) }
            }
        }
    }

    @Test("it follows a clock that a test moves")
    func manual() async throws {
        try await TestPostgres.withDatabase { connection in
            try await TestPostgres.withClient(connection) { client in
                let manual = ManualClock(Date(timeIntervalSince1970: 1_779_796_800))
                let clock = DatabaseClock(of: client, movedLike: manual.clock)
                for _ in 0..<3 {
                    try await clock.require(manual.now)
                    await #expect(throws: ClockAhead.self) { try await clock.require(manual.now + 3600) }
                    manual.advance(by: Self.month)
                }
            }
        }
    }

    // MARK: The watch

    @Test(
        "the watch reports a wrong clock and its direction, and logs nothing for a correct one",
        arguments: [
            (month, "the clock is ahead of the database's"), (-month, "the clock is behind the database's"), (0, nil),
        ])
    func watch(seconds: TimeInterval, message: String?) async throws {
        try await TestPostgres.withDatabase { connection in
            try await TestPostgres.withClient(connection) { client in
                let log = InMemoryLogHandler()
                let runtime = ServiceRuntime(
                    name: "test", settings: [:], clock: WallClock { Date() + seconds },
                    logger: Logger(label: "test") { _ in log })
                let watch = ClockWatch(DatabaseClock(of: client, movedLike: runtime.clock), runtime)
                #expect(runtime.metrics.text.contains("clock_ahead_seconds 0"))
                await watch.compare()
                let prefix = "clock_ahead_seconds "
                let line = runtime.metrics.text.split(separator: "\n").first { $0.hasPrefix(prefix) }
                let figure = try #require(line.flatMap { Double($0.dropFirst(prefix.count)) })
                #expect(abs(figure - seconds) < Self.glance)
                #expect(figure == figure.rounded())
                #expect(log.entries.map(\.message.description) == [message].compactMap { $0 })
                #expect(log.entries.allSatisfy { $0.level == .error })
            }
        }
    }
}
