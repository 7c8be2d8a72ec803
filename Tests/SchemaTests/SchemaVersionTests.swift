import Postgres
import TestSupport
import Testing

@testable import Schema

/// Which versions of which schemas a service starts with.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct SchemaVersionTests {
    /// The schemas that belong to services.
    private static let services = Schema.all.filter { !$0.roles.isEmpty }

    /// Calls a body with a database that was migrated by a build that has other schemas than this one.
    private func withDatabase(of schemas: [Schema], _ body: (MigratedDatabase) async throws -> Void) async throws {
        try await TestPostgres.withDatabase { connection in
            try await TestPostgres.withClient(connection) { try await Schema.migrate(schemas, owner: $0) }
            try await body(MigratedDatabase(superuserConnection: connection))
        }
    }

    /// What each service finds wrong when it starts, by schema.
    private func problems(_ database: MigratedDatabase) async throws -> [String: SchemaMismatch] {
        var problems: [String: SchemaMismatch] = [:]
        for schema in Self.services {
            for role in schema.roles {
                try await TestPostgres.withClient(database.connection(as: role)) { service in
                    do {
                        try await schema.check(service)
                    } catch let problem as SchemaMismatch {
                        problems[schema.name] = problem
                    }
                }
            }
        }
        return problems
    }

    /// All schemas, one of them with other steps.
    private func all(but name: String, changed: (inout [Migration]) -> Void) -> [Schema] {
        Schema.all.map { schema in
            var copy = schema
            if schema.name == name { changed(&copy.migrations) }
            return copy
        }
    }

    @Test("on a database of the same build every service starts")
    func same() async throws {
        try await withDatabase(of: Schema.all) { database in
            let problems = try await problems(database)
            #expect(problems.isEmpty)
        }
    }

    @Test("a service whose own schema is newer is refused, and no other", arguments: services.map(\.name))
    func newer(name: String) async throws {
        let schemas = all(but: name) { $0.append(Migration("of tomorrow", "SELECT 1")) }
        let schema = try #require(Schema.all.first { $0.name == name })
        let problem = SchemaMismatch(schema: name, found: schema.version + 1, needed: schema.version)
        #expect(
            problem.description
                == "The database schema \(name) has version \(schema.version + 1), this program knows "
                + "\(schema.version): start a newer build.")
        try await withDatabase(of: schemas) { database in
            #expect(try await problems(database) == [name: problem])
            try await TestPostgres.withClient(database.superuserConnection) { owner in
                let error = await #expect(throws: SchemaMismatch.self) { try await Schema.migrate(owner: owner) }
                #expect(error == problem)
            }
        }
    }

    @Test("a service whose own schema is older is refused until it is migrated", arguments: services.map(\.name))
    func older(name: String) async throws {
        let schemas = all(but: name) { $0.removeLast() }
        let schema = try #require(Schema.all.first { $0.name == name })
        let problem = SchemaMismatch(schema: name, found: schema.version - 1, needed: schema.version)
        #expect(
            problem.description
                == "The database schema \(name) has version \(schema.version - 1), this program needs "
                + "\(schema.version): run `vigil migrate` first.")
        // Nor does a service start that needs what the last step brings.
        let readers = Self.services.filter { service in
            service.reads.contains { $0.schema.name == name && $0.version == schema.version }
        }
        let expected = Dictionary(uniqueKeysWithValues: ([schema] + readers).map { ($0.name, problem) })
        try await withDatabase(of: schemas) { database in
            #expect(try await problems(database) == expected)
            try await TestPostgres.withClient(database.superuserConnection) { try await Schema.migrate(owner: $0) }
            #expect(try await problems(database).isEmpty)
        }
    }

    @Test("a schema that this build doesn't know stops nobody, and a migration leaves it as it is")
    func unknown() async throws {
        let portal = Schema(
            "portal", roles: [],
            migrations: [Migration("pages", "CREATE SCHEMA portal; CREATE TABLE portal.page (number integer);")])
        try await withDatabase(of: Schema.all + [portal]) { database in
            #expect(try await problems(database).isEmpty)
            try await TestPostgres.withClient(database.superuserConnection) { owner in
                try await Schema.migrate(owner: owner)
                try await portal.check(owner)
                let pages = try await owner.session { try $0.row("SELECT count(*) FROM portal.page", as: Int.self) }
                #expect(pages == 0)
            }
        }
    }

    @Test("a service whose step fails has none of it, and the others work")
    func failing() async throws {
        let schemas = all(but: "push_dispatcher") {
            $0.append(Migration("fails", "CREATE TABLE push_dispatcher.half (x integer); SELECT 1 / 0;"))
        }
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.superuserConnection) { owner in
                await #expect(throws: PostgresError.self) { try await Schema.migrate(schemas, owner: owner) }
                let half = try await owner.session {
                    try $0.row("SELECT to_regclass('push_dispatcher.half') IS NULL", as: Bool.self)
                }
                #expect(half == true)
            }
            #expect(try await problems(database).isEmpty)
        }
    }

    // MARK: Reading another schema

    /// Each schema that is read, with the service that reads it.
    private static let readings = services.flatMap { reader in
        reader.reads.map { (reader: reader, schema: $0.schema, version: $0.version) }
    }

    @Test("whoever reads another schema needs the version that it declares, and no higher one")
    func foreignVersion() async throws {
        #expect(!Self.readings.isEmpty)
        for (reader, schema, version) in Self.readings {
            #expect((1...schema.version).contains(version))
            let older = all(but: schema.name) { $0 = Array($0.prefix(Int(version) - 1)) }
            try await withDatabase(of: older) { database in
                let problem = try await problems(database)[reader.name]
                #expect(problem == SchemaMismatch(schema: schema.name, found: version - 1, needed: version))
            }
            let enough = all(but: schema.name) { $0 = Array($0.prefix(Int(version))) }
            try await withDatabase(of: enough) { database in
                #expect(try await problems(database)[reader.name] == nil)
                let readable = try await readable(schema, for: reader, in: database)
                #expect(!readable.isEmpty)
                let newest = try await TestPostgres.withMigratedDatabase { newest in
                    try await self.readable(schema, for: reader, in: newest)
                }
                #expect(readable == newest)
            }
        }
    }

    @Test("no role can reach a schema but its own, the common one, and those of which it declares the version")
    func declared() async throws {
        try await TestPostgres.withMigratedDatabase { database in
            for reader in Self.services {
                let declared = [reader.name, Schema.common.name] + reader.reads.map(\.schema.name)
                for schema in Schema.all where !declared.contains(schema.name) {
                    let readable = try await readable(schema, for: reader, in: database)
                    #expect(readable.isEmpty, "\(reader.name) \(schema.name)")
                }
            }
        }
    }

    /// The columns that the roles of a schema may read in another one.
    private func readable(
        _ schema: Schema, for reader: Schema, in database: MigratedDatabase
    ) async throws -> [String] {
        try await TestPostgres.withClient(database.superuserConnection) { superuser in
            try await superuser.session { session in
                try session.rows(
                    """
                    SELECT format('%s %s.%s', rolname, relname, attname)
                    FROM pg_roles, pg_class JOIN pg_attribute ON attrelid = pg_class.oid
                    WHERE rolname = ANY (\(reader.roles.map(\.rawValue))) AND attnum > 0 AND NOT attisdropped
                      AND relnamespace = to_regnamespace(\(schema.name)) AND relkind IN ('r', 'p', 'v') AND NOT relispartition
                      AND has_schema_privilege(rolname, relnamespace, 'USAGE')
                      AND has_column_privilege(rolname, pg_class.oid, attnum, 'SELECT, INSERT, UPDATE')
                    ORDER BY 1
                    """, as: String.self)
            }
        }
    }

    // MARK: No record

    @Test("a database without a record is refused")
    func noRecord() async throws {
        try await TestPostgres.withDatabase { connection in
            try await TestPostgres.withClient(connection) { client in
                for schema in Self.services {
                    let error = await #expect(throws: SchemaMismatch.self) { try await schema.check(client) }
                    #expect(error == SchemaMismatch(schema: schema.name, found: 0, needed: schema.version))
                }
            }
        }
    }
}
