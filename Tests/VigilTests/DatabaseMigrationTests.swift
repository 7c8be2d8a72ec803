import Postgres
import Schema
import TestSupport
import Testing
import Vigil

@Suite(.enabled(if: PrivateServer.programs != nil, "needs PostgreSQL's programs"))
struct DatabaseMigrationTests {
    @Test func `without passwords every service's role may log in where none is asked for, and nobody else may`()
        async throws
    {
        try await PrivateServer.with(try #require(PrivateServer.programs)) { server in
            try await server.untilReady()
            try await TestPostgres.withClient(server.connection) {
                try await $0.session {
                    try $0.script("CREATE ROLE vigil_owner LOGIN CREATEROLE; CREATE ROLE stranger LOGIN")
                    try $0.execute("CREATE DATABASE vigil OWNER vigil_owner")
                    try $0.execute("REVOKE CONNECT ON DATABASE vigil FROM PUBLIC")
                }
            }
            // Again, as each new version does.
            for _ in 0..<2 {
                try await DatabaseMigration.run(
                    connection: server.connection(user: "vigil_owner", database: "vigil"), passwordsFrom: nil
                ) { _ in }
            }
            for role in DatabaseRole.allCases {
                #expect(try await Self.logsIn(role.rawValue, to: server), "\(role)")
            }
            #expect(try await !Self.logsIn("stranger", to: server))
        }
    }

    private static func logsIn(_ user: String, to server: PrivateServer) async throws -> Bool {
        try await TestPostgres.withClient(server.connection(user: user, database: "vigil")) { await $0.isHealthy() }
    }
}
