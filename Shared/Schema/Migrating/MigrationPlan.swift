package import Postgres

/// What ``Schema/migrate(owner:attempts:connections:report:)`` would apply to a database.
package struct MigrationPlan: Sendable, Equatable {
    /// The steps that are missing, in the order in which they would be applied, each with its name.
    package let steps: [Planned]

    /// A missing step.
    package struct Planned: Sendable, Equatable {
        /// Its schema and number.
        package let step: MigrationStep
        /// What it does.
        package let name: String
    }
}

extension Schema {
    /// Compares a database with this build and changes nothing.
    /// - Throws: ``SchemaMismatch`` if a schema is newer than this build; ``ChangedMigration``.
    package static func plan(for owner: PostgresClient) async throws -> MigrationPlan {
        try await owner.transaction { session in
            // So that it can't change anything, whatever it is.
            try session.execute("SET TRANSACTION READ ONLY")
            let hasRecord = try MigrationRecord.exists(in: session)
            var missing: [MigrationPlan.Planned] = []
            for schema in all {
                let found = hasRecord ? try MigrationRecord.version(of: schema, in: session) : 0
                guard found <= schema.version else { throw SchemaMismatch(schema, found: found) }
                for (index, migration) in schema.migrations.enumerated() {
                    let step = MigrationStep(schema: schema.name, number: Int32(index + 1))
                    guard hasRecord, let checksum = try MigrationRecord.checksum(of: step, in: session) else {
                        missing.append(MigrationPlan.Planned(step: step, name: migration.name))
                        continue
                    }
                    guard checksum == migration.checksum else { throw ChangedMigration(step: step) }
                }
            }
            return MigrationPlan(steps: missing)
        }
    }
}
