import Postgres

/// The services' roles, and privileges that don't belong to a table.
enum RolePrivileges {
    /// Creates the roles that are missing.
    static func createRoles(_ roles: [DatabaseRole], in session: Session) throws(PostgresError) {
        for role in roles {
            let exists = try session.row("SELECT 1 FROM pg_roles WHERE rolname = \(role.rawValue)", as: Int32.self)
            if exists == nil { try session.script(Script(creating: role)) }
        }
    }

    /// Revokes privileges that PostgreSQL gives everybody and the services don't need, and limits the services' connections.
    ///
    /// A managed PostgreSQL may reserve some of this for a superuser. The rest is then done, and the operator is told.
    static func restrict(
        _ roles: [DatabaseRole], connections: Int?, by owner: PostgresClient, report: @Sendable (String) -> Void
    ) async throws {
        do {
            try await owner.transaction { session in
                try Schema.takeLock(in: session)
                try session.script(CatalogGrants.script)
            }
        } catch let error as PostgresError where error.sqlState == .insufficientPrivilege {
            report(
                "Services may use functions of PostgreSQL that they don't need (locks of others, large objects, "
                    + "statistics), and only a superuser can change that: deploy/postgres/catalog.sql.")
        }
        try await owner.transaction { session in
            try Schema.takeLock(in: session)
            // Temporary tables are tables, too.
            try session.script(
                """
                DO $$ BEGIN
                    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
                END $$
                """)
            for role in roles where role.marksCommits { try session.script(CatalogGrants.commitMark(for: role)) }
        }
        guard let connections else { return }
        do {
            try await limit(roles, to: connections, by: owner)
        } catch let error as PostgresError where error.sqlState == .insufficientPrivilege {
            report(
                "The services' roles may have any number of connections, because the owner may not change them: let a "
                    + "superuser set CONNECTION LIMIT \(connections) for each.")
        }
        try await compare(connections, by: owner, report: report)
    }

    private static func limit(_ roles: [DatabaseRole], to connections: Int, by owner: PostgresClient) async throws {
        try await owner.transaction { session in
            try Schema.takeLock(in: session)
            for role in roles {
                let limit = try session.row(
                    "SELECT rolconnlimit FROM pg_roles WHERE rolname = \(role.rawValue)", as: Int32.self)
                guard limit.map(Int.init) != connections else { continue }
                try session.script("ALTER ROLE \(identifier: role.identifier) CONNECTION LIMIT \(connections)")
            }
        }
    }

    /// Reports if all roles together may open more connections than the server allows.
    private static func compare(
        _ connections: Int, by owner: PostgresClient, report: @Sendable (String) -> Void
    ) async throws {
        let server = try await owner.session { session in
            try session.row(
                """
                SELECT current_setting('max_connections')::integer,
                    current_setting('superuser_reserved_connections')::integer
                """, as: Int32.self, Int32.self)
        }
        guard let (most, reserved) = server else { return }
        let needed = DatabaseRole.connections(each: connections, reserved: Int(reserved))
        guard needed > Int(most) else { return }
        report(
            "\(DatabaseRole.allCases.count) roles with \(connections) connections each, \(reserved) reserved for superusers and 2 for the owner "
                + "are \(needed), but max_connections is \(most): services can use up each other's connections.")
    }
}

extension Script {
    /// Roles belong to the whole cluster but the lock belongs to one database, so another database's migration may create the
    /// role first.
    fileprivate init(creating role: DatabaseRole) {
        self = """
            DO $$ BEGIN
                CREATE ROLE \(identifier: role.identifier) LOGIN;
            EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
            END $$
            """
    }
}
