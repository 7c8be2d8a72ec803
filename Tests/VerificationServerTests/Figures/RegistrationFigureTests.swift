import FoundationEssentials
import Postgres
import Running
import Schema
import Statistics
import TestSupport
import Testing

@testable import VerificationServer

/// Registrations and warnings are counted once, when their week is over.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct RegistrationFigureTests {
    private static let monday = CodeFigureTests.monday
    private static let week = 7 * 86_400.0

    @Test("tests registered by QR code are counted by the local week, and those by telephone aren't counted twice")
    func registrations() async throws {
        try await CodeFigureTests.Stage.run { stage in
            try await stage.release([.testsRegistered])
            let hour = Int32(Self.monday.timeIntervalSince1970 / 3600)
            _ = try await stage.superuser.session { session in
                for (name, first, number, isTold) in [
                    ("before", hour - 1, 500, false), ("first", hour, 40, false), ("last", hour + 167, 24, false),
                    ("after", hour + 168, 500, false), ("told", hour + 5, 300, true),
                ] as [(String, Int32, Int, Bool)] {
                    try session.execute(
                        """
                        INSERT INTO verification.session (token_digest, hashed_guid, teletan_kind, created_hour)
                        SELECT sha256(convert_to(\(name) || number, 'UTF8')),
                            CASE WHEN NOT \(isTold) THEN repeat('a', 64) END, CASE WHEN \(isTold) THEN 'TEST' END, \(first)
                        FROM generate_series(1, \(number)) AS number
                        """)
                }
            }
            stage.clock.set(Self.monday + Self.week + 3599)
            try await stage.release([.testsRegistered])
            #expect(try await stage.database.released(.testsRegistered) == [])
            stage.clock.advance(by: 1)
            try await stage.release([.testsRegistered])
            #expect(try await stage.database.released(.testsRegistered) == ["tests-registered 2026-06-08 7 60"])
        }
    }

    @Test("warnings have noise, which is drawn once: later runs don't change the value")
    func warnings() async throws {
        try await CodeFigureTests.Stage.run { stage in
            let source = FigureSource.warningsSent(uploads: 2)
            try await stage.release([source])
            let day = Int32(Self.monday.timeIntervalSince1970 / 86_400) + 1
            _ = try await stage.superuser.session { session in
                try session.execute(
                    """
                    INSERT INTO verification.used_tan (digest, tag, confirmed, day)
                    SELECT sha256(convert_to('' || number, 'UTF8')), sha256(''), number <= 400, \(day) + number % 7
                    FROM generate_series(1, 500) AS number
                    """)
            }
            stage.clock.set(Self.monday + Self.week + 2 * 86_400)
            try await stage.release([source])
            let released = try await stage.database.released(.warningsSent)
            let value = try #require(released.first?.split(separator: " ").last.flatMap { Int($0) })
            // The noise exceeds 120 less often than once in 10¹³ times.
            #expect((280...520).contains(value))
            #expect(value.isMultiple(of: 10))
            for _ in 0..<5 { try await stage.release([source]) }
            #expect(try await stage.database.released(.warningsSent) == released)
        }
    }

    @Test("over many weeks the released warnings differ by noise, and nothing in the database has the count")
    func noise() async throws {
        try await CodeFigureTests.Stage.run { stage in
            let source = FigureSource.warningsSent(uploads: 14)
            try await stage.release([source])
            let day = Int32(Self.monday.timeIntervalSince1970 / 86_400) + 1
            for week in 0..<20 {
                let start = Self.monday + Double(week) * Self.week
                _ = try await stage.superuser.session { session in
                    try session.execute("TRUNCATE verification.used_tan")
                    try session.execute(
                        """
                        INSERT INTO verification.used_tan (digest, tag, confirmed, day)
                        SELECT sha256(convert_to('' || number, 'UTF8')), sha256(''), true, \(day + Int32(week) * 7)
                        FROM generate_series(1, 1000) AS number
                        """)
                }
                stage.clock.set(start + Self.week + 3 * 86_400)
                try await stage.release([source])
            }
            let values = try await stage.database.released(.warningsSent)
            #expect(values.count == 20)
            // The standard deviation is 40; 20 equal values happen once in 10²⁰ times.
            #expect(Set(values.compactMap { $0.split(separator: " ").last }).count > 1)
        }
    }

    @Test("an unknown time zone is refused at start")
    func zone() async throws {
        await #expect(throws: ConfigurationProblem.self) {
            try await VerificationStage.run(settings: ["statistics.timeZone": "Mars/Olympus"]) { _ in }
        }
    }
}
