import FoundationEssentials
import Postgres
import Schema
import Statistics
import TestSupport
import Testing

@testable import TestResultServer

/// Results are counted once, when their week is over.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct ResultFigureTests {
    /// Local midnight from Sunday to Monday, 2026-06-08, in Berlin.
    private static let monday = Date(timeIntervalSince1970: 1_780_869_600)
    private static let week = 7 * 86_400.0

    @Test("results are counted by kind of test, and a kind with a small cell isn't shown; no laboratory is named")
    func results() async throws {
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.connection(as: .testResults)) { service in
                try await FigureRelease.run([.resultsPosted], at: Self.monday - 3600, in: service)
                try await service.session { session in
                    for (code, number, time) in [
                        (1, 480, 0), (2, 61, 0.5), (3, 4, 0.999_999), (0, 70, 0.1), (6, 900, 0.3), (7, 49, 0.3),
                        // Of the weeks before and after.
                        (2, 500, -0.000_001), (2, 500, 1), (12, 80, 1),
                    ] as [(Int16, Int, Double)] {
                        let instant = Self.monday + time * Self.week
                        try session.execute(
                            """
                            INSERT INTO test_results.result (id, code, sample_collected, created_at)
                            SELECT encode(sha256(convert_to(\(code) || ' ' || \(instant) || ' ' || number, 'UTF8')), 'hex'),
                                \(code), 0, \(instant) FROM generate_series(1, \(number)) AS number
                            """)
                    }
                }
                try await FigureRelease.run([.resultsPosted], at: Self.monday + Self.week + 2 * 86_400 - 1, in: service)
                #expect(try await database.released(.resultsPosted) == [])
                for _ in 0..<2 {
                    try await FigureRelease.run([.resultsPosted], at: Self.monday + Self.week + 2 * 86_400, in: service)
                    let expected = [
                        "pcr-other 2026-06-08 7 480", "pcr-positive 2026-06-08 7 60",
                        "point-of-care-other 2026-06-08 7 withheld", "point-of-care-positive 2026-06-08 7 withheld",
                        "rapid-other 2026-06-08 7 withheld", "rapid-positive 2026-06-08 7 withheld",
                    ]
                    #expect(try await database.released(.resultsPosted) == expected.map { "results-posted \($0)" })
                }
            }
        }
    }

    @Test("a week that was missed for so long that its results may be redeemed isn't released")
    func missed() async throws {
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.connection(as: .testResults)) { service in
                try await FigureRelease.run([.resultsPosted], at: Self.monday - 3600, in: service)
                try await FigureRelease.run([.resultsPosted], at: Self.monday + 21 * 86_400, in: service)
                let weeks = Set(
                    try await database.released(.resultsPosted).compactMap {
                        $0.split(separator: " ").dropFirst(2).first
                    })
                #expect(weeks == ["2026-06-15"])
            }
        }
    }
}
