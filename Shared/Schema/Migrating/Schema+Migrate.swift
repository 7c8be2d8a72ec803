package import Postgres
import Running

extension Schema {
    /// The advisory lock that every migrating process takes, so that only one migrates. The number is arbitrary.
    private static let lock: Int64 = 0x7669_6769_6c00_0001

    /// Migrates every schema of a database to this build's version: first roles and their privileges, then every missing step,
    /// each in a transaction of its own.
    ///
    /// Schemas that this build doesn't know are left unchanged.
    /// - Parameters:
    ///   - owner: connected as the role that shall own the tables. It must be allowed to create roles, unless the services'
    ///     roles exist.
    ///   - attempts: the attempts at a step whose tables are in use. Each lasts a second and is followed by a pause of about a
    ///     second.
    ///   - connections: the connection limit of each service's role; nil leaves it unchanged.
    ///   - country: what the services shall agree on. What isn't named stays; a new suite has the standard then.
    ///   - changesCountry: whether to replace what is recorded.
    ///   - report: receives one sentence per step, and one for everything that this database doesn't let the owner do.
    /// - Throws: ``SchemaMismatch`` if a schema is newer than this build; ``CountryMismatch`` if the suite is another country's. Then
    ///   nothing has changed. ``ChangedMigration``; ``BlockedMigration``.
    package static func migrate(
        owner: PostgresClient, attempts: Int = 60, connections: Int? = nil, country: [CountryFact: String] = [:],
        changesCountry: Bool = false, report: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws {
        try await migrate(
            all, owner: owner, attempts: attempts, connections: connections, country: country,
            changesCountry: changesCountry, report: report)
    }

    /// The same for a list of schemas.
    static func migrate(
        _ schemas: [Schema], owner: PostgresClient, attempts: Int = 60, connections: Int? = nil,
        country: [CountryFact: String] = [:], changesCountry: Bool = false,
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws {
        let roles = schemas.flatMap(\.roles)
        let steps = Attempts(limit: attempts, owner: owner, report: report)
        @Sendable func settleCountry(in session: Session) throws -> [String] {
            guard try CountryRecord.exists(in: session) else { return [] }
            return try CountryRecord.settle(country, replaces: changesCountry, in: session)
        }
        let changes = try await steps.transaction("The record of migrations") { session in
            try RolePrivileges.createRoles(roles, in: session)
            try MigrationRecord.prepare(for: roles, in: session)
            for schema in schemas {
                let found = try MigrationRecord.version(of: schema, in: session)
                guard found <= schema.version else { throw SchemaMismatch(schema, found: found) }
            }
            return try settleCountry(in: session)
        }
        changes.forEach(report)
        try await RolePrivileges.restrict(roles, connections: connections, by: owner, report: report)
        for schema in schemas {
            for (index, migration) in schema.migrations.enumerated() {
                let step = MigrationStep(schema: schema.name, number: Int32(index + 1))
                let isNew = try await steps.transaction("Migration \(step)") { try apply(migration, as: step, in: $0) }
                if isNew { report("Applied migration \(step): \(migration.name).") }
            }
        }
        // Of a database whose migrations have just made the table.
        _ = try await steps.transaction("The record of the country") { try settleCountry(in: $0) }
    }

    /// The first statement of each transaction that changes the schema or the roles.
    static func takeLock(in session: Session) throws(PostgresError) {
        try session.execute("SELECT pg_advisory_xact_lock(\(lock))")
    }

    /// - Returns: false if the step was already applied.
    private static func apply(_ migration: Migration, as step: MigrationStep, in session: Session) throws -> Bool {
        if let checksum = try MigrationRecord.checksum(of: step, in: session) {
            guard checksum == migration.checksum else { throw ChangedMigration(step: step) }
            return false
        }
        try session.script(migration.script)
        try MigrationRecord.add(migration, as: step, in: session)
        return true
    }

    /// Repeats a transaction that may have to wait for a table.
    ///
    /// While it waits, everybody who wants the table later waits as well. So each attempt waits for at most a second and then
    /// lets the others pass, and requests continue.
    private struct Attempts {
        let limit: Int
        let owner: PostgresClient
        let report: @Sendable (String) -> Void

        /// - Parameter name: the purpose of the transaction, for messages.
        func transaction<R: Sendable>(
            _ name: String, _ body: @escaping @Sendable (Session) throws -> R
        ) async throws -> R {
            for attempt in 1...limit {
                do {
                    return try await owner.transaction { session in
                        try takeLock(in: session)
                        try session.execute("SET LOCAL lock_timeout = '1s'")
                        return try body(session)
                    }
                } catch let error as PostgresError where error.sqlState == .lockNotAvailable {
                    if attempt == 1 { report("\(name) waits for tables that are in use …") }
                    if attempt < limit { try await Task.sleep(for: .seconds(.random(in: 0.5...1.5))) }
                }
            }
            throw BlockedMigration(name: name)
        }
    }
}

/// A step by its schema and number, such as `submission 3`.
package struct MigrationStep: Sendable, Equatable, CustomStringConvertible {
    /// The schema's name.
    package let schema: String
    /// The schema's version after the step.
    package let number: Int32

    package var description: String { "\(schema) \(number)" }
}

/// A released migration differs from the applied one.
package struct ChangedMigration: OperatorProblem, Equatable {
    /// The step whose checksum differs.
    package let step: MigrationStep

    package var description: String {
        "Migration \(step) was applied with another content than this program has: start the build that belongs to the "
            + "database, or restore a backup."
    }
}

/// Long transactions kept a step from locking the tables that it changes.
package struct BlockedMigration: OperatorProblem, Equatable {
    /// The step that wasn't applied. Every step before it was.
    package let name: String

    package var description: String {
        "\(name) could not be applied, because its tables were in use at every attempt. Nothing of it was done. "
            + "pg_stat_activity shows who has been in a transaction for long (xact_start); run `vigil migrate` again later."
    }
}
