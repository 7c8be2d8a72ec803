package import Postgres
package import Schema

/// What a private cluster needs before migrations can run, and the passwords of the roles that they make.
package enum SuiteDatabase {
    /// The one database of a suite.
    package static let name = "vigil"

    /// Makes the role that owns all tables, and the database, if they are missing. The database is marked as a rehearsal's, so that
    /// services with a moved clock put up with it.
    /// - Parameter superuser: connected to the database `postgres`.
    package static func create(superuser: PostgresClient, ownerPassword: String) async throws {
        try await superuser.session { session in
            let owner = try session.row("SELECT 1 FROM pg_roles WHERE rolname = \(DatabaseRole.owner)", as: Int32.self)
            if owner == nil { try session.script("CREATE ROLE vigil_owner LOGIN CREATEROLE") }
            let database = try session.row("SELECT 1 FROM pg_database WHERE datname = \(name)", as: Int32.self)
            if database == nil { try session.script("CREATE DATABASE vigil OWNER vigil_owner TEMPLATE template0") }
            try session.script("ALTER DATABASE vigil SET vigil.rehearsal = 'on'")
            // No service needs another database than this one.
            try session.script(
                """
                REVOKE CONNECT ON DATABASE postgres FROM PUBLIC;
                REVOKE CONNECT, TEMPORARY ON DATABASE vigil FROM PUBLIC;
                """)
        }
        try await setPassword(ownerPassword, of: DatabaseRole.owner, in: superuser)
    }

    /// Takes from everybody what only a superuser can take.
    /// - Parameter superuser: connected to the suite's database.
    package static func restrict(superuser: PostgresClient) async throws {
        try await superuser.session { try $0.script(CatalogGrants.script) }
    }

    /// Lets the services log in.
    /// - Parameters:
    ///   - owner: connected as a role that may change the services' roles, after the migrations.
    ///   - password: of each role.
    package static func allowLogin(
        owner: PostgresClient, password: (DatabaseRole) throws -> String
    ) async throws {
        for role in DatabaseRole.allCases {
            try await setPassword(try password(role), of: role.rawValue, in: owner)
            guard let identifier = Identifier(validating: role.rawValue) else { continue }
            try await owner.session {
                try $0.script("GRANT CONNECT ON DATABASE vigil TO \(identifier: identifier)")
            }
        }
    }

    private static func setPassword(_ password: String, of role: String, in client: PostgresClient) async throws {
        guard let identifier = Identifier(validating: role) else { return }
        let verifier = SCRAMVerifier(password: password)
        try await client.session {
            try $0.script("ALTER ROLE \(identifier: identifier) LOGIN PASSWORD \(literal: verifier.text)")
        }
    }
}
