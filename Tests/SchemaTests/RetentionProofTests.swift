import Foundation
import Postgres
import Schema
import TestSupport
import Testing

/// deploy/postgres/retention.sql, by which operators prove retention. Its clock is the database's, so these tests are of now.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct RetentionProofTests {
    /// What the script says of an item, as psql prints it.
    private struct Line: Equatable {
        let isTooOld: Bool
        let item: String
    }

    private struct Failure: Error {
        let words: String
    }

    private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "deploy/postgres/retention.sql")

    /// Items of tables and of partitions. What the script says of the server's write-ahead log is left out.
    private static func lines(in database: MigratedDatabase) throws -> [Line] {
        let programs = try #require(PrivateServer.programs)
        let process = Process()
        process.executableURL = programs.appending(path: "psql")
        process.arguments = [
            "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", database.superuserConnection, "-f", script.path,
        ]
        let (output, errors) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (FileHandle.nullDevice, output, errors)
        try process.start()
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        let complaints = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(words: String(decoding: complaints, as: UTF8.self)) }
        let rows = String(decoding: said, as: UTF8.self).split(separator: "\n").map { $0.split(separator: "|") }
        return rows.filter {
            $0.count > 1 && ["TOO OLD", "kept to"].contains($0[0]) && !$0[1].hasPrefix("wal_recycle")
        }
        .map { Line(isTooOld: $0[0] == "TOO OLD", item: String($0[1])) }
    }

    @Test func `of every table rows that are much too old are found, and of every schema partitions`() async throws {
        try await TestPostgres.withMigratedDatabase { database in
            let fresh = try Self.lines(in: database)
            #expect(fresh.count > 40)
            #expect(fresh.allSatisfy { !$0.isTooOld })
            try await TestPostgres.withClient(database.superuserConnection) { client in
                try await RetentionRuleTests.insertOldRows(in: client)
                try await client.session { session in
                    let bytes = [UInt8](repeating: 1, count: 32)
                    try session.execute(
                        "INSERT INTO submission.inbox (tag, hour, sealed) VALUES (\(bytes), 1, \(bytes))")
                    try session.execute("INSERT INTO donation.inbox (tag, hour, sealed) VALUES (\(bytes), 1, \(bytes))")
                }
            }
            let old = try Self.lines(in: database)
            #expect(Set(old.filter { !$0.isTooOld }.map(\.item)) == [])
            #expect(Set(fresh.map(\.item)).isSubset(of: old.map(\.item)))
            #expect(Set(["submission", "foreign_keys", "donation"]).isSubset(of: old.map(\.item)))
        }
    }

    @Test func `every table with a rule is looked at`() throws {
        let text = try String(contentsOf: Self.script, encoding: .utf8)
        // These go with their batch.
        let parts: Set = ["federation.audited_upload", "federation.left_out"]
        for table in Set(Retention.rules.flatMap(\.tables)).subtracting(parts) {
            #expect(text.contains(try Regex("FROM \(table)\\b")), "\(table)")
        }
    }

    @Test func `what was donated and what admits apps is found too old when a rule is late, and not before`()
        async throws
    {
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.superuserConnection) { client in
                let now = Date()
                // The oldest rows that the rules leave.
                try await Self.insert(at: now, in: client)
                for role in DatabaseRole.allCases {
                    _ = try await Retention.apply(role, at: now, in: client)
                }
                #expect(
                    try await client.session { try $0.row("SELECT count(*) FROM donation.client", as: Int.self) } == 1)
                #expect(try Self.lines(in: database).allSatisfy { !$0.isTooOld })
                // The same, had the rules not been applied for two days.
                try await client.session { session in
                    try session.script(
                        """
                        TRUNCATE donation.used_evidence, donation.attested_key, donation.month_token, donation.quota,
                            donation.one_time_password, donation.hour_key, donation.folded_hour
                        """)
                }
                try await Self.insert(at: now - 2 * 86_400, in: client)
                let late = Set(try Self.lines(in: database).filter(\.isTooOld).map(\.item))
                // The inbox has no rule: the fold empties it.
                #expect(late.count == 9)
                #expect(late.allSatisfy { $0.hasPrefix("donation") })
            }
        }
    }

    /// A row of each table of the schema `donation`, as old as its rule allows at an instant.
    private static func insert(at now: Date, in client: PostgresClient) async throws {
        let (hour, day, bytes) = (now.hourNumber, now.dayNumber, [UInt8](repeating: 1, count: 32))
        try await client.session { session in
            try session.execute(
                "INSERT INTO donation.used_evidence (evidence_hash, last_hour) VALUES (\(bytes), \(hour))")
            try session.execute(
                """
                INSERT INTO donation.attested_key (key_hash, public_key, counter, used_day)
                VALUES (\(bytes), \([UInt8](repeating: 4, count: 65)), 1, \(day - 30))
                """)
            try session.execute(
                "INSERT INTO donation.month_token (token_hash, last_hour) VALUES (\(bytes), \(hour - 48))")
            try session.execute(
                "INSERT INTO donation.quota (purpose, subject_hash, last_hour, is_taken) VALUES (3, \(bytes), \(hour), true)"
            )
            try session.execute(
                """
                INSERT INTO donation.one_time_password (kind, password_hash, is_strong, expires_at)
                VALUES (0, \(bytes), true, \(now.addingTimeInterval(-7 * 86_400)))
                """)
            let oldest = hour - 15 * 24
            try session.execute(
                "INSERT INTO donation.hour_key (hour, public_key, closed) VALUES (\(oldest), \(bytes), true)")
            try session.execute("INSERT INTO donation.folded_hour (hour) VALUES (\(oldest))")
            try session.execute("SELECT donation.ensure_day(\(day - 14))")
            try session.execute("INSERT INTO donation.client VALUES (\(day - 14), 1, '3.2.0', '34', 5, 'tag')")
        }
    }
}
