import Calling
import Credentials
import HTTPTypes
import Postgres
import Running
import TestSupport
import Testing
import VerificationAPI

/// After a failover, a server of PostgreSQL that no longer leads may not know that yet. It misses what its successor acknowledged, and
/// no standby confirms its commits.
@Suite(
    .serialized, .enabled(if: PrivateServer.programs != nil, "needs PostgreSQL's programs"), .heavy,
    .timeLimit(.minutes(5)))
struct LostLeadTests {
    @Test("a phone isn't refused because of what a database misses that no longer leads, and is told what it has")
    func lostLead() async throws {
        let settings = ["synchronous_standby_names=nobody"]
        try await PrivateServer.with(try #require(PrivateServer.programs), settings: settings) { server in
            try await server.untilReady()
            try await Self.letCommits(wait: false, on: server)
            let database = try await MigratedDatabase(migrating: server.connection)
            try await InProcessSuite.run(clock: .system, on: database) { suite in
                try await suite.withDirectCallers { apps, _ in
                    var randomness = SystemRandomNumberGenerator()
                    let unknown = RegistrationToken(RandomIdentifier(using: &randomness))
                    let pending = try await Self.register("pending", in: apps)
                    let positive = try await Self.register("positive", in: apps)
                    try await Self.execute(
                        """
                        INSERT INTO test_results.result (id, code, sample_collected, created_at)
                        VALUES (\(HashedGUID(hashing: "positive").text), 2, 0, now())
                        """, on: server)

                    try await Self.letCommits(wait: true, on: server)
                    async let result = Self.failure { try await Self.testResult(unknown, from: apps) }
                    async let unknownTAN = Self.failure { try await Self.tan(unknown, from: apps) }
                    async let pendingTAN = Self.failure { try await Self.tan(pending, from: apps) }
                    #expect(try await Self.testResult(positive, from: apps).testResult == .pcrPositive)
                    let tan = try await Self.tan(positive, from: apps)
                    #expect(await [result, unknownTAN, pendingTAN] == [.unavailable, .unavailable, .unavailable])

                    // The same questions to a server that leads: the control.
                    try await Self.letCommits(wait: false, on: server)
                    let answers = [
                        await Self.failure { try await Self.testResult(unknown, from: apps) },
                        await Self.failure { try await Self.tan(unknown, from: apps) },
                        await Self.failure { try await Self.tan(pending, from: apps) },
                    ]
                    #expect(answers == [CallError?](repeating: .refused(.badRequest), count: 3))
                    #expect(try await Self.tan(positive, from: apps) == tan)
                }
            }
        }
    }

    private static func register(_ guid: String, in apps: ServiceClient) async throws -> RegistrationToken {
        try await apps.call(
            VerificationAPI.registrationToken, RegistrationTokenRequest(.guid(HashedGUID(hashing: guid)))
        ).registrationToken
    }

    private static func testResult(
        _ token: RegistrationToken, from apps: ServiceClient
    ) async throws -> TestResultResponse {
        try await apps.call(VerificationAPI.testResult, RegisteredTestRequest(token))
    }

    private static func tan(_ token: RegistrationToken, from apps: ServiceClient) async throws -> TAN {
        try await apps.call(VerificationAPI.tan, RegisteredTestRequest(token)).tan
    }

    /// How a call failed; nil if it didn't, or otherwise.
    private static func failure(of call: () async throws -> some Sendable) async -> CallError? {
        do {
            _ = try await call()
            return nil
        } catch {
            return error as? CallError
        }
    }

    /// Whether commits wait for a standby, which isn't there. Returns when that is so for all connections.
    private static func letCommits(wait: Bool, on server: PrivateServer) async throws {
        let value = Identifier(wait ? "on" : "local")
        try await execute("ALTER SYSTEM SET synchronous_commit = \(identifier: value)", on: server)
        try await execute("SELECT pg_reload_conf()", on: server)
        // Once a new connection has the new value, the others have been told: they read it before their next statement.
        var current: String?
        while current != value.name {
            current = try await TestPostgres.withClient(server.connection) { client in
                try await client.session { try $0.row("SHOW synchronous_commit", as: String.self) }
            }
        }
    }

    private static func execute(_ statement: SQL, on server: PrivateServer) async throws {
        try await TestPostgres.withClient(server.connection) { client in
            _ = try await client.session { try $0.execute(statement) }
        }
    }
}
