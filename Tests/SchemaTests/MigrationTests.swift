import FoundationEssentials
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Schema

@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct MigrationTests {
    /// The sentences that a migration reports.
    final class Report: Sendable {
        private let collected = Mutex<[String]>([])
        var sentences: [String] { collected.withLock { $0 } }

        func add(_ sentence: String) {
            collected.withLock { $0.append(sentence) }
        }
    }

    @Test("migrating an up-to-date database changes nothing")
    func twice() async throws {
        try await TestPostgres.withDatabase { connection in
            try await TestPostgres.withClient(connection) { owner in
                let first = Report()
                try await Schema.migrate(owner: owner, report: first.add)
                #expect(
                    first.sentences
                        == Self.steps.map { "Applied migration \($0.schema) \($0.number): \($0.migration.name)." })
                let before = try await Self.content(of: owner)
                let second = Report()
                try await Schema.migrate(owner: owner, report: second.add)
                #expect(second.sentences.isEmpty)
                #expect(try await Self.content(of: owner) == before)
                for schema in Schema.all { try await schema.check(owner) }
            }
        }
    }

    @Test("a plan names each missing step in order, changes nothing, and is empty afterwards")
    func planned() async throws {
        try await TestPostgres.withDatabase { connection in
            try await TestPostgres.withClient(connection) { owner in
                let empty = try await Schema.plan(for: owner)
                #expect(
                    empty.steps.map { "\($0.step): \($0.name)" }
                        == Self.steps.map { "\($0.schema) \($0.number): \($0.migration.name)" })
                let exists = try await owner.session { try MigrationRecord.exists(in: $0) }
                #expect(!exists)
                try await Schema.migrate(owner: owner)
                #expect(try await Schema.plan(for: owner).steps.isEmpty)

                _ = try await owner.session {
                    try $0.execute(
                        "DELETE FROM vigil.migration WHERE schema = 'verification' AND number = \(Schema.verification.version)"
                    )
                }
                let before = try await Self.content(of: owner)
                let last = MigrationStep(schema: "verification", number: Schema.verification.version)
                #expect(try await Schema.plan(for: owner).steps.map(\.step) == [last])
                #expect(try await Self.content(of: owner) == before)
            }
        }
    }

    @Test("there is no plan for a database that is newer, or has another content, than this build")
    func noPlan() async throws {
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.superuserConnection) { owner in
                _ = try await owner.session {
                    try $0.execute(
                        "UPDATE vigil.migration SET checksum = '\\x00' WHERE schema = 'submission' AND number = 1")
                }
                await #expect(throws: ChangedMigration.self) { try await Schema.plan(for: owner) }
                _ = try await owner.session {
                    try $0.execute("INSERT INTO vigil.migration VALUES ('vigil', 999, 'from later', '\\x00')")
                    try $0.execute("INSERT INTO vigil.migration VALUES ('statistics', 999, 'from later', '\\x00')")
                }
                await #expect(throws: SchemaMismatch.self) { try await Schema.plan(for: owner) }
            }
        }
    }

    @Test("several who migrate at once do it once")
    func atOnce() async throws {
        try await TestPostgres.withDatabase { connection in
            let report = Report()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await TestPostgres.withClient(connection) {
                            try await Schema.migrate(owner: $0, report: report.add)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(report.sentences.count == Self.steps.count)
            try await TestPostgres.withClient(connection) { owner in
                for schema in Schema.all { try await schema.check(owner) }
            }
        }
    }

    @Test("a step whose tables are in use lets others pass and is tried again, and nothing of it is done before")
    func inUse() async throws {
        try await TestPostgres.withDatabase { connection in
            try await TestPostgres.withClient(connection) { owner in
                try await OpenTransaction.hold(connection) {
                    try $0.script("CREATE SCHEMA test_results")
                } then: {
                    try $0.script("DROP SCHEMA test_results")
                } while: { release in
                    let report = Report()
                    let error = await #expect(throws: BlockedMigration.self) {
                        try await Schema.migrate(owner: owner, attempts: 2, report: report.add)
                    }
                    #expect(error?.name == "Migration test_results 1")
                    let before = report.sentences
                    let earlier = Schema.all.prefix { $0.name != "test_results" }
                    #expect(before.count == earlier.map(\.migrations.count).reduce(0, +) + 1)
                    #expect(before.last == "Migration test_results 1 waits for tables that are in use …")
                    async let migration: Void = Schema.migrate(owner: owner, report: report.add)
                    while report.sentences.count == before.count { await Task.yield() }
                    release()
                    try await migration
                    #expect(report.sentences.count == 2 + Self.steps.count)
                }
                for schema in Schema.all { try await schema.check(owner) }
            }
        }
    }

    @Test("a migration whose connection breaks leaves whole steps, and the next run does the rest")
    func interrupted() async throws {
        try await TestPostgres.withDatabase { connection in
            try await TestPostgres.withClient(connection) { owner in
                let report = Report()
                try await OpenTransaction.hold(connection) {
                    try $0.script("CREATE SCHEMA submission")
                } then: {
                    try $0.script("DROP SCHEMA submission")
                } while: { release in
                    async let migration: Void = Schema.migrate(owner: owner, report: report.add)
                    try await TestPostgres.withClient(connection) { superuser in
                        let terminate: SQL = """
                            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                            WHERE datname = current_database() AND wait_event_type = 'Lock'
                            """
                        while try await superuser.session({ try $0.execute(terminate) }) == 0 { await Task.yield() }
                    }
                    do {
                        try await migration
                        Issue.record("the migration should have lost its connection")
                    } catch let error as PostgresError {
                        #expect(error.sqlState == "57P01" || error.code == .connection, "\(error)")
                    }
                    release()
                }
                let applied = Self.steps.prefix { $0.schema != "submission" }
                #expect(report.sentences.filter { $0.hasPrefix("Applied") }.count == applied.count)
                for schema in Schema.all {
                    let isDone = applied.contains { $0.schema == schema.name }
                    do {
                        try await schema.check(owner)
                        #expect(isDone)
                    } catch let mismatch as SchemaMismatch {
                        #expect(!isDone && mismatch.found == 0)
                    }
                }
                try await Schema.migrate(owner: owner)
                for schema in Schema.all { try await schema.check(owner) }
            }
        }
    }

    @Test("databases of one server, which share the roles, may be migrated at once")
    func severalDatabases() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    try await TestPostgres.withDatabase { connection in
                        try await TestPostgres.withClient(connection) { try await Schema.migrate(owner: $0) }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("whoever owns the database may migrate it, without being a superuser")
    func plainOwner() async throws {
        try await TestPostgres.withDatabase { administration in
            let name = try #require(
                Identifier(validating: "owner_\(String(UInt64.random(in: .min ... .max), radix: 36))"))
            try await TestPostgres.withClient(administration) { superuser in
                try await superuser.session {
                    try $0.script("CREATE ROLE \(identifier: name) LOGIN CREATEROLE")
                }
                let result: Result<Void, any Error>
                do {
                    result = .success(try await Self.migrate(asOwner: name))
                } catch {
                    result = .failure(error)
                }
                try await superuser.session { try $0.script("DROP ROLE \(identifier: name)") }
                try result.get()
            }
        }
    }

    private static func migrate(asOwner name: Identifier) async throws {
        try await TestPostgres.withDatabase { connection in
            try await TestPostgres.withClient(connection) { superuser in
                try await superuser.session { session in
                    let database = try #require(try session.row("SELECT current_database()", as: String.self))
                    let identifier = try #require(Identifier(validating: database))
                    try session.script("ALTER DATABASE \(identifier: identifier) OWNER TO \(identifier: name)")
                }
            }
            try await TestPostgres.withClient("\(connection) user=\(name)") { owner in
                try await Schema.migrate(owner: owner)
                try await Schema.migrate(owner: owner)
            }
            try await TestPostgres.withClient("\(connection) user=\(DatabaseRole.fold.rawValue)") { service in
                try await Schema.submission.check(service)
                _ = try await service.session { try $0.execute("SELECT submission.ensure_day(20600)") }
                // Who may make a temporary table is a property of the database, which a copy doesn't have.
                let error = await #expect(throws: PostgresError.self) {
                    try await service.session { try $0.script("CREATE TEMPORARY TABLE mine (x integer)") }
                }
                #expect(error?.sqlState == .insufficientPrivilege)
            }
        }
    }

    @Test("a released step that was changed is noticed, and nothing is done")
    func changed() async throws {
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.superuserConnection) { owner in
                _ = try await owner.session {
                    try $0.execute(
                        "UPDATE vigil.migration SET checksum = '\\x00' WHERE schema = 'submission' AND number = 1")
                }
                let before = try await Self.content(of: owner)
                let error = await #expect(throws: ChangedMigration.self) { try await Schema.migrate(owner: owner) }
                #expect(error?.step == MigrationStep(schema: "submission", number: 1))
                #expect(
                    error?.description
                        == "Migration submission 1 was applied with another content than this program has: start the build "
                        + "that belongs to the database, or restore a backup.")
                #expect(try await Self.content(of: owner) == before)
            }
        }
    }

    @Test("names tell the steps of a schema apart")
    func names() {
        for schema in Schema.all { #expect(Set(schema.migrations.map(\.name)).count == schema.migrations.count) }
        #expect(Set(Schema.all.map(\.name)).count == Schema.all.count)
        #expect(Set(DatabaseRole.allCases).count == DatabaseRole.allCases.count)
    }

    /// Every step of every schema, in order.
    private static let steps = Schema.all.flatMap { schema in
        schema.migrations.enumerated().map { (schema: schema.name, number: $0 + 1, migration: $1) }
    }

    /// Every object, its privileges, and the migrations that were applied.
    private static func content(of client: PostgresClient) async throws -> [String] {
        try await client.session { session in
            try session.rows(
                """
                SELECT format('%s %s %s', oid::regclass, relkind, relacl) FROM pg_class
                WHERE relnamespace::regnamespace::text IN
                    ('vigil', 'verification', 'test_results', 'submission', 'distribution', 'push_dispatcher')
                UNION ALL
                SELECT format('%s %s', nspname, nspacl) FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_t%'
                UNION ALL
                SELECT migration::text FROM vigil.migration
                UNION ALL
                SELECT country::text FROM vigil.country
                ORDER BY 1
                """, as: String.self)
        }
    }
}
