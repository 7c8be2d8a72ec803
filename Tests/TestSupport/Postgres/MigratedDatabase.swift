package import FoundationEssentials
package import Postgres
import Running
package import Schema

extension TestPostgres {
    /// Calls `body` with a new database that has the newest schema and is dropped afterwards.
    package static func withMigratedDatabase<R: Sendable>(
        _ body: (MigratedDatabase) async throws -> R
    ) async throws -> R {
        try await withDatabase(template: "vigil") {
            try await Schema.migrate(owner: $0)
        } _: { connection in
            try await body(MigratedDatabase(superuserConnection: connection))
        }
    }
}

/// A database with the newest schema.
package struct MigratedDatabase: Sendable {
    /// The superuser's connection string, for looking at what no service may see.
    package let superuserConnection: String

    /// Wraps a database that already has the newest schema.
    package init(superuserConnection: String) {
        self.superuserConnection = superuserConnection
    }

    /// Migrates an empty database to the newest schema.
    package init(migrating superuserConnection: String) async throws {
        try await TestPostgres.withClient(superuserConnection) { try await Schema.migrate(owner: $0) }
        self.init(superuserConnection: superuserConnection)
    }

    /// The connection string of a service, with its own role and nothing more.
    package func connection(as role: DatabaseRole) -> String {
        // libpq takes the last of two users.
        "\(superuserConnection) user=\(role.rawValue)"
    }
}

extension Retention {
    /// Applies every retention rule of one service, in a database whose clock shows the same instant.
    package static func apply(
        _ role: DatabaseRole, at now: Date, in database: PostgresClient
    ) async throws -> [(rule: String, removed: Int)] {
        let clock = DatabaseClock(of: database, movedLike: ManualClock(now).clock)
        return try await apply(role, at: now, by: clock, in: database)
    }
}
