import Logging
import Postgres
import TestSupport
import Testing

@Suite(
    "When the server goes away",
    .enabled(if: TestPostgres.isAvailable && PrivateServer.programs != nil, "needs PostgreSQL's programs"),
    .timeLimit(.minutes(5)))
struct ServerRestartTests {
    @Test("while the server is down callers get an error, and when it is back the pool recovers")
    func restart() async throws {
        let programs = try #require(PrivateServer.programs)
        try await PrivateServer.with(programs) { server in
            let configuration = PostgresConfiguration(
                connection: server.connection, applicationName: "test", maximumConnections: 3,
                acquireDeadline: .seconds(1))
            var patient = configuration
            patient.acquireDeadline = .seconds(30)
            try await TestPostgres.withClient(configuration) { client in
                try await TestPostgres.withClient(patient) { patientClient in
                    try await patientClient.session { try $0.execute("SELECT 1") }
                    #expect(await patientClient.isHealthy())
                    #expect(await client.isHealthy())
                    try await client.session { try $0.script("CREATE TABLE t (x int); CHECKPOINT") }

                    await server.stop()
                    for _ in 0..<3 {
                        let error = await #expect(throws: PostgresError.self) {
                            try await client.session { try $0.execute("SELECT 1") }
                        }
                        #expect(error?.code == .connection)
                        #expect(error?.isUnavailable == true)
                    }
                    #expect(await !client.isHealthy())

                    // A caller with a long timeout is served as soon as the server is back.
                    async let waiting = patientClient.transaction { try $0.execute("INSERT INTO t VALUES (1)") }
                    try await server.start()
                    let inserted = try await waiting
                    #expect(inserted == 1)
                    let count = try await client.session { try $0.row("SELECT count(*) FROM t", as: Int.self) }
                    #expect(count == 1)
                    #expect(await client.isHealthy())
                }
            }
        }
    }

    @Test("a crash in mid-transaction is an error, and the next transaction works once the server is back")
    func crash() async throws {
        let programs = try #require(PrivateServer.programs)
        try await PrivateServer.with(programs) { server in
            let configuration = PostgresConfiguration(
                connection: server.connection, applicationName: "test", maximumConnections: 1,
                acquireDeadline: .seconds(30))
            try await TestPostgres.withClient(configuration) { client in
                let (started, start) = AsyncStream<Void>.makeStream()
                try await withThrowingTaskGroup { group in
                    group.addTask {
                        let error = await #expect(throws: PostgresError.self) {
                            try await client.transaction { session in
                                start.finish()
                                while true { try session.execute("SELECT pg_sleep(0.01)") }
                            }
                        }
                        #expect(error?.code == .connection)
                    }
                    for await _ in started {}
                    await server.stop()
                    try await group.waitForAll()
                }
                try await server.start()
                let answer = try await client.session { try $0.row("SELECT 1", as: Int.self) }
                #expect(answer == 1)
            }
        }
    }
}
