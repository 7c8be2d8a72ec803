import Foundation
import Postgres
import Schema
import Synchronization
import TestSupport
import Testing

/// The privileges of every role on every table: written down a second time, and tried.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct GrantTests {
    private static let everything = "SELECT INSERT UPDATE DELETE"

    /// Everything that is granted. Whatever isn't listed is forbidden.
    private static let allowed: [String: [DatabaseRole: String]] = [
        "vigil.migration": Dictionary(uniqueKeysWithValues: DatabaseRole.allCases.map { ($0, "SELECT") }),
        // Those that have a setting that all services must agree on.
        "vigil.country": [
            .verification: "SELECT", .testResults: "SELECT", .submission: "SELECT", .distribution: "SELECT",
            .federation: "SELECT", .pushDispatcher: "SELECT", .donationFold: "SELECT", .healthPortal: "SELECT",
        ],
        // Reached through functions only.
        "vigil.epoch": [:],
        "test_results.result": [.testResults: everything],
        "test_results.positive_hour": [.testResults: everything],
        "verification.session": [.verification: everything],
        "verification.registered_guid": [.verification: everything],
        "verification.tele_tan": [.verification: everything],
        "verification.used_tan": [.verification: everything],
        "verification.officer_hour": [.verification: everything],
        "verification.refused_tele_tan": [.verification: everything],
        "verification.forgotten_tele_tan": [.verification: everything],
        "verification.forgotten_refusal": [.verification: everything],
        // Released for good: nobody may change or delete a value, and those who release values may not read any.
        "statistics.released_figure": [
            .verification: "INSERT", .testResults: "INSERT", .distribution: "INSERT", .pushDispatcher: "INSERT",
            .federation: "INSERT", .donationFold: "INSERT", .healthPortal: "SELECT",
        ],
        // Reached through a function only.
        "statistics.counted_since": [:],
        // The same for tables of donated data, which their releases read: the figure of versions is computed from one.
        "donation.released_table": [.donationFold: "SELECT INSERT"],
        "donation.released_cell": [.donationFold: "SELECT INSERT"],
        // Sealed to the auditor: whoever takes rows can't look at the entries, nor remove one.
        "donation.raw_audit": [.donationFold: "INSERT"],
        // The fold may update `closed`, and no key.
        "submission.hour_key": [.submission: "SELECT", .fold: "SELECT INSERT DELETE"],
        // The server adds rows by a function that holds the hour open.
        "submission.inbox": [.fold: "SELECT DELETE"],
        "submission.folded_hour": [.fold: "SELECT INSERT DELETE", .distribution: "SELECT"],
        // distribution and federation read some columns; see `columns`.
        "submission.diagnosis_key": [.fold: "SELECT INSERT"],
        "submission.check_in_report": [.fold: "SELECT INSERT", .distribution: "SELECT"],
        "submission.venue_report": [.fold: "SELECT INSERT", .distribution: "SELECT"],
        // Rows are reached through the parent only.
        "submission.check_in_report_20600": [:],
        "submission.venue_report_20600": [:],
        // federation reads which hours are published; see `columns`.
        "distribution.published_hour": [.distribution: "SELECT INSERT DELETE"],
        "distribution.published_venue_bundle": [.distribution: "SELECT INSERT DELETE"],
        // Its columns `size` and `md5` may be updated.
        "distribution.published_object": [.distribution: "SELECT INSERT DELETE"],
        "distribution.signature": [.distribution: "SELECT INSERT DELETE"],
        "distribution.announced_event": [.distribution: "SELECT INSERT DELETE"],
        // The portal may insert the columns of an event that waits, and decide by a function; see VenueGrantTests.
        "venues.event": [.healthPortal: "SELECT DELETE"],
        "venues.published_event": [.distribution: "SELECT"],
        "venues.trace_key": [.healthPortal: "SELECT INSERT DELETE", .distribution: "SELECT"],
        "venues.trace_key_upload": [.healthPortal: "SELECT INSERT DELETE"],
        // Nobody changes or deletes a key: it goes with its partition. The fold looks for keys, and at nothing else of them.
        "foreign_keys.diagnosis_key": [.federation: "SELECT INSERT", .distribution: "SELECT"],
        "foreign_keys.imported_hour": [.federation: "SELECT INSERT DELETE", .distribution: "SELECT"],
        "federation.shared_slot": [.federation: "SELECT INSERT DELETE"],
        "federation.outgoing_batch": [.federation: everything],
        // Of GENERATED ALWAYS AS IDENTITY, which needs no privilege.
        "federation.outgoing_batch_id_seq": [:],
        "federation.incoming_batch": [.federation: everything],
        "federation.failing_call": [.federation: everything],
        "federation.audited_upload": [.federation: "SELECT INSERT DELETE"],
        "federation.left_out": [.federation: "SELECT INSERT DELETE"],
        "donation.used_evidence": [.donation: everything],
        "donation.attested_key": [.donation: everything],
        "donation.month_token": [.donation: everything],
        "donation.quota": [.donation: everything],
        "donation.one_time_password": [.donation: everything],
        // As with submission: the fold may update `closed`, and the server adds rows by a function.
        "donation.hour_key": [.donation: "SELECT", .donationFold: "SELECT INSERT DELETE"],
        "donation.inbox": [.donationFold: "SELECT DELETE"],
        "donation.folded_hour": [.donationFold: "SELECT INSERT DELETE"],
        "further.report": [.further: everything],
        "further.key": [.further: everything],
        "further.nonce": [.further: "SELECT INSERT DELETE"],
        "push_dispatcher.registration": [.pushDispatcher: everything],
        "push_dispatcher.wave": [.pushDispatcher: everything],
        "health_portal.session": [.healthPortal: everything],
        "health_portal.log_out_token": [.healthPortal: everything],
        // Sealed to the auditor; nobody changes an entry.
        "health_portal.audit": [.healthPortal: "SELECT INSERT DELETE"],
        // Only the owner's command writes it.
        "health_portal.audit_read": [:],
    ].merging(
        (20_586...20_600).flatMap {
            [("submission.diagnosis_key_\($0)", [:]), ("foreign_keys.diagnosis_key_\($0)", [:])]
        }
            + donated.flatMap { [("donation.\($0)", [.donationFold: "SELECT INSERT"]), ("donation.\($0)_20600", [:])] }
    ) { first, _ in first }

    /// Nobody changes or deletes what was donated: it goes with its partition.
    private static let donated = [
        "user_group", "client", "exposure_risk", "exposure_window", "test_result", "key_submission_by_user",
        "key_submission_by_client",
    ]

    /// What a role may read of a table of which it may not read all.
    private static let columns: [String: [DatabaseRole: [String]]] = [
        "submission.diagnosis_key": [
            .distribution: [
                "hour", "key_data", "rolling_start", "rolling_period", "transmission_risk_level", "days_since_onset",
                "report_type",
            ],
            .federation: [
                "hour", "key_data", "rolling_start", "rolling_period", "transmission_risk_level", "is_federated",
            ],
        ],
        "distribution.published_hour": [.federation: ["hour", "first_end"]],
        "foreign_keys.diagnosis_key": [.fold: ["key_data"]],
    ]

    private func withDatabase(_ body: (MigratedDatabase, PostgresClient) async throws -> Void) async throws {
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.superuserConnection) { superuser in
                try await superuser.session { session in
                    try session.execute("SELECT submission.ensure_day(20600)")
                    try session.execute("SELECT foreign_keys.ensure_day(20600)")
                    try session.execute("SELECT donation.ensure_day(20600)")
                }
                try await body(database, superuser)
            }
        }
    }

    @Test(
        "each role has the listed privileges on each table, and no others",
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

    @Test("a role can't read another service's table", arguments: DatabaseRole.allCases)
    func reading(role: DatabaseRole) async throws {
        try await withDatabase { database, _ in
            try await TestPostgres.withClient(database.connection(as: role)) { service in
                for (name, grants) in Self.allowed {
                    let parts = name.split(separator: ".").map(String.init)
                    let schema = try #require(Identifier(validating: parts[0]))
                    let table = try #require(Identifier(validating: parts[1]))
                    let isAllowed = grants[role]?.contains("SELECT") ?? (Self.columns[name]?[role] != nil)
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

    @Test("a role reads the listed columns of a table, and no others")
    func columns() async throws {
        try await withDatabase { _, superuser in
            for (table, roles) in Self.columns {
                for (role, columns) in roles {
                    let found = try await superuser.session { session in
                        try session.rows(
                            """
                            SELECT attname::text FROM pg_attribute
                            WHERE attrelid = \(table)::regclass AND attnum > 0 AND NOT attisdropped
                                AND has_column_privilege(\(role.rawValue), attrelid, attnum, 'SELECT')
                            ORDER BY attnum
                            """, as: String.self)
                    }
                    #expect(found == columns)
                }
            }
        }
    }

    /// One table in each schema.
    private static let newTables: [(name: String, script: Script)] =
        (["public"] + Schema.all.map(\.name)).compactMap(Identifier.init(validating:)).map {
            ("a table in \($0)", "CREATE TABLE \(identifier: $0).mine (x integer)")
        }

    private static let attempts: [(name: String, script: Script)] = [
        (
            "a partition",
            "CREATE TABLE submission.mine PARTITION OF submission.diagnosis_key FOR VALUES FROM (0) TO (24)"
        ),
        ("a schema", "CREATE SCHEMA mine"),
        ("a role", "CREATE ROLE mine"),
        ("a function", "CREATE FUNCTION public.mine() RETURNS integer LANGUAGE sql AS 'SELECT 1'"),
        (
            "another migration",
            "INSERT INTO vigil.migration (schema, number, name, checksum) VALUES ('submission', 99, '', '')"
        ),
        ("another country", "UPDATE vigil.country SET value = 'FR'"),
        ("no history", "DELETE FROM vigil.migration"),
        ("an empty table", "TRUNCATE verification.used_tan"),
        ("no table", "DROP TABLE test_results.result"),
        ("another table", "ALTER TABLE submission.inbox ADD COLUMN sent_at timestamptz"),
        ("another role's session", "SET ROLE vigil_verification; SET ROLE vigil_submission"),
        ("a file", "COPY (SELECT 1) TO '/mine'"),
        ("a program", "COPY (SELECT 1) TO PROGRAM 'true'"),
        ("another program", "CREATE TEMPORARY TABLE mine (x text); COPY mine FROM PROGRAM 'true'"),
        ("the fold's lock", "SELECT pg_advisory_lock(8532464671511281666)"),
        ("the fold's lock, for a transaction", "SELECT pg_advisory_xact_lock(8532464671511281666)"),
        ("the migration's lock", "SELECT pg_try_advisory_lock(8532464671511281665)"),
        ("the publisher's lock", "SELECT pg_try_advisory_xact_lock(8532464671511281667)"),
        ("the import's lock", "SELECT pg_advisory_xact_lock(8532464671511281670)"),
        ("the donations' lock", "SELECT pg_advisory_xact_lock(8532464671511281671)"),
        ("the waves' lock, shared", "SELECT pg_advisory_lock_shared(8532464671511281668)"),
        ("a lock of two numbers", "SELECT pg_advisory_lock(1, 2)"),
        ("locks given back", "SELECT pg_advisory_unlock_all()"),
        ("a large object", "SELECT lo_create(0)"),
        ("a large object with bytes", "SELECT lo_from_bytea(0, 'x')"),
        ("a large object from a file", "SELECT lo_import('/etc/hostname')"),
        ("a large object's bytes", "SELECT lo_put(1, 0, 'x')"),
        ("a large object to a file", "SELECT lo_export(1, '/mine')"),
        ("a look into a large object", "SELECT lo_get(1)"),
        ("figures of tables", "SELECT n_tup_ins FROM pg_stat_all_tables"),
        ("a figure of a table", "SELECT pg_stat_get_tuples_inserted('submission.inbox'::regclass::oid)"),
        ("a table's size", "SELECT pg_relation_size('pg_proc')"),
        ("a table's rows", "SELECT reltuples FROM pg_class"),
        ("who is connected", "SELECT usename FROM pg_stat_activity"),
        ("who holds what", "SELECT * FROM pg_locks"),
        ("the log's end", "SELECT pg_current_wal_insert_lsn()"),
        ("a transaction's number", "SELECT pg_current_xact_id()"),
        ("a list of files", "SELECT pg_ls_dir('.')"),
        ("a list of the log", "SELECT pg_ls_waldir()"),
        ("a file's content", "SELECT pg_read_file('/etc/hostname')"),
        ("a file's bytes", "SELECT pg_read_binary_file('/etc/hostname')"),
        ("a slot", "SELECT pg_create_physical_replication_slot('mine')"),
        ("bytes in the log", "SELECT pg_logical_emit_message(false, 'mine', 'x'::bytea)"),
        ("another database", "CREATE EXTENSION dblink SCHEMA public"),
        ("another server", "CREATE FOREIGN DATA WRAPPER mine"),
        ("a subscription", "CREATE SUBSCRIPTION mine CONNECTION 'dbname=mine' PUBLICATION mine"),
        ("a library", "LOAD 'dblink'"),
        ("rules off", "SELECT set_config('session_replication_role', 'replica', false)"),
        ("all statements logged", "SELECT set_config('log_statement', 'all', false)"),
        ("large objects of others", "SELECT set_config('lo_compat_privileges', 'on', false)"),
        ("another role by a setting", "SELECT set_config('role', 'postgres', false)"),
        ("another user by a setting", "SELECT set_config('session_authorization', 'postgres', false)"),
        ("the server's settings", "ALTER SYSTEM SET archive_mode = on"),
        ("more connections", "ALTER ROLE CURRENT_USER CONNECTION LIMIT 100"),
        ("others' connections", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"),
        ("statistics of a table", "SELECT * FROM pg_stats"),
    ]

    @Test("no service can create, change or open anything else in the database", arguments: DatabaseRole.allCases)
    func attempts(role: DatabaseRole) async throws {
        try await withDatabase { database, superuser in
            try await TestPostgres.withClient(database.connection(as: role)) { service in
                for (name, script) in Self.newTables + Self.attempts {
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

    /// The functions that take locks, and whose they are.
    private static let locks: [(take: SQL, role: DatabaseRole)] = [
        ("SELECT submission.take_fold_lock()", .fold),
        ("SELECT distribution.take_publishing_lock()", .distribution),
        ("SELECT push_dispatcher.take_wave_lock()", .pushDispatcher),
        ("SELECT foreign_keys.take_import_lock()", .federation),
        ("SELECT foreign_keys.wait_for_imports()", .fold),
        ("SELECT donation.take_fold_lock()", .donationFold),
        ("SELECT donation.take_report_turn()", .donation),
        ("SELECT further.take_report_lock()", .further),
        ("SELECT further.take_list_lock()", .further),
        ("SELECT federation.take_upload_lock('efgs')", .federation),
        ("SELECT federation.take_download_lock('efgs')", .federation),
    ]

    @Test("each service can take its own lock and no other", arguments: DatabaseRole.allCases)
    func ownLocks(role: DatabaseRole) async throws {
        try await withDatabase { database, _ in
            try await TestPostgres.withClient(database.connection(as: role)) { service in
                for (take, owner) in Self.locks {
                    do {
                        try await service.session { try $0.execute(take) }
                        #expect(role == owner)
                    } catch let error as PostgresError {
                        #expect(role != owner)
                        #expect(error.sqlState == .insufficientPrivilege)
                    }
                }
            }
        }
    }

    @Test("a service that holds its lock doesn't block the others' locks")
    func oneNumberEach() async throws {
        try await withDatabase { database, superuser in
            for (take, role) in Self.locks {
                try await TestPostgres.withClient(database.connection(as: role)) { service in
                    let held = try await service.transaction { session in
                        try session.execute(take)
                        return true
                    }
                    #expect(held)
                }
            }
            // Three connections that are closed: nothing of them may stay.
            let count: SQL = """
                SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                """
            while try await superuser.session({ try $0.row(count, as: Int.self) }) != 0 { await Task.yield() }
        }
    }

    @Test(
        "only services whose requests wait for a commit can write a message into the write-ahead log",
        arguments: DatabaseRole.allCases)
    func messages(role: DatabaseRole) async throws {
        let emit: SQL = "SELECT pg_logical_emit_message(true, '', '')"
        try await withDatabase { database, _ in
            try await TestPostgres.withClient(database.connection(as: role)) { service in
                if [.verification, .testResults, .submission, .pushDispatcher, .donation, .further].contains(role) {
                    try await service.session { try $0.execute(emit) }
                } else {
                    let error = await #expect(throws: PostgresError.self) {
                        try await service.session { try $0.execute(emit) }
                    }
                    #expect(error?.sqlState == .insufficientPrivilege)
                }
            }
        }
    }

    /// Functions of PostgreSQL whose names speak of locks, large objects, files, figures, the log or transactions, and which
    /// tell or change nothing of others.
    private static let harmless: Set<String> = [
        // Of values and of units.
        "pg_column_size", "pg_size_bytes", "pg_size_pretty",
        // Of one's own connection, and of what is the same everywhere.
        "pg_prepared_statements", "pg_get_catalog_foreign_keys",
    ]

    @Test("no function or view of PostgreSQL itself shows a service what others do", arguments: DatabaseRole.allCases)
    func catalog(role: DatabaseRole) async throws {
        try await withDatabase { _, superuser in
            let open = try await superuser.session { session in
                try session.rows(
                    """
                    SELECT DISTINCT proname::text FROM pg_proc
                    WHERE pronamespace = 'pg_catalog'::regnamespace AND provolatile <> 'i'
                      AND proname ~ '_lock|locking|^lo|_stat_|_ls_|_read_|file|_size|wal|xact|txid|snapshot|slot|control|log|notif'
                      AND proname !~ '^binary_upgrade_' AND proname <> 'pg_logical_emit_message'
                      AND has_function_privilege(\(role.rawValue), oid, 'EXECUTE')
                    UNION ALL
                    SELECT relname::text FROM pg_class
                    WHERE relnamespace = 'pg_catalog'::regnamespace
                      AND relname ~ '_stat|_lock|slot|xact|wal|largeobject|^pg_class$'
                      AND relkind IN ('r', 'v')
                      AND has_table_privilege(\(role.rawValue), oid, 'SELECT')
                    """, as: String.self)
            }
            #expect(Set(open).subtracting(Self.harmless) == [])
        }
    }

    @Test("a database whose owner isn't a superuser is migrated, and the owner is told what remains")
    func managed() async throws {
        try await TestPostgres.withDatabase { connection in
            let owner = try #require(
                Identifier(validating: "managed_\(String(UInt64.random(in: .min ... .max), radix: 36))"))
            let told = Mutex<[String]>([])
            try await TestPostgres.withClient(connection) { superuser in
                let name = try await superuser.session { try $0.row("SELECT current_database()", as: String.self) }
                let database = try #require(name.flatMap { Identifier(validating: $0) })
                try await superuser.session {
                    try $0.script("CREATE ROLE \(identifier: owner) LOGIN CREATEROLE")
                    try $0.script("ALTER DATABASE \(identifier: database) OWNER TO \(identifier: owner)")
                }
                try await TestPostgres.withClient("\(connection) user=\(owner)") { client in
                    try await Schema.migrate(owner: client) { sentence in told.withLock { $0.append(sentence) } }
                    #expect(told.withLock { $0.filter { $0.contains("deploy/postgres/catalog.sql") }.count } == 1)
                    // Services work as they do elsewhere, and may do more than they should.
                    try await TestPostgres.withClient("\(connection) user=vigil_fold") { service in
                        try await service.session {
                            try $0.execute("SELECT submission.take_fold_lock()")
                            try $0.execute("SELECT pg_advisory_unlock_all()")
                        }
                    }
                    // A superuser does what the sentence says.
                    try await superuser.session { try $0.script(CatalogGrants.script) }
                    told.withLock { $0 = [] }
                    try await Schema.migrate(owner: client) { sentence in told.withLock { $0.append(sentence) } }
                    #expect(told.withLock { $0 } == [])
                    try await TestPostgres.withClient("\(connection) user=vigil_fold") { service in
                        _ = try await service.session { try $0.execute("SELECT submission.take_fold_lock()") }
                    }
                    try await TestPostgres.withClient("\(connection) user=vigil_submission") { service in
                        try await service.session { try $0.execute("SELECT pg_logical_emit_message(true, '', '')") }
                        let error = await #expect(throws: PostgresError.self) {
                            try await service.session { try $0.execute("SELECT pg_advisory_unlock_all()") }
                        }
                        #expect(error?.sqlState == .insufficientPrivilege)
                    }
                }
                // The database goes after the test, and what the role owns in it.
                try await superuser.session {
                    try $0.script("DROP OWNED BY \(identifier: owner) CASCADE")
                    try $0.script("ALTER DATABASE \(identifier: database) OWNER TO CURRENT_USER")
                    try $0.script("DROP ROLE \(identifier: owner)")
                }
            }
        }
    }

    @Test("the superuser's file has the same statements as the migration")
    func file() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "deploy/postgres/catalog.sql"), encoding: .utf8)
        let statements = text.split(separator: "\n").drop { $0.hasPrefix("--") }.joined(separator: "\n")
        #expect(statements == CatalogGrants.script.text)
    }
}
