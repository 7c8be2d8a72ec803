package import Postgres
import Schema
import Vigil

/// Sets up a private cluster for migrations.
package enum SuiteDatabase {
    /// The one database of a suite.
    package static let name = "vigil"

    /// Creates the role that owns all tables, and the database, if they are missing.
    ///
    /// The setting `vigil.rehearsal` marks the database as one for tests, so that services accept a shifted clock.
    /// - Parameter superuser: connected to the database `postgres`.
    package static func create(superuser: PostgresClient, ownerPassword: String) async throws {
        try await superuser.session { session in
            let owner = try session.row("SELECT 1 FROM pg_roles WHERE rolname = \(DatabaseRole.owner)", as: Int32.self)
            if owner == nil { try session.script("CREATE ROLE vigil_owner LOGIN CREATEROLE") }
            let database = try session.row("SELECT 1 FROM pg_database WHERE datname = \(name)", as: Int32.self)
            if database == nil { try session.script("CREATE DATABASE vigil OWNER vigil_owner TEMPLATE template0") }
            try session.script("ALTER DATABASE vigil SET vigil.rehearsal = 'on'")
            // No service needs any other database.
            try session.script(
                """
                REVOKE CONNECT ON DATABASE postgres FROM PUBLIC;
                REVOKE CONNECT, TEMPORARY ON DATABASE vigil FROM PUBLIC;
                """)
        }
        try await ServiceLogins.setPassword(ownerPassword, of: DatabaseRole.owner, in: superuser)
    }

    /// Revokes the privileges that only a superuser can revoke.
    /// - Parameter superuser: connected to the suite's database.
    package static func restrict(superuser: PostgresClient) async throws {
        try await superuser.session { try $0.script(CatalogGrants.script) }
    }
}
