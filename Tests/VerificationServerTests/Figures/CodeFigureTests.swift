import Credentials
import FoundationEssentials
import Postgres
import Running
import Schema
import Statistics
import TestSupport
import Testing

@testable import VerificationServer

/// Codes are counted when they are forgotten, and released once.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct CodeFigureTests {
    /// The database of a verification server that was started on a Sunday, and whose clock a test moves.
    struct Stage {
        let database: MigratedDatabase
        let service: PostgresClient
        let superuser: PostgresClient
        let clock = ManualClock(CodeFigureTests.sunday)
        private let made = ManualClock(Date(timeIntervalSince1970: 0))

        static func run(_ body: (Stage) async throws -> Void) async throws {
            try await TestPostgres.withMigratedDatabase { database in
                try await TestPostgres.withClient(database.connection(as: .verification)) { service in
                    try await TestPostgres.withClient(database.superuserConnection) { superuser in
                        let stage = Stage(database: database, service: service, superuser: superuser)
                        // The first look: everything from tomorrow on is counted.
                        try await stage.release()
                        try await body(stage)
                    }
                }
            }
        }

        /// Stores teleTANs as if they had been made at an instant.
        func make(_ number: Int, redeemed: Int, _ kind: String = "TEST", at instant: Date) async throws {
            made.advance(by: 1)
            let start = "\(made.now.timeIntervalSince1970)"
            let lifetime: TimeInterval = kind == "TEST" ? 3600 : 2 * 86_400
            _ = try await superuser.session { session in
                try session.execute(
                    """
                    INSERT INTO verification.tele_tan (digest, kind, redeemed, created_at, expires_at)
                    SELECT sha256(convert_to(\(start) || ' ' || number, 'UTF8')), \(kind), number <= \(redeemed), \(instant),
                        \(instant.addingTimeInterval(lifetime))
                    FROM generate_series(1, \(number)) AS number
                    """)
            }
        }

        func retain() async throws {
            _ = try await Retention.apply(.verification, at: clock.now, in: service)
        }

        /// What the service does every hour.
        @discardableResult
        func release(_ sources: [FigureSource] = CodeFigureTests.sources) async throws -> Int {
            try await FigureRelease.run(sources, at: clock.now, in: service)
        }

        /// Lets time pass, with retention and release every hour.
        func pass(_ hours: Int) async throws {
            for _ in 0..<hours {
                clock.advance(by: 3600)
                try await retain()
                try await release()
            }
        }

        /// What the counting tables hold.
        func counted() async throws -> [String] {
            try await superuser.session { session in
                try session.rows(
                    """
                    SELECT concat_ws(' ', kind, period_start, period_days, made, redeemed)
                    FROM verification.forgotten_tele_tan ORDER BY period_start, period_days, kind
                    """, as: String.self)
            }
        }
    }

    static let sources: [FigureSource] = [.codesByDay, .testCodesByWeek, .eventCodesByWeek, .wrongEntries]

    /// 2026-06-07, a Sunday, at 14:00 in Berlin.
    static let sunday = Date(timeIntervalSince1970: 1_780_833_600)
    /// Local midnight from Sunday to Monday, 22:00 UTC.
    static let monday = sunday + 10 * 3600
    private static let day = 86_400.0

    @Test("nothing moves when a code is made or redeemed; it is counted when it is deleted, and never in two tables")
    func moment() async throws {
        try await Stage.run { stage in
            let made = Self.monday + 9 * 3600
            stage.clock.set(made + 1)
            try await stage.make(30, redeemed: 18, at: made)
            try await stage.pass(24)
            #expect(try await stage.counted() == [])
            #expect(try await stage.database.released(.codesMade, .codesRedeemed) == [])
            // A day after their end they are deleted, and the statement that deletes them counts them.
            try await stage.pass(2)
            #expect(try await stage.counted() == ["TEST 2026-06-08 1 30 18"])
            let left = try await stage.superuser.session {
                try $0.row("SELECT count(*) FROM verification.tele_tan", as: Int.self)
            }
            #expect(left == 0)
        }
    }

    @Test("a day is released on the second day after it, once, and its count is gone then")
    func day() async throws {
        try await Stage.run { stage in
            stage.clock.set(Self.monday + 1)
            try await stage.make(33, redeemed: 18, at: Self.monday)
            try await stage.make(4, redeemed: 4, at: Self.monday + 24 * 3600 - 0.001)
            // Tuesday's code.
            try await stage.make(1, redeemed: 1, at: Self.monday + 24 * 3600)
            try await stage.pass(48)
            #expect(try await stage.database.released(.codesMade, .codesRedeemed) == [])
            try await stage.pass(2)
            let expected = ["codes-made test 2026-06-08 1 35", "codes-redeemed test 2026-06-08 1 20"]
            #expect(try await stage.database.released(.codesMade, .codesRedeemed) == expected)
            #expect(try await stage.counted().filter { $0.hasPrefix("TEST 2026-06-08 1 ") } == [])
            try await stage.pass(3)
            #expect(try await stage.database.released(.codesMade, .codesRedeemed).prefix(2) == expected[...])
        }
    }

    @Test("days that aren't shown are released with their week, and a week's share is computed from what is released")
    func week() async throws {
        try await Stage.run { stage in
            let counts = [(60, 41), (57, 40), (9, 5), (64, 60), (80, 50), (6, 0), (0, 0)]
            for (number, (made, redeemed)) in counts.enumerated() {
                let instant = Self.monday + Double(number) * Self.day + 12 * 3600
                stage.clock.set(instant)
                try await stage.make(made, redeemed: redeemed, at: instant)
                try await stage.pass(5)
            }
            stage.clock.set(Self.monday + 6 * Self.day + 20 * 3600)
            try await stage.pass(34)
            let released = try await stage.database.released(.codesMade, .codesRedeemed, .shareRedeemed)
            #expect(
                released == [
                    // Thursday: of 64 codes fewer than 10 weren't redeemed. Wednesday and the weekend are too few.
                    "codes-made test 2026-06-08 1 60", "codes-redeemed test 2026-06-08 1 40",
                    "codes-made test 2026-06-08 7 80", "codes-redeemed test 2026-06-08 7 65",
                    "share-redeemed test 2026-06-08 7 70",
                    "codes-made test 2026-06-09 1 55", "codes-redeemed test 2026-06-09 1 40",
                    "codes-made test 2026-06-10 1 withheld", "codes-redeemed test 2026-06-10 1 withheld",
                    "codes-made test 2026-06-11 1 withheld", "codes-redeemed test 2026-06-11 1 withheld",
                    "codes-made test 2026-06-12 1 80", "codes-redeemed test 2026-06-12 1 50",
                    "codes-made test 2026-06-13 1 withheld", "codes-redeemed test 2026-06-13 1 withheld",
                    "codes-made test 2026-06-14 1 withheld", "codes-redeemed test 2026-06-14 1 withheld",
                ])
            #expect(try await stage.counted() == [])
        }
    }

    @Test("codes for events are released by the week only, on the fourth day after it")
    func events() async throws {
        try await Stage.run { stage in
            stage.clock.set(Self.monday + 1)
            try await stage.make(12, redeemed: 6, "EVENT", at: Self.monday)
            try await stage.make(14, redeemed: 10, "EVENT", at: Self.monday + 7 * Self.day - 1)
            stage.clock.set(Self.monday + 10 * Self.day - 3610)
            try await stage.pass(1)
            #expect(try await stage.database.released(.codesMade).filter { $0.contains("event") } == [])
            try await stage.pass(2)
            let released = try await stage.database.released(.codesMade, .codesRedeemed, .shareRedeemed)
            #expect(
                released.filter { $0.contains("event") } == [
                    "codes-made event 2026-06-08 7 25", "codes-redeemed event 2026-06-08 7 15",
                    "share-redeemed event 2026-06-08 7 withheld",
                ])
        }
    }

    @Test("wrong entries are released by the day, rounded")
    func wrongEntries() async throws {
        try await Stage.run { stage in
            let first = Int32(Self.monday.timeIntervalSince1970 / 3600)
            _ = try await stage.superuser.session { session in
                try session.execute(
                    """
                    INSERT INTO verification.refused_tele_tan (hour, refusals)
                    VALUES (\(first - 1), 100), (\(first), 3), (\(first + 23), 44), (\(first + 24), 200)
                    """)
            }
            stage.clock.set(Self.monday + 48 * 3600 - 1)
            try await stage.pass(3)
            #expect(try await stage.database.released(.wrongEntries) == ["wrong-entries 2026-06-08 1 50"])
        }
    }

    @Test("several replicas at once release each value once, and count no hidden day twice")
    func replicas() async throws {
        try await Stage.run { stage in
            for number in 0..<7 {
                let instant = Self.monday + Double(number) * Self.day + 3600
                try await stage.make(number == 3 ? 12 : 50, redeemed: number == 3 ? 12 : 30, at: instant)
            }
            stage.clock.set(Self.monday + 9 * Self.day)
            try await stage.retain()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 { group.addTask { try await stage.release() } }
                try await group.waitForAll()
            }
            try await stage.release()
            let released = try await stage.database.released(.codesMade, .shareRedeemed)
            #expect(released.filter { $0.contains(" 1 50") }.count == 6)
            #expect(
                released.filter { $0.contains(" 7 ") } == [
                    "codes-made test 2026-06-08 7 10", "share-redeemed test 2026-06-08 7 60",
                ])
            #expect(try await stage.counted() == [])
        }
    }

    @Test("a clock that is ahead releases nothing, and what was before the first look isn't released")
    func first() async throws {
        try await Stage.run { stage in
            try await stage.make(50, redeemed: 30, at: Self.sunday)
            stage.clock.set(Self.monday + 3 * Self.day)
            try await stage.retain()
            let clock = DatabaseClock(of: stage.service, movedLike: stage.clock.clock)
            let release = FigureRelease(.standard, in: stage.service, by: clock)
            await #expect(throws: ClockAhead.self) {
                try await release.run(Self.sources, at: stage.clock.now + 3600)
            }
            #expect(try await stage.database.released(.codesMade) == [])
            try await stage.release()
            #expect(try await stage.database.released(.codesMade).allSatisfy { !$0.contains("2026-06-07") })
        }
    }

    @Test("a released value can be neither changed nor replaced nor read by the services")
    func forGood() async throws {
        try await Stage.run { stage in
            stage.clock.set(Self.monday + 1)
            try await stage.make(40, redeemed: 20, at: Self.monday)
            stage.clock.set(Self.monday + 3 * Self.day)
            try await stage.retain()
            try await stage.release()
            let before = try await stage.database.released(.codesMade)
            #expect(before.first == "codes-made test 2026-06-08 1 40")
            let forged = ReleasedValue(.codesMade, "test", LocalDay(number: 20_612), .day, 4000)
            let stored = try await stage.service.session {
                try FigureRelease.insert([forged], on: LocalDay(number: 20_620), in: $0)
            }
            #expect(stored == 0)
            for statement in [
                "UPDATE statistics.released_figure SET value = 1", "DELETE FROM statistics.released_figure",
                "SELECT value FROM statistics.released_figure", "TRUNCATE statistics.released_figure",
                "SELECT day FROM statistics.counted_since",
            ] as [SQL] {
                let error = await #expect(throws: PostgresError.self) {
                    _ = try await stage.service.session { try $0.execute(statement) }
                }
                #expect(error?.sqlState == .insufficientPrivilege)
            }
            #expect(try await stage.database.released(.codesMade) == before)
        }
    }

    /// The nights in which the clocks change in Berlin, and in New York, where they change on other days.
    @Test(
        "a local day has 23 or 25 hours when the clocks change",
        arguments: [
            ("Europe/Berlin", 20_541, 1_774_738_800.0, 23.0), ("Europe/Berlin", 20_751, 1_792_879_200, 25),
            ("America/New_York", 20_758, 1_793_505_600, 25), ("Asia/Kolkata", 20_541, 1_774_722_600, 24),
        ] as [(String, Int32, Double, Double)])
    func clockChanges(zone: String, day: Int32, start: Double, hours: Double) async throws {
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.connection(as: .verification)) { service in
                let calendar = LocalCalendar(zone: zone)
                let (first, next, last) = try await service.session { session in
                    let first = try calendar.start(of: LocalDay(number: day), in: session)
                    let next = try calendar.start(of: LocalDay(number: day + 1), in: session)
                    return (first, next, try calendar.day(of: next.addingTimeInterval(-0.001), in: session))
                }
                #expect(first.timeIntervalSince1970 == start)
                #expect(next.timeIntervalSince(first) == hours * 3600)
                #expect(last == LocalDay(number: day))
            }
        }
    }

    @Test("on the day of 25 hours all of them are counted, and none of the next day")
    func longDay() async throws {
        try await Stage.run { stage in
            let start = Date(timeIntervalSince1970: 1_792_879_200)
            stage.clock.set(start - 86_400)
            // The first look of a new installation.
            _ = try await stage.superuser.session { try $0.execute("DELETE FROM statistics.counted_since") }
            try await stage.release()
            try await stage.make(20, redeemed: 10, at: start)
            try await stage.make(20, redeemed: 10, at: start + 25 * 3600 - 0.001)
            try await stage.make(100, redeemed: 50, at: start + 25 * 3600)
            stage.clock.set(start + 51 * 3600)
            try await stage.retain()
            try await stage.release()
            #expect(
                try await stage.database.released(.codesMade) == ["codes-made test 2026-10-25 1 40"])
        }
    }
}
