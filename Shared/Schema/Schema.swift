package import Postgres
import Running

/// The only place that defines tables, grants and retention.
package enum Schema {
    /// The newest migration, which is the version that services need.
    package static let version = Migration.all.map(\.number).max() ?? 0

    /// Any two processes that migrate take this advisory lock, so that only one does. The number is arbitrary.
    private static let lock: Int64 = 0x7669_6769_6c00_0001

    /// Brings a database to the newest version: roles, what everybody may do, then every migration that is missing, each in
    /// a transaction of its own.
    /// - Parameters:
    ///   - owner: connected as the role that shall own the tables; it must be allowed to create roles, unless the
    ///     services' roles exist.
    ///   - attempts: at a step whose tables are in use, a second long each, with about another between them.
    ///   - connections: how many each service's role may have at one time; nil leaves that as it is.
    ///   - report: receives one sentence per step, and one for what this database doesn't let the owner do.
    /// - Throws: ``SchemaMismatch`` when the database is newer than this program; ``ChangedMigration``;
    ///   ``BlockedMigration``.
    package static func migrate(
        owner: PostgresClient, attempts: Int = 60, connections: Int? = nil,
        report: @Sendable (String) -> Void = { _ in }
    ) async throws {
        try await owner.transaction { session in
            try lockAndPrepare(session)
        }
        try await restrict(owner, connections: connections, report: report)
        for migration in Migration.all {
            let applied = try await apply(migration, by: owner, attempts: attempts, report: report)
            if applied { report("Applied migration \(migration.number): \(migration.name).") }
        }
        let found = try await owner.session { try currentVersion(in: $0) }
        guard found == version else { throw SchemaMismatch(found: found, needed: version) }
    }

    /// Refuses a database whose schema is older or newer than this program knows, and a pool that is larger than its role
    /// may fill.
    /// - Throws: ``SchemaMismatch``; ``ConnectionLimit``.
    package static func check(_ database: PostgresClient) async throws {
        let found = try await database.session { session in
            let exists = try session.row("SELECT to_regclass('vigil.migration') IS NOT NULL", as: Bool.self)
            return exists == true ? try currentVersion(in: session) : 0
        }
        guard found == version else { throw SchemaMismatch(found: found, needed: version) }
        let role = try await database.session { session in
            try session.row(
                "SELECT rolname::text, rolconnlimit FROM pg_roles WHERE rolname = current_user", as: String.self,
                Int32.self)
        }
        if let (name, limit) = role, limit >= 0, database.maximumConnections > Int(limit) {
            throw ConnectionLimit(role: name, limit: limit, wanted: database.maximumConnections)
        }
    }

    private static func currentVersion(in session: Session) throws(PostgresError) -> Int32 {
        try session.row("SELECT coalesce(max(number), 0) FROM vigil.migration", as: Int32.self) ?? 0
    }

    private static func lockAndPrepare(_ session: Session) throws(PostgresError) {
        try takeLock(in: session)
        for role in DatabaseRole.allCases {
            let exists = try session.row("SELECT 1 FROM pg_roles WHERE rolname = \(role.rawValue)", as: Int32.self)
            if exists == nil { try session.script(Script(creating: role)) }
        }
        // A temporary table is a table, too.
        try session.script(
            """
            DO $$ BEGIN
                EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
            END $$
            """)
        try session.script(
            """
            CREATE SCHEMA IF NOT EXISTS vigil;
            CREATE TABLE IF NOT EXISTS vigil.migration (
                number integer PRIMARY KEY,
                name text NOT NULL,
                checksum bytea NOT NULL,
                applied_at timestamptz NOT NULL DEFAULT now()
            );
            GRANT USAGE ON SCHEMA vigil
                TO vigil_verification, vigil_test_results, vigil_submission, vigil_distribution, vigil_push_dispatcher;
            GRANT SELECT ON vigil.migration
                TO vigil_verification, vigil_test_results, vigil_submission, vigil_distribution, vigil_push_dispatcher;
            """)
    }

    /// What a managed PostgreSQL may keep to itself: then the rest goes on, and the operator is told.
    private static func restrict(
        _ owner: PostgresClient, connections: Int?, report: @Sendable (String) -> Void
    ) async throws {
        do {
            try await owner.transaction { session in
                try takeLock(in: session)
                try session.script(CatalogGrants.script)
            }
        } catch let error as PostgresError where error.sqlState == .insufficientPrivilege {
            report(
                "Services may use functions of PostgreSQL that they don't need (locks of others, large objects, "
                    + "statistics), and only a superuser can change that: deploy/postgres/catalog.sql.")
        }
        try await owner.transaction { session in
            try takeLock(in: session)
            try session.script(CatalogGrants.messages)
        }
        guard let connections else { return }
        do {
            try await owner.transaction { session in
                try takeLock(in: session)
                let roles = try session.rows(
                    """
                    SELECT rolname::text FROM pg_roles
                    WHERE rolname = ANY (\(DatabaseRole.allCases.map(\.rawValue))) AND rolconnlimit <> \(connections)
                    """, as: String.self)
                for role in roles {
                    guard let name = Identifier(validating: role) else { continue }
                    try session.script("ALTER ROLE \(identifier: name) CONNECTION LIMIT \(connections)")
                }
            }
        } catch let error as PostgresError where error.sqlState == .insufficientPrivilege {
            report(
                "The services' roles may have any number of connections, because the owner may not change them: let a "
                    + "superuser set CONNECTION LIMIT \(connections) for each.")
        }
        let server = try await owner.session { session in
            try session.row(
                """
                SELECT current_setting('max_connections')::integer,
                    current_setting('superuser_reserved_connections')::integer
                """, as: Int32.self, Int32.self)
        }
        guard let (most, reserved) = server else { return }
        // Two for whoever migrates.
        let needed = DatabaseRole.allCases.count * connections + Int(reserved) + 2
        if needed > Int(most) {
            report(
                "\(DatabaseRole.allCases.count) roles with \(connections) connections each, \(reserved) reserved for "
                    + "superusers and 2 for the owner are \(needed), but max_connections is \(most): services can use up "
                    + "each other's connections.")
        }
    }

    private static func takeLock(in session: Session) throws(PostgresError) {
        try session.execute("SELECT pg_advisory_xact_lock(\(lock))")
    }

    /// Who waits for a table makes everybody wait who comes later. So a step waits for a second at most, and lets the others
    /// pass before it tries again: requests go on.
    private static func apply(
        _ migration: Migration, by owner: PostgresClient, attempts: Int, report: (String) -> Void
    ) async throws -> Bool {
        for attempt in 1...attempts {
            do {
                return try await owner.transaction { try apply(migration, in: $0) }
            } catch let error as PostgresError where error.sqlState == .lockNotAvailable {
                if attempt == 1 { report("Migration \(migration.number) waits: its tables are in use …") }
                if attempt < attempts { try await Task.sleep(for: .seconds(.random(in: 0.5...1.5))) }
            }
        }
        throw BlockedMigration(number: migration.number)
    }

    /// - Returns: false when the step was applied before.
    private static func apply(_ migration: Migration, in session: Session) throws -> Bool {
        try takeLock(in: session)
        let known = try session.row(
            "SELECT checksum FROM vigil.migration WHERE number = \(migration.number)", as: [UInt8].self)
        if let known {
            guard known == migration.checksum else { throw ChangedMigration(number: migration.number) }
            return false
        }
        try session.execute("SET LOCAL lock_timeout = '1s'")
        try session.script(migration.script)
        try session.execute(
            """
            INSERT INTO vigil.migration (number, name, checksum)
            VALUES (\(migration.number), \(migration.name), \(migration.checksum))
            """)
        return true
    }
}

/// The database's schema isn't the one this program was built for.
package struct SchemaMismatch: OperatorProblem, Equatable {
    /// The database's newest migration; 0 when it has none.
    package let found: Int32
    /// The newest migration of this program, ``Schema/version``.
    package let needed: Int32

    package var description: String {
        found < needed
            ? "The database schema has version \(found), this program needs \(needed): run `vigil migrate` first."
            : "The database schema has version \(found), this program knows \(needed): start a newer build."
    }
}

/// A service is configured with more connections than its role may have.
package struct ConnectionLimit: OperatorProblem, Equatable {
    /// The service's role.
    package let role: String
    /// What the database allows the role, for all replicas together.
    package let limit: Int32
    /// What one replica would take.
    package let wanted: Int

    package var description: String {
        "postgres.maximumConnections is \(wanted), but \(role) may have \(limit) connections, for all replicas together: "
            + "lower it, or run `vigil migrate --connections` with a higher number."
    }
}

/// A released migration differs from the one that was applied.
package struct ChangedMigration: OperatorProblem, Equatable {
    /// The step whose checksum is another one.
    package let number: Int32

    package var description: String {
        "Migration \(number) was applied with another content than this program has: start the build that belongs to "
            + "the database, or restore a backup."
    }
}

/// Long transactions kept a step from the tables it changes.
package struct BlockedMigration: OperatorProblem, Equatable {
    /// The step that was not applied; those before it were.
    package let number: Int32

    package var description: String {
        "Migration \(number) could not be applied, because its tables were in use all the time. Nothing of it was done. "
            + "pg_stat_activity shows who has been in a transaction for long (xact_start); run `vigil migrate` again later."
    }
}

extension Script {
    /// Roles belong to the whole cluster but the lock to one database, so another database's migration may be faster.
    fileprivate init(creating role: DatabaseRole) {
        let create: Script =
            switch role {
            case .verification: "CREATE ROLE vigil_verification LOGIN;"
            case .testResults: "CREATE ROLE vigil_test_results LOGIN;"
            case .submission: "CREATE ROLE vigil_submission LOGIN;"
            case .distribution: "CREATE ROLE vigil_distribution LOGIN;"
            case .pushDispatcher: "CREATE ROLE vigil_push_dispatcher LOGIN;"
            }
        self = """
            DO $$ BEGIN
                \(create)
            EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
            END $$
            """
    }
}
