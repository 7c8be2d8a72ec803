import FoundationEssentials
import Postgres
import Schema
import Statistics
import TestSupport
import Testing

@testable import PushDispatcher

/// The waves of a day are released when all of them have ended.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct WaveFigureTests {
    /// Local midnight from Sunday to Monday, 2026-06-08, in Berlin.
    private static let monday = Date(timeIntervalSince1970: 1_780_869_600)

    @Test("a day's waves are counted together once the last of them has ended")
    func waves() async throws {
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.connection(as: .pushDispatcher)) { service in
                try await FigureRelease.run([.pushWaves], at: Self.monday - 3600, in: service)
                try await service.session { session in
                    for (id, hours, size, ended) in [
                        (1, -0.001, 1000, true), (2, 0, 1200, true), (3, 23.999, 1300, false), (4, 24, 5000, true),
                    ] as [(Int16, Double, Int32, Bool)] {
                        let start = Self.monday + hours * 3600
                        try session.execute(
                            """
                            INSERT INTO push_dispatcher.wave (
                                id, planned_at, started_at, expires_at, ended_at, outcome, size, sent, accepted, removed
                            )
                            VALUES (decode(lpad(\(id)::text, 32, '0'), 'hex'), \(start), \(start), \(start + 7200),
                                CASE WHEN \(ended) THEN \(start + 60) END, CASE WHEN \(ended) THEN 'finished' END, \(size),
                                \(size - 100), \(size - 103), 3)
                            """)
                    }
                }
                let tuesday = Self.monday + 26 * 3600
                try await FigureRelease.run([.pushWaves], at: tuesday, in: service)
                #expect(try await database.released(.pushWaves) == [])
                try await service.session { session in
                    _ = try session.execute(
                        "UPDATE push_dispatcher.wave SET ended_at = \(tuesday), outcome = 'finished' WHERE ended_at IS NULL"
                    )
                }
                try await FigureRelease.run([.pushWaves], at: tuesday, in: service)
                let expected =
                    ["accepted 2026-06-08 1 2294", "registered 2026-06-08 1 1300", "removed 2026-06-08 1 6"]
                    + ["sent 2026-06-08 1 2300", "waves 2026-06-08 1 2"]
                #expect(try await database.released(.pushWaves) == expected.map { "push-waves \($0)" })
            }
        }
    }
}
