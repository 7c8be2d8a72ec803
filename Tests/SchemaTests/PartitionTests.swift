import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Testing

/// The two functions with which the fold makes and drops the partitions of the folded keys.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct PartitionTests {
    /// Connected as the fold.
    private func withService(_ body: (PostgresClient, MigratedDatabase) async throws -> Void) async throws {
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.connection(as: .fold)) { try await body($0, database) }
        }
    }

    private static func insert(_ hour: Int32) -> SQL {
        """
        INSERT INTO submission.diagnosis_key (
            hour, key_data, rolling_start, rolling_period, transmission_risk_level, days_since_onset, report_type
        ) VALUES (\(hour), \([UInt8](repeating: 7, count: 16)), 1, 144, 1, 0, 1)
        """
    }

    private func ensure(_ days: Int32..., in client: PostgresClient) async throws {
        try await client.session { session in
            for day in days { try session.execute("SELECT submission.ensure_day(\(day))") }
        }
    }

    private func days(in database: MigratedDatabase) async throws -> [String] {
        try await TestPostgres.withClient(database.superuserConnection) { client in
            try await client.session { session in
                try session.rows(
                    """
                    SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
                    WHERE inhparent IN ('submission.diagnosis_key'::regclass, 'submission.check_in_report'::regclass)
                    ORDER BY relname
                    """, as: String.self)
            }
        }
    }

    @Test("a day's partition takes the day's 24 hours and no other")
    func day() async throws {
        try await withService { client, database in
            try await ensure(20_600, 20_600, in: client)
            #expect(try await days(in: database) == ["check_in_report_20600", "diagnosis_key_20600"])
            let first: Int32 = 20_600 * 24
            try await client.session { session in
                try session.execute(Self.insert(first))
                try session.execute(Self.insert(first + 23))
            }
            for hour in [first - 1, first + 24] {
                let error = await #expect(throws: PostgresError.self) {
                    try await client.session { try $0.execute(Self.insert(hour)) }
                }
                #expect(error?.sqlState == "23514")
            }
        }
    }

    @Test("the days before a day are dropped, and not the day itself")
    func drop() async throws {
        try await withService { client, database in
            try await ensure(20_598, 20_599, 20_600, 20_601, in: client)
            let dropped = try await client.session {
                try $0.row("SELECT submission.drop_days_before(20600)", as: Int32.self)
            }
            #expect(dropped == 4)
            #expect(
                try await days(in: database) == [
                    "check_in_report_20600", "check_in_report_20601", "diagnosis_key_20600", "diagnosis_key_20601",
                ])
            let again = try await client.session {
                try $0.row("SELECT submission.drop_days_before(20600)", as: Int32.self)
            }
            #expect(again == 0)
        }
    }

    @Test("a day's keys are dropped when the fourteenth day after it is over", arguments: [0, 86_399.0])
    func retention(second: Double) async throws {
        try await withService { client, database in
            try await ensure(20_585, 20_586, 20_600, in: client)
            let now = Date(timeIntervalSince1970: 20_600 * 86_400 + second)
            let removed = try await Retention.apply(.fold, at: now, in: client)
            #expect(removed.first { $0.rule.hasPrefix("submission.diagnosis_key") }?.removed == 2)
            #expect(
                try await days(in: database) == [
                    "check_in_report_20586", "check_in_report_20600", "diagnosis_key_20586", "diagnosis_key_20600",
                ])
        }
    }

    @Test("only the fold may call them", arguments: DatabaseRole.allCases)
    func callers(role: DatabaseRole) async throws {
        guard role != .fold else { return }
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.connection(as: role)) { client in
                for call: SQL in ["SELECT submission.ensure_day(1)", "SELECT submission.drop_days_before(1)"] {
                    let error = await #expect(throws: PostgresError.self) {
                        try await client.session { try $0.execute(call) }
                    }
                    #expect(error?.sqlState == .insufficientPrivilege)
                }
            }
        }
    }

    @Test("functions with their owner's rights have a fixed search path")
    func searchPath() async throws {
        try await withService { _, database in
            try await TestPostgres.withClient(database.superuserConnection) { client in
                let paths = try await client.session { session in
                    try session.rows(
                        """
                        SELECT DISTINCT coalesce(array_to_string(proconfig, ' '), '') FROM pg_proc
                        WHERE prosecdef AND pronamespace <> 'pg_catalog'::regnamespace
                        """, as: String.self)
                }
                #expect(paths == ["search_path=pg_catalog, pg_temp"])
            }
        }
    }
}
