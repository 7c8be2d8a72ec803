import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Testing

/// The functions with which the fold makes and drops the partitions of the folded keys and reports, and deletes keys.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct PartitionTests {
    /// Connected as the fold.
    private func withService(_ body: (PostgresClient, MigratedDatabase) async throws -> Void) async throws {
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.connection(as: .fold)) { try await body($0, database) }
        }
    }

    /// - Parameter start: of the key's period.
    private static func insert(_ hour: Int32, start: Int32, period: Int16 = 144) -> SQL {
        let data =
            [UInt8](repeating: UInt8(truncatingIfNeeded: hour), count: 12)
            + withUnsafeBytes(of: start.bigEndian) { Array($0) }
        return """
            INSERT INTO submission.diagnosis_key (
                hour, key_data, rolling_start, rolling_period, transmission_risk_level, days_since_onset, report_type
            ) VALUES (\(hour), \(data), \(start), \(period), 1, 0, 1)
            """
    }

    private static func insertReport(_ hour: Int32) -> SQL {
        let bytes = [UInt8](repeating: 7, count: 32)
        let half = Array(bytes.prefix(16))
        return """
            INSERT INTO submission.check_in_report (
                hour, location_id_hash, initialization_vector, encrypted_record, authentication_code
            ) VALUES (\(hour), \(bytes), \(half), \(half), \(bytes))
            """
    }

    private static func insertVenueReport(_ hour: Int32) -> SQL {
        let report = [UInt8](repeating: 7, count: 57)
        return "INSERT INTO submission.venue_report (hour, report) VALUES (\(hour), \(report))"
    }

    private func ensure(_ days: Int32..., in client: PostgresClient) async throws {
        try await client.session { session in
            for day in days { try session.execute("SELECT submission.ensure_day(\(day))") }
        }
    }

    private func days(of table: String, in database: MigratedDatabase) async throws -> [Int32] {
        try await TestPostgres.withClient(database.superuserConnection) { client in
            try await client.session { session in
                try session.rows(
                    """
                    SELECT substring(relname FROM '[0-9]+$')::integer FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
                    WHERE inhparent = format('submission.%s', \(table))::regclass ORDER BY 1
                    """, as: Int32.self)
            }
        }
    }

    @Test("what is folded on a day has room: the day's reports, and keys of the day and of the 14 days before")
    func day() async throws {
        try await withService { client, database in
            try await ensure(20_600, 20_600, in: client)
            #expect(try await days(of: "check_in_report", in: database) == [20_600])
            #expect(try await days(of: "venue_report", in: database) == [20_600])
            #expect(try await days(of: "diagnosis_key", in: database) == Array(20_586...20_600))
            let first: Int32 = 20_600 * 24
            try await client.session { session in
                for hour in [first, first + 23] {
                    try session.execute(Self.insertReport(hour))
                    try session.execute(Self.insertVenueReport(hour))
                    for day in Int32(20_586)...20_600 { try session.execute(Self.insert(hour, start: day * 144)) }
                }
            }
            let strange =
                [first - 1, first + 24].flatMap { [Self.insertReport($0), Self.insertVenueReport($0)] }
                + [20_585, 20_601].map { Self.insert(first, start: $0 * 144) }
            for statement in strange {
                let error = await #expect(throws: PostgresError.self) {
                    try await client.session { try $0.execute(statement) }
                }
                #expect(error?.sqlState == "23514")
            }
        }
    }

    @Test("the days before a day are dropped, and not the day itself")
    func drop() async throws {
        try await withService { client, database in
            try await ensure(20_598, 20_599, 20_600, 20_601, in: client)
            for expected: Int32 in [2 * 2 + 16, 0] {
                let dropped = try await client.session {
                    try $0.row("SELECT submission.drop_days_before(20600)", as: Int32.self)
                }
                #expect(dropped == expected)
                #expect(try await days(of: "check_in_report", in: database) == [20_600, 20_601])
                #expect(try await days(of: "venue_report", in: database) == [20_600, 20_601])
                #expect(try await days(of: "diagnosis_key", in: database) == [20_600, 20_601])
            }
        }
    }

    /// A key of each length and day, uploaded on its day or up to 14 days later.
    @Test("no key is kept whose period ended more than 14 days ago, whenever it was uploaded, and no other is dropped")
    func retention() async throws {
        let periods: [Int16] = [6, 72, 138, 144]
        try await withService { client, _ in
            let upload: Int32 = 20_600
            try await ensure(upload - 14, upload, in: client)
            try await client.session { session in
                for day in upload - 14...upload {
                    for (number, period) in periods.enumerated() {
                        // Uploaded on its own day, a week later, or as late as can be.
                        for uploaded in Set([day, min(day + 7, upload), upload]) {
                            let hour = uploaded * 24 + Int32(number)
                            try session.execute(Self.insert(hour, start: day * 144, period: period))
                        }
                    }
                }
            }
            let all = try await Self.ends(in: client)
            #expect(all.count == 144)
            // Every hour of fifteen days, and a moment after it.
            for hour in 0...15 * 24 + 1 {
                for second in [0, 0.5] {
                    let now = Date(timeIntervalSince1970: Double(upload) * 86_400 + Double(hour) * 3600 + second)
                    _ = try await Retention.apply(.fold, at: now, in: client)
                    let kept = all.filter { Double($0) * 600 + 14 * 86_400 >= now.timeIntervalSince1970 }
                    // At the very instant at which a day's end is 14 days ago its partition goes.
                    let left = try await Self.ends(in: client)
                    #expect(Set(left).isSubset(of: kept))
                    #expect(second == 0 || left == kept, "hour \(hour)")
                }
            }
            #expect(try await Self.ends(in: client).isEmpty)
        }
    }

    /// The end of every key's period, in order.
    private static func ends(in client: PostgresClient) async throws -> [Int32] {
        try await client.session { session in
            try session.rows(
                "SELECT rolling_start + rolling_period FROM submission.diagnosis_key ORDER BY 1, hour", as: Int32.self)
        }
    }

    @Test("a day's reports are dropped when the fourteenth day after it is over", arguments: [0, 86_399.0])
    func reports(second: Double) async throws {
        try await withService { client, database in
            try await ensure(20_585, 20_586, 20_600, in: client)
            let now = Date(timeIntervalSince1970: 20_600 * 86_400 + second)
            _ = try await Retention.apply(.fold, at: now, in: client)
            #expect(try await days(of: "check_in_report", in: database) == [20_586, 20_600])
            #expect(try await days(of: "venue_report", in: database) == [20_586, 20_600])
            #expect(try await days(of: "diagnosis_key", in: database) == Array(20_586...20_600))
        }
    }

    @Test("only the fold may call them", arguments: DatabaseRole.allCases)
    func callers(role: DatabaseRole) async throws {
        guard role != .fold else { return }
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.connection(as: role)) { client in
                for call: SQL in [
                    "SELECT submission.ensure_day(1)", "SELECT submission.drop_days_before(1)",
                    "SELECT submission.delete_keys_ended_before(1)",
                ] {
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
                        SELECT DISTINCT coalesce(
                            (SELECT setting FROM unnest(proconfig) AS setting WHERE setting LIKE 'search_path=%'), ''
                        ) FROM pg_proc
                        WHERE prosecdef AND pronamespace <> 'pg_catalog'::regnamespace
                        """, as: String.self)
                }
                #expect(paths == ["search_path=pg_catalog, pg_temp"])
            }
        }
    }
}
