import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Testing

/// The tables of other countries' keys, and the functions with which federation makes and drops their partitions.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct ForeignKeyTests {
    private static let day: Int32 = 20_600
    private static let hour = day * 24

    /// Connected as federation, with partitions for ``day``.
    private func withService(_ body: (PostgresClient, MigratedDatabase) async throws -> Void) async throws {
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.connection(as: .federation)) { service in
                try await ensure(Self.day, in: service)
                try await body(service, database)
            }
        }
    }

    private func ensure(_ day: Int32, in client: PostgresClient) async throws {
        _ = try await client.session { try $0.execute("SELECT foreign_keys.ensure_day(\(day))") }
    }

    /// - Parameters:
    ///   - start: of the key's period; with another one it is another key.
    private static func insert(
        start: Int32 = day * 144, period: Int16 = 144, level: Int16 = 5, onset: Int16 = 0, report: Int16 = 1,
        origin: String = "FR", visited: String = "DEFR", data: [UInt8]? = nil
    ) -> SQL {
        let data =
            data ?? [UInt8](repeating: UInt8(period), count: 12) + withUnsafeBytes(of: start.bigEndian, Array.init)
        return """
            INSERT INTO foreign_keys.diagnosis_key (
                hour, key_data, rolling_start, rolling_period, transmission_risk_level, days_since_onset, report_type, origin,
                visited
            ) VALUES (\(hour), \(data), \(start), \(period), \(level), \(onset), \(report), \(origin), \(visited))
            """
    }

    private func days(in database: MigratedDatabase) async throws -> [Int32] {
        try await TestPostgres.withClient(database.superuserConnection) { client in
            try await client.session { session in
                try session.rows(
                    """
                    SELECT substring(relname FROM '[0-9]+$')::integer FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
                    WHERE inhparent = 'foreign_keys.diagnosis_key'::regclass ORDER BY 1
                    """, as: Int32.self)
            }
        }
    }

    /// The end of every key's period, in order.
    private static func ends(in client: PostgresClient) async throws -> [Int32] {
        try await client.session { session in
            try session.rows(
                "SELECT rolling_start + rolling_period FROM foreign_keys.diagnosis_key ORDER BY 1", as: Int32.self)
        }
    }

    @Test("what is imported on a day has room: keys of the day and of the 14 days before")
    func room() async throws {
        try await withService { client, database in
            try await ensure(Self.day, in: client)
            #expect(try await days(in: database) == Array(Self.day - 14...Self.day))
            for start in [(Self.day - 14) * 144, (Self.day + 1) * 144 - 1] {
                _ = try await client.session { try $0.execute(Self.insert(start: start)) }
            }
            for start in [(Self.day - 14) * 144 - 1, (Self.day + 1) * 144] {
                let error = await #expect(throws: PostgresError.self) {
                    try await client.session { try $0.execute(Self.insert(start: start)) }
                }
                #expect(error?.sqlState == "23514")
            }
        }
    }

    @Test("the days before a day are dropped, and not the day itself")
    func drop() async throws {
        try await withService { client, database in
            try await ensure(Self.day + 1, in: client)
            for expected: Int32 in [14, 0] {
                let dropped = try await client.session {
                    try $0.row("SELECT foreign_keys.drop_days_before(\(Self.day))", as: Int32.self)
                }
                #expect(dropped == expected)
                #expect(try await days(in: database) == [Self.day, Self.day + 1])
            }
        }
    }

    @Test(
        "no key is kept whose period ended more than 14 days ago, and none is dropped before the day of its start is so old"
    )
    func retention() async throws {
        try await withService { client, _ in
            try await client.session { session in
                // Unlike home keys', periods begin at any time and may last into the next day.
                for day in Self.day - 14...Self.day {
                    for (start, period): (Int32, Int16) in [(0, 6), (0, 144), (60, 50), (100, 144), (143, 1)] {
                        try session.execute(Self.insert(start: day * 144 + start, period: period))
                    }
                }
            }
            let all = try await Self.ends(in: client)
            #expect(all.count == 75)
            for hour in 0...16 * 24 {
                for second in [0, 0.5] {
                    let now = Date(timeIntervalSince1970: Double(Self.hour) * 3600 + Double(hour) * 3600 + second)
                    _ = try await Retention.apply(.federation, at: now, in: client)
                    let left = try await Self.ends(in: client)
                    let kept = all.filter { Double($0) * 600 + 14 * 86_400 >= now.timeIntervalSince1970 }
                    #expect(Set(left).isSubset(of: kept))
                    // Those that begin on a later day than the one whose partition goes.
                    let midnight = (Int32(hour / 24) + Self.day - 14) * 144
                    let certain = kept.filter { $0 - 144 >= midnight }
                    #expect(Set(certain).isSubset(of: left), "hour \(hour)")
                }
            }
            #expect(try await Self.ends(in: client).isEmpty)
        }
    }

    @Test("a key that came before is recognised, whichever country sends it again")
    func again() async throws {
        try await withService { client, _ in
            _ = try await client.session { try $0.execute(Self.insert()) }
            let error = await #expect(throws: PostgresError.self) {
                try await client.session { try $0.execute(Self.insert(origin: "IT", visited: "IT")) }
            }
            #expect(error?.sqlState == "23505")
        }
    }

    @Test("impossible keys, countries and counts are refused")
    func constraints() async throws {
        try await withService { client, database in
            let impossible: [SQL] = [
                Self.insert(period: 0), Self.insert(period: 145), Self.insert(level: 0), Self.insert(level: 9),
                Self.insert(onset: -16), Self.insert(onset: 4001), Self.insert(report: 6), Self.insert(origin: "fr"),
                Self.insert(origin: "FRA"), Self.insert(visited: "D"), Self.insert(visited: "DE,FR"),
                Self.insert(data: [1, 2]),
            ]
            for statement in impossible {
                let error = await #expect(throws: PostgresError.self) {
                    try await client.session { try $0.execute(statement) }
                }
                #expect(error?.sqlState == "23514")
            }
            _ = try await client.session { try $0.execute(Self.insert(visited: "")) }
            try await TestPostgres.withClient(database.connection(as: .distribution)) { distribution in
                for values: SQL in ["1, NULL, NULL", "1, 1, NULL", "1, NULL, 1", "0, NULL, 1", "-1, 1, 1"] {
                    let error = await #expect(throws: PostgresError.self) {
                        try await distribution.session {
                            try $0.execute(
                                """
                                INSERT INTO distribution.published_hour (
                                    hour, keys, foreign_keys, foreign_first_end, foreign_through) VALUES (1, 0, \(values))
                                """)
                        }
                    }
                    #expect(error?.sqlState == "23514")
                }
            }
        }
    }

    @Test("what an hour took of foreign keys can become less, and how far it reached stays")
    func update() async throws {
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.connection(as: .distribution)) { distribution in
                try await distribution.session { session in
                    try session.execute(
                        """
                        INSERT INTO distribution.published_hour (hour, keys, foreign_keys, foreign_first_end, foreign_through)
                        VALUES (1, 0, 3, 1, 1)
                        """)
                    try session.execute(
                        "UPDATE distribution.published_hour SET foreign_keys = 0, foreign_first_end = 2")
                }
                let error = await #expect(throws: PostgresError.self) {
                    try await distribution.session {
                        try $0.execute("UPDATE distribution.published_hour SET foreign_through = 2")
                    }
                }
                #expect(error?.sqlState == .insufficientPrivilege)
            }
        }
    }

    @Test("only federation may call the functions", arguments: DatabaseRole.allCases)
    func callers(role: DatabaseRole) async throws {
        guard role != .federation else { return }
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.connection(as: role)) { client in
                for call: SQL in [
                    "SELECT foreign_keys.ensure_day(1)", "SELECT foreign_keys.drop_days_before(1)",
                    "SELECT foreign_keys.delete_keys_ended_before(1)",
                ] {
                    let error = await #expect(throws: PostgresError.self) {
                        try await client.session { try $0.execute(call) }
                    }
                    #expect(error?.sqlState == .insufficientPrivilege)
                }
            }
        }
    }

    @Test("gateways' locks are their own: upload and download of each don't wait for others")
    func gatewayLocks() async throws {
        try await TestPostgres.withMigratedDatabase { database in
            let connection = database.connection(as: .federation)
            try await TestPostgres.withClient(connection, maximumConnections: 1) { first in
                try await TestPostgres.withClient(connection, maximumConnections: 1) { second in
                    _ = try await first.session { try $0.execute("SELECT federation.take_upload_lock('efgs')") }
                    try await second.session { session in
                        try session.execute("SELECT federation.take_upload_lock('chgs')")
                        try session.execute("SELECT federation.take_download_lock('efgs')")
                        try session.execute("SELECT vigil.give_locks_back()")
                    }
                    _ = try await first.session { try $0.execute("SELECT vigil.give_locks_back()") }
                    _ = try await second.session { try $0.execute("SELECT federation.take_upload_lock('efgs')") }
                }
            }
        }
    }
}
