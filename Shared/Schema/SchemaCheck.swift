package import Postgres
import Running

extension Schema {
    /// Refuses a database that a service of this schema can't work with. Other schemas may have any version.
    /// - Throws: ``SchemaMismatch`` if this schema is older or newer than this build, or if one that it reads is older than
    ///   needed; ``ConnectionLimit`` if the pool is larger than the role's limit.
    package func check(_ database: PostgresClient) async throws {
        try await database.session { session in
            let hasRecord = try MigrationRecord.exists(in: session)
            func version(of schema: Schema) throws -> Int32 {
                hasRecord ? try MigrationRecord.version(of: schema, in: session) : 0
            }
            let own = try version(of: self)
            guard own == self.version else { throw SchemaMismatch(self, found: own) }
            for foreign in reads {
                let found = try version(of: foreign.schema)
                guard found >= foreign.version else {
                    throw SchemaMismatch(schema: foreign.schema.name, found: found, needed: foreign.version)
                }
            }
        }
        let role = try await database.session { session in
            try session.row(
                "SELECT rolname::text, rolconnlimit FROM pg_roles WHERE rolname = current_user", as: String.self,
                Int32.self)
        }
        if let (name, limit) = role, limit >= 0, database.maximumConnections > Int(limit) {
            throw ConnectionLimit(role: name, limit: limit, wanted: database.maximumConnections)
        }
    }
}

/// A schema of the database doesn't have the version that this program needs.
package struct SchemaMismatch: OperatorProblem, Equatable {
    /// The schema's name.
    package let schema: String
    /// The number of the last applied migration; 0 if there is none.
    package let found: Int32
    /// The version that this program needs.
    package let needed: Int32

    package var description: String {
        found < needed
            ? "The database schema \(schema) has version \(found), this program needs \(needed): run `vigil migrate` first."
            : "The database schema \(schema) has version \(found), this program knows \(needed): start a newer build."
    }
}

extension SchemaMismatch {
    /// Creates a mismatch for a schema that should have this build's version.
    init(_ schema: Schema, found: Int32) {
        self.init(schema: schema.name, found: found, needed: schema.version)
    }
}

/// A service is configured with more connections than its role may open.
package struct ConnectionLimit: OperatorProblem, Equatable {
    /// The service's role.
    package let role: String
    /// The role's connection limit, for all replicas together.
    package let limit: Int32
    /// The number of connections of one replica.
    package let wanted: Int

    package var description: String {
        "postgres.maximumConnections is \(wanted), but \(role) may have \(limit) connections, for all replicas together: "
            + "lower it, or run `vigil migrate --connections` with a higher number."
    }
}
