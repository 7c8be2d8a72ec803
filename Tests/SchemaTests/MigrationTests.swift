import Dispatch
import FoundationEssentials
import Postgres
import Schema
import Synchronization
import TestSupport
import Testing

@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct MigrationTests {
    /// The sentences that a migration reports.
    private final class Report: Sendable {
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
                #expect(first.sentences == Migration.all.map { "Applied migration \($0.number): \($0.name)." })
                let before = try await Self.content(of: owner)
                let second = Report()
                try await Schema.migrate(owner: owner, report: second.add)
                #expect(second.sentences.isEmpty)
                #expect(try await Self.content(of: owner) == before)
                try await Schema.check(owner)
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
            #expect(report.sentences.count == Migration.all.count)
            try await TestPostgres.withClient(connection) { try await Schema.check($0) }
        }
    }

    @Test("a step whose tables are in use lets others pass and is tried again, and nothing of it is done before")
    func inUse() async throws {
        try await TestPostgres.withDatabase { connection in
            try await TestPostgres.withClient(connection) { owner in
                try await TestPostgres.withClient(connection) { other in
                    let (held, holding) = AsyncStream.makeStream(of: Void.self)
                    let release = DispatchSemaphore(value: 0)
                    async let holder: Void = other.transaction { session in
                        // What the first step makes is being made by somebody who isn't done.
                        try session.script("CREATE SCHEMA verification")
                        holding.finish()
                        release.wait()
                        try session.script("DROP SCHEMA verification")
                    }
                    // Behind it, so that a test that fails ends it before it waits for it.
                    defer { release.signal() }
                    for await _ in held {}
                    let report = Report()
                    await #expect(throws: BlockedMigration.self) {
                        try await Schema.migrate(owner: owner, attempts: 2, report: report.add)
                    }
                    #expect(report.sentences == ["Migration 1 waits: its tables are in use …"])
                    async let migration: Void = Schema.migrate(owner: owner, report: report.add)
                    while report.sentences.count < 2 { await Task.yield() }
                    release.signal()
                    try await holder
                    try await migration
                    #expect(report.sentences.count == 2 + Migration.all.count)
                    try await Schema.check(owner)
                }
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
            try await TestPostgres.withClient("\(connection) user=\(DatabaseRole.submission.rawValue)") { service in
                try await Schema.check(service)
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
                    try $0.execute("UPDATE vigil.migration SET checksum = '\\x00' WHERE number = 1")
                }
                let before = try await Self.content(of: owner)
                let error = await #expect(throws: ChangedMigration.self) { try await Schema.migrate(owner: owner) }
                #expect(error?.number == 1)
                #expect(
                    error?.description
                        == "Migration 1 was applied with another content than this program has: start the build that "
                        + "belongs to the database, or restore a backup.")
                #expect(try await Self.content(of: owner) == before)
            }
        }
    }

    @Test("a database without schema is refused by its services, in one sentence", arguments: [false, true])
    func older(hasTable: Bool) async throws {
        try await TestPostgres.withDatabase { connection in
            try await TestPostgres.withClient(connection) { client in
                if hasTable {
                    try await client.session {
                        try $0.script("CREATE SCHEMA vigil; CREATE TABLE vigil.migration (number integer)")
                    }
                }
                let error = await #expect(throws: SchemaMismatch.self) { try await Schema.check(client) }
                #expect(
                    error?.description
                        == "The database schema has version 0, this program needs \(Schema.version): "
                        + "run `vigil migrate` first.")
            }
        }
    }

    @Test("a database that is newer than the program is refused by services and migrations")
    func newer() async throws {
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.superuserConnection) { owner in
                _ = try await owner.session {
                    try $0.execute(
                        """
                        INSERT INTO vigil.migration (number, name, checksum)
                        VALUES (\(Schema.version + 1), 'of tomorrow', '\\x00')
                        """)
                }
                let error = await #expect(throws: SchemaMismatch.self) { try await Schema.migrate(owner: owner) }
                #expect(
                    error?.description
                        == "The database schema has version \(Schema.version + 1), this program knows "
                        + "\(Schema.version): start a newer build.")
            }
            for role in DatabaseRole.allCases {
                try await TestPostgres.withClient(database.connection(as: role)) { service in
                    let error = await #expect(throws: SchemaMismatch.self) { try await Schema.check(service) }
                    #expect(error?.found == Schema.version + 1)
                }
            }
        }
    }

    @Test("steps are numbered from 1 without a gap, and each has a name of its own")
    func numbers() {
        #expect(Migration.all.map(\.number) == Array(1...Schema.version))
        #expect(Set(Migration.all.map(\.name)).count == Migration.all.count)
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
                ORDER BY 1
                """, as: String.self)
        }
    }
}
