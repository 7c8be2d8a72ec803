import Postgres
import Schema
import TestSupport
import Testing

/// Who may do what with which table: the page of the schema written down a second time, and tried.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct GrantTests {
    private static let everything = "SELECT INSERT UPDATE DELETE"

    /// All that is granted; what isn't here is forbidden.
    private static let allowed: [String: [DatabaseRole: String]] = [
        "vigil.migration": [
            .verification: "SELECT", .testResults: "SELECT", .submission: "SELECT", .distribution: "SELECT",
            .pushDispatcher: "SELECT",
        ],
        "test_results.result": [.testResults: everything],
        "verification.session": [.verification: everything],
        "verification.registered_guid": [.verification: everything],
        "verification.tele_tan": [.verification: everything],
        "verification.used_tan": [.verification: everything],
        "verification.officer_hour": [.verification: everything],
        "verification.refused_tele_tan": [.verification: everything],
        "submission.hour_key": [.submission: everything],
        "submission.inbox": [.submission: everything],
        "submission.folded_hour": [.submission: "SELECT INSERT DELETE", .distribution: "SELECT"],
        "submission.diagnosis_key": [.submission: "SELECT INSERT", .distribution: "SELECT"],
        "submission.check_in_report": [.submission: "SELECT INSERT", .distribution: "SELECT"],
        // Rows are reached through the parent only.
        "submission.check_in_report_20600": [:],
        "submission.diagnosis_key_20600": [:],
        "distribution.published_hour": [.distribution: "SELECT INSERT DELETE"],
        "distribution.signature": [.distribution: "SELECT INSERT DELETE"],
        "push_dispatcher.registration": [.pushDispatcher: everything],
        "push_dispatcher.wave": [.pushDispatcher: everything],
    ]

    private func withDatabase(_ body: (MigratedDatabase, PostgresClient) async throws -> Void) async throws {
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.superuserConnection) { superuser in
                _ = try await superuser.session { try $0.execute("SELECT submission.ensure_day(20600)") }
                try await body(database, superuser)
            }
        }
    }

    @Test(
        "each table is open to its owner's service and to whom an arrow leads, for what they need",
        arguments: DatabaseRole.allCases)
    func matrix(role: DatabaseRole) async throws {
        try await withDatabase { _, superuser in
            let found = try await superuser.session { session in
                try session.rows(
                    """
                    SELECT format('%s.%s', relnamespace::regnamespace, relname), coalesce((
                        SELECT string_agg(privilege, ' ' ORDER BY number)
                        FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER'])
                            WITH ORDINALITY AS privileges (privilege, number)
                        WHERE has_table_privilege(\(role.rawValue), pg_class.oid, privilege)
                    ), '')
                    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                    WHERE relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
                      AND nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
                    """, as: String.self, String.self)
            }
            #expect(Set(found.map { $0.0 }) == Set(Self.allowed.keys))
            for (table, privileges) in found {
                #expect(privileges == Self.allowed[table]?[role] ?? "", "\(table)")
            }
        }
    }

    @Test("who tries to read another's table is refused", arguments: DatabaseRole.allCases)
    func reading(role: DatabaseRole) async throws {
        try await withDatabase { database, _ in
            try await TestPostgres.withClient(database.connection(as: role)) { service in
                for (name, grants) in Self.allowed {
                    let parts = name.split(separator: ".").map(String.init)
                    let schema = try #require(Identifier(validating: parts[0]))
                    let table = try #require(Identifier(validating: parts[1]))
                    let isAllowed = grants[role]?.contains("SELECT") ?? false
                    do {
                        try await service.session {
                            try $0.execute("SELECT FROM \(identifier: schema).\(identifier: table) LIMIT 1")
                        }
                        #expect(isAllowed, "\(name)")
                    } catch let error as PostgresError {
                        #expect(!isAllowed, "\(name)")
                        #expect(error.sqlState == .insufficientPrivilege)
                    }
                }
            }
        }
    }

    private static let attempts: [(name: String, script: Script)] = [
        ("a table in public", "CREATE TABLE public.mine (x integer)"),
        ("a table in vigil", "CREATE TABLE vigil.mine (x integer)"),
        ("a table in verification", "CREATE TABLE verification.mine (x integer)"),
        ("a table in test_results", "CREATE TABLE test_results.mine (x integer)"),
        ("a table in submission", "CREATE TABLE submission.mine (x integer)"),
        ("a table in distribution", "CREATE TABLE distribution.mine (x integer)"),
        ("a table in push_dispatcher", "CREATE TABLE push_dispatcher.mine (x integer)"),
        (
            "a partition",
            "CREATE TABLE submission.mine PARTITION OF submission.diagnosis_key FOR VALUES FROM (0) TO (24)"
        ),
        ("a schema", "CREATE SCHEMA mine"),
        ("a role", "CREATE ROLE mine"),
        ("a function", "CREATE FUNCTION public.mine() RETURNS integer LANGUAGE sql AS 'SELECT 1'"),
        ("another migration", "INSERT INTO vigil.migration (number, name, checksum) VALUES (99, '', '')"),
        ("no history", "DELETE FROM vigil.migration"),
        ("an empty table", "TRUNCATE verification.used_tan"),
        ("no table", "DROP TABLE test_results.result"),
        ("another table", "ALTER TABLE submission.inbox ADD COLUMN sent_at timestamptz"),
        ("another role's session", "SET ROLE vigil_verification; SET ROLE vigil_submission"),
        ("a file", "COPY (SELECT 1) TO '/mine'"),
        ("a program", "COPY (SELECT 1) TO PROGRAM 'true'"),
    ]

    @Test("no service can make, change or open anything in the database", arguments: DatabaseRole.allCases)
    func attempts(role: DatabaseRole) async throws {
        try await withDatabase { database, superuser in
            try await TestPostgres.withClient(database.connection(as: role)) { service in
                for (name, script) in Self.attempts {
                    let error = await #expect(throws: PostgresError.self, "\(name)") {
                        try await service.session { try $0.script(script) }
                    }
                    #expect(error?.sqlState == .insufficientPrivilege, "\(name)")
                }
            }
            let powers = try await superuser.session { session in
                try session.rows(
                    """
                    SELECT rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls
                        OR EXISTS (SELECT FROM pg_auth_members WHERE member = pg_roles.oid)
                    FROM pg_roles WHERE rolname = \(role.rawValue)
                    """, as: Bool.self)
            }
            #expect(powers == [false])
        }
    }
}
