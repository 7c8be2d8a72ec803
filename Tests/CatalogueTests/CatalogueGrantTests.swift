import Catalogue
import Postgres
import Schema
import TestSupport
import Testing

/// What services read of each other, as the migrated database grants it.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct CatalogueGrantTests {
    @Test(
        "a service reads the other services' tables that the catalogue names, and no other",
        arguments: Catalogue.services)
    func reads(service: Catalogue.Service) async throws {
        guard let database = service.database else { return }
        // Every service reads the schema versions, which are in the schema `vigil`.
        let own = Schema.all.filter { $0.roles.contains(database.role) }.map(\.name) + ["vigil"]
        let found = try await TestPostgres.withMigratedDatabase { migrated in
            try await TestPostgres.withClient(migrated.superuserConnection) { superuser in
                try await superuser.session { session in
                    try session.rows(
                        """
                        SELECT format('%s.%s', nspname, relname)
                        FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                        WHERE relkind IN ('r', 'p', 'v') AND nspname <> ALL (\(own))
                          AND nspname NOT IN ('pg_catalog', 'information_schema')
                          AND has_any_column_privilege(\(database.role.rawValue), pg_class.oid, 'SELECT')
                        """, as: String.self)
                }
            }
        }
        #expect(Set(found) == database.reads)
    }
}
