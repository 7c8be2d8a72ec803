import Logging
import Postgres
import Schema
import Synchronization
import TestSupport
import Testing

/// On a server of their own: a role's limit counts for all databases.
@Suite(.enabled(if: PrivateServer.programs != nil, "PostgreSQL's programs are not installed"), .timeLimit(.minutes(5)))
struct ConnectionLimitTests {
    @Test("a role at its connection limit gets a clear error, and the others can connect")
    func limit() async throws {
        try await PrivateServer.with(try #require(PrivateServer.programs)) { server in
            try await TestPostgres.withClient(server.connection) { superuser in
                try await Schema.migrate(owner: superuser, connections: 3)
            }
            let submission = "\(server.connection) user=vigil_submission"
            // Each keeps the connection that it has made.
            let crowd = (0..<3).map { _ in
                PostgresClient(
                    PostgresConfiguration(connection: submission, applicationName: "crowd", maximumConnections: 1),
                    logger: Logger(label: "crowd"))
            }
            for client in crowd { try await client.session { try $0.execute("SELECT 1") } }
            try await TestPostgres.withClient(
                PostgresConfiguration(
                    connection: submission, applicationName: "one more", acquireDeadline: .milliseconds(500))
            ) { client in
                let error = await #expect(throws: PostgresError.self) {
                    try await client.session { try $0.execute("SELECT 1") }
                }
                #expect(error?.sqlState == .tooManyConnections)
                #expect(error?.description.contains("limit of connections") == true)
            }
            try await TestPostgres.withClient("\(server.connection) user=vigil_distribution") { other in
                let answer = try await other.session { try $0.row("SELECT 1", as: Int.self) }
                #expect(answer == 1)
            }
            for client in crowd { await client.close() }
        }
    }

    @Test("a service whose pool is too large for its role doesn't start, and the owner is told of too few connections")
    func arithmetic() async throws {
        let settings = ["max_connections=20"]
        try await PrivateServer.with(try #require(PrivateServer.programs), settings: settings) { server in
            let told = Mutex<[String]>([])
            try await TestPostgres.withClient(server.connection) { superuser in
                try await Schema.migrate(owner: superuser, connections: 3)
                try await Schema.migrate(owner: superuser, connections: 4) { sentence in
                    told.withLock { $0.append(sentence) }
                }
            }
            #expect(
                told.withLock { $0 } == [
                    "11 roles with 4 connections each, 3 reserved for superusers and 2 for the owner are 49, but "
                        + "max_connections is 20: services can use up each other's connections."
                ])
            let submission = "\(server.connection) user=vigil_submission"
            try await TestPostgres.withClient(submission, maximumConnections: 4) {
                try await Schema.submission.check($0)
            }
            try await TestPostgres.withClient(submission, maximumConnections: 5) { client in
                let error = await #expect(throws: ConnectionLimit.self) { try await Schema.submission.check(client) }
                #expect(error?.limit == 4)
            }
        }
    }
}
