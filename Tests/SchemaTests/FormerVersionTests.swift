import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Schema

/// Databases from the time when the whole database had one version: dumps of version 6 (commit 24e40af) and of version 9, the last.
@Suite(
    .serialized, .enabled(if: PrivateServer.programs != nil, "PostgreSQL's programs are not installed"),
    .timeLimit(.minutes(5)))
struct FormerVersionTests {
    /// A restored dump, in a database of the same names as an operator's.
    private struct Restored {
        let owner: PostgresClient
        let superuser: PostgresClient
        let connection: String

        /// A new database beside it.
        func fresh() async throws -> String {
            try await superuser.session { try $0.script("CREATE DATABASE fresh OWNER vigil_owner TEMPLATE template0") }
            return "\(connection) dbname=fresh"
        }
    }

    private static func withDump(of version: Int, _ body: @Sendable (Restored) async throws -> Void) async throws {
        try await PrivateServer.with(try #require(PrivateServer.programs)) { server in
            try await TestPostgres.withClient(server.connection) { superuser in
                try await superuser.session { session in
                    try session.script("CREATE ROLE vigil_owner LOGIN CREATEROLE")
                    try session.script(
                        """
                        CREATE ROLE vigil_verification LOGIN;
                        CREATE ROLE vigil_test_results LOGIN;
                        CREATE ROLE vigil_submission LOGIN;
                        CREATE ROLE vigil_distribution LOGIN;
                        CREATE ROLE vigil_push_dispatcher LOGIN;
                        """)
                    try session.script("CREATE DATABASE vigil OWNER vigil_owner TEMPLATE template0")
                }
            }
            // Where PostgreSQL's user may read it.
            let dump = server.directory.appending(path: "dump.sql")
            let fixture = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "Fixtures/version-\(version).sql")
            try Data(contentsOf: fixture).write(to: dump)
            try await server.run("psql", ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", "vigil", "-f", dump.path])
            let connection = "\(server.connection) dbname=vigil"
            try await TestPostgres.withClient(connection) { superuser in
                try await TestPostgres.withClient("\(connection) user=vigil_owner") { owner in
                    try await body(Restored(owner: owner, superuser: superuser, connection: connection))
                }
            }
        }
    }

    // MARK: Nothing is lost

    @Test("every row is there afterwards, as the steps since then leave it", arguments: [6, 9])
    func rows(version: Int) async throws {
        try await Self.withDump(of: version) { database in
            let forms = version == 6 ? Self.sinceVersion6 : Self.sinceVersion9
            var expected = try await database.superuser.session { try TestPostgres.rows(in: $0, as: forms) }
            #expect(expected.count >= 16 && expected.values.allSatisfy { !$0.isEmpty })
            if version == 6 {
                // TANs of that time are unknown since the step "TANs that prove themselves".
                expected["verification.tan"] = nil
                expected["verification.used_tan"] = []
                expected["test_results.positive_hour"] = []
            }
            expected["health_portal.session"] = []
            expected["health_portal.log_out_token"] = []
            let reported = Mutex<[String]>([])
            try await Schema.migrate(owner: database.owner) { sentence in reported.withLock { $0.append(sentence) } }
            let found = try await database.superuser.session { try TestPostgres.rows(in: $0) }
            for (table, rows) in expected { #expect(found[table] == rows, "\(table)") }
            // Tables of later steps.
            for (table, rows) in found where expected[table] == nil { #expect(rows.isEmpty, "\(table)") }

            let missing = Schema.all.flatMap { schema in
                schema.migrations.enumerated().filter { ($1.formerNumber ?? .max) > version }.map {
                    "Applied migration \(schema.name) \($0 + 1): \($1.name)."
                }
            }
            #expect(reported.withLock { $0 }.filter { $0.hasPrefix("Applied") } == missing)
            for schema in Schema.all {
                for role in schema.roles {
                    try await TestPostgres.withClient("\(database.connection) user=\(role)") {
                        try await schema.check($0)
                    }
                }
            }
        }
    }

    @Test(
        "the database is the same as a new one: columns, constraints, indexes, functions, privileges",
        arguments: [6, 9])
    func structure(version: Int) async throws {
        try await Self.withDump(of: version) { database in
            try await Schema.migrate(owner: database.owner)
            let found = try await Self.structure(of: database.superuser)
            let fresh = try await database.fresh()
            try await TestPostgres.withClient("\(fresh) user=vigil_owner") { try await Schema.migrate(owner: $0) }
            let expected = try await TestPostgres.withClient(fresh) { try await Self.structure(of: $0) }
            #expect(expected.count > 150)
            #expect(Set(found).subtracting(expected) == [])
            #expect(Set(expected).subtracting(found) == [])
        }
    }

    @Test("the record tells when each step was applied, and a former program that it is too old", arguments: [6, 9])
    func record(version: Int) async throws {
        try await Self.withDump(of: version) { database in
            let applied: SQL = "SELECT number, applied_at::text FROM vigil.migration"
            let former = try await database.superuser.session { session in
                Dictionary(uniqueKeysWithValues: try session.rows(applied, as: Int32.self, String.self))
            }
            #expect(former.count == version)
            try await Schema.migrate(owner: database.owner)
            for schema in Schema.all {
                let found = try await database.superuser.session { session in
                    try session.rows(
                        "\(applied) WHERE schema = \(schema.name) ORDER BY number", as: Int32.self, String.self)
                }
                #expect(found.map(\.0) == (0..<schema.version).map { $0 + 1 })
                for (row, migration) in zip(found, schema.migrations) {
                    guard let time = migration.formerNumber.flatMap({ former[$0] }) else { continue }
                    #expect(row.1 == time)
                }
            }
            // What services of former versions ask when they start. They need 9 at most.
            let highest = try await database.superuser.session {
                try $0.row("SELECT coalesce(max(number), 0) FROM vigil.migration", as: Int32.self)
            }
            #expect(highest == 10)
            let before = try await database.superuser.session { try TestPostgres.rows(in: $0) }
            try await Schema.migrate(owner: database.owner)
            let after = try await database.superuser.session { try TestPostgres.rows(in: $0) }
            #expect(after == before)
        }
    }

    // MARK: Trouble

    @Test("several who take it over at once do it once")
    func atOnce() async throws {
        try await Self.withDump(of: 6) { database in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await TestPostgres.withClient("\(database.connection) user=vigil_owner") {
                            try await Schema.migrate(owner: $0)
                        }
                    }
                }
                try await group.waitForAll()
            }
            for schema in Schema.all { try await schema.check(database.owner) }
        }
    }

    @Test("while a backup reads the record it isn't changed")
    func inUse() async throws {
        try await Self.withDump(of: 6) { database in
            let before = try await Self.structure(of: database.superuser)
            try await OpenTransaction.hold(database.connection) {
                try $0.script("SELECT FROM vigil.migration")
            } while: { _ in
                let error = await #expect(throws: BlockedMigration.self) {
                    try await Schema.migrate(owner: database.owner, attempts: 1)
                }
                #expect(error?.name == "The record of migrations")
                let after = try await Self.structure(of: database.superuser)
                #expect(after == before)
            }
            try await Schema.migrate(owner: database.owner)
            for schema in Schema.all { try await schema.check(database.owner) }
        }
    }

    @Test("a former migration that was changed is noticed, and nothing is done")
    func changed() async throws {
        try await Self.withDump(of: 6) { database in
            try await database.superuser.session {
                try $0.execute("UPDATE vigil.migration SET checksum = '\\x00' WHERE number = 4")
            }
            let before = try await Self.structure(of: database.superuser)
            let error = await #expect(throws: ChangedMigration.self) {
                try await Schema.migrate(owner: database.owner)
            }
            #expect(error?.step == MigrationStep(schema: "*", number: 4))
            #expect(try await Self.structure(of: database.superuser) == before)
        }
    }

    // MARK: What is compared

    /// What the steps since version 6 make of a row.
    private static let sinceVersion6: [String: SQL] = [
        "verification.session": """
        (to_jsonb(item) - 'created_at' - 'tan_count')
            || jsonb_build_object('created_hour', floor(extract(epoch FROM created_at) / 3600)::integer)
        """,
        "verification.registered_guid": """
        (to_jsonb(item) - 'created_at')
            || jsonb_build_object('created_day', floor(extract(epoch FROM created_at) / 86400)::integer)
        """,
    ].merging(sinceVersion9) { first, _ in first }
    private static let sinceVersion9: [String: SQL] = [
        "distribution.published_hour":
            """
        to_jsonb(item) || '{"published_after": -1, "foreign_keys": 0}'
            || CASE WHEN keys > 0 THEN '{"first_end": 0}' ELSE '{}' END::jsonb
        """,
        "submission.hour_key": """
        to_jsonb(item) || '{"row_format": 1}'
        """,
        "submission.diagnosis_key": """
        to_jsonb(item) || '{"is_federated": false}'
        """,
    ]

    /// All that the steps define, but for the partitions of single days.
    private static func structure(of client: PostgresClient) async throws -> [String] {
        try await client.session { session in
            try session.rows(
                """
                WITH relation AS (
                    SELECT pg_class.* FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                    WHERE NOT relispartition AND nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'
                )
                SELECT format('relation %s %s %s %s %s', oid::regclass, relkind, relowner::regrole, reloptions,
                    (SELECT string_agg(item::text, ' ' ORDER BY item::text) FROM unnest(relacl) AS item))
                FROM relation
                UNION ALL
                SELECT format('column %s.%s %s %s %s %s %s', attrelid::regclass, attname, format_type(atttypid, atttypmod),
                    attnotnull, attstorage, attacl, pg_get_expr(adbin, adrelid))
                FROM relation JOIN pg_attribute ON attrelid = relation.oid
                    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
                WHERE attnum > 0 AND NOT attisdropped AND relkind IN ('r', 'p')
                UNION ALL
                SELECT format('constraint %s %s %s %s', conrelid::regclass, conname, convalidated, pg_get_constraintdef(pg_constraint.oid))
                FROM relation JOIN pg_constraint ON conrelid = relation.oid
                UNION ALL
                SELECT format('index %s', pg_get_indexdef(indexrelid)) FROM relation JOIN pg_index ON indexrelid = relation.oid
                UNION ALL
                SELECT format('function %s %s %s %s %s %s', pg_proc.oid::regprocedure, proowner::regrole, prosecdef, proconfig, prosrc,
                    (SELECT string_agg(item::text, ' ' ORDER BY item::text) FROM unnest(proacl) AS item))
                FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
                WHERE nspname NOT IN ('pg_catalog', 'information_schema')
                UNION ALL
                SELECT format('schema %s %s %s', nspname, nspowner::regrole,
                    (SELECT string_agg(item::text, ' ' ORDER BY item::text) FROM unnest(nspacl) AS item))
                FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'
                ORDER BY 1
                """, as: String.self)
        }
    }
}
