import Logging
import Postgres
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@Suite("The pool", .enabled(if: TestPostgres.isAvailable, "needs VIGIL_TEST_POSTGRES"), .timeLimit(.minutes(5)))
struct PoolTests {
    /// Ends a connection from outside, and waits until it is gone.
    private func terminate(_ backend: Int32?, by client: PostgresClient) async throws {
        let backend = try #require(backend)
        let isGone = try await client.session {
            let isGone = try $0.row("SELECT pg_terminate_backend(\(backend), 10000)", as: Bool.self)
            // A connection that was in use five milliseconds ago is not looked at before it is used again.
            try $0.execute("SELECT pg_sleep(0.01)")
            return isGone
        }
        #expect(isGone == true)
    }

    private func backend(of client: PostgresClient) async throws -> Int32? {
        try await client.session { try $0.row("SELECT pg_backend_pid()", as: Int32.self) }
    }

    @Test("fifty tasks share four connections")
    func sharing() async throws {
        try await TestPostgres.withDatabase { database in
            try await TestPostgres.withClient(database, maximumConnections: 4) { client in
                let backends = try await withThrowingTaskGroup(of: [Int32].self) { group in
                    for task in 0..<50 {
                        group.addTask {
                            var backends: [Int32] = []
                            for round in 0..<20 {
                                let row = try await client.session {
                                    try $0.row(
                                        "SELECT \(task * 100 + round), pg_backend_pid()", as: Int.self, Int32.self)
                                }
                                #expect(row?.0 == task * 100 + round)
                                if let row { backends.append(row.1) }
                            }
                            return backends
                        }
                    }
                    return try await group.reduce(into: Set<Int32>()) { $0.formUnion($1) }
                }
                #expect((1...4).contains(backends.count))
            }
        }
    }

    @Test("a connection whose backend was terminated while idle is replaced without an error")
    func killedIdle() async throws {
        try await TestPostgres.withDatabase { database in
            try await TestPostgres.withClient(database, maximumConnections: 1) { administrator in
                try await TestPostgres.withClient(database, maximumConnections: 1) { client in
                    for inTransaction in [false, true] {
                        let before = try await backend(of: client)
                        try await terminate(before, by: administrator)
                        let after =
                            inTransaction
                            ? try await client.transaction { try $0.row("SELECT pg_backend_pid()", as: Int32.self) }
                            : try await backend(of: client)
                        #expect(after != nil)
                        #expect(after != before)
                    }
                }
            }
        }
    }

    @Test("terminating the backend during a transaction fails that transaction, and the next one works")
    func killedInTransaction() async throws {
        try await TestPostgres.withDatabase { database in
            try await TestPostgres.withClient(database, maximumConnections: 1) { client in
                let error = await #expect(throws: PostgresError.self) {
                    try await client.transaction { session in
                        try session.execute("CREATE TABLE t (x int)")
                        try session.execute("SELECT pg_terminate_backend(pg_backend_pid())")
                        try session.execute("SELECT 1")
                    }
                }
                #expect(error?.code == .connection)
                #expect(error?.sqlState == .adminShutdown)
                #expect(error?.isUnavailable == true)
                let exists = try await client.session {
                    try $0.row("SELECT to_regclass('t') IS NOT NULL", as: Bool.self)
                }
                #expect(exists == false)
            }
        }
    }

    @Test("a statement during which the backend is terminated isn't repeated")
    func killedInStatement() async throws {
        try await TestPostgres.withDatabase { database in
            try await TestPostgres.withClient(database, maximumConnections: 1) { client in
                try await client.session { try $0.script("CREATE SEQUENCE runs") }
                let error = await #expect(throws: PostgresError.self) {
                    try await client.session {
                        try $0.execute("SELECT nextval('runs'), pg_terminate_backend(pg_backend_pid()), pg_sleep(5)")
                    }
                }
                #expect(error?.code == .connection)
                let runs = try await client.session { try $0.row("SELECT last_value FROM runs", as: Int.self) }
                #expect(runs == 1)
            }
        }
    }

    @Test("a caller that has waited too long is rejected, and so is one beyond the limit of waiters")
    func exhaustion() async throws {
        try await TestPostgres.withDatabase { database in
            let configuration = PostgresConfiguration(
                connection: database, applicationName: "test", maximumConnections: 1, maximumWaiters: 1,
                acquireDeadline: .seconds(2))
            try await TestPostgres.withClient(configuration) { client in
                let rejected = try await client.holdingConnection { () async -> Set<PostgresError> in
                    await withTaskGroup { group in
                        for _ in 0..<4 {
                            group.addTask {
                                await #expect(throws: PostgresError.self) {
                                    try await client.session { try $0.execute("SELECT 1") }
                                }
                            }
                        }
                        return await group.reduce(into: []) { set, error in
                            if let error { set.insert(error) }
                        }
                    }
                }
                #expect(rejected.map(\.code).allSatisfy { $0 == .poolExhausted })
                #expect(
                    Set(rejected.compactMap(\.reason)) == [
                        "too many callers are waiting", "no connection became free in time",
                    ])
                try await client.session { try $0.execute("SELECT 1") }
            }
        }
    }

    @Test("a task that is cancelled stops waiting for a connection")
    func cancellation() async throws {
        try await TestPostgres.withDatabase { database in
            try await TestPostgres.withClient(database, maximumConnections: 1) { client in
                try await client.holdingConnection {
                    await withTaskGroup { group in
                        for _ in 0..<5 {
                            group.addTask {
                                await #expect(throws: CancellationError.self) {
                                    try await client.session { try $0.execute("SELECT 1") }
                                }
                            }
                        }
                        group.cancelAll()
                    }
                }
                try await client.session { try $0.execute("SELECT 1") }
            }
        }
    }

    @Test("cancelling a task doesn't interrupt its statement")
    func cancellationOfStatement() async throws {
        try await TestPostgres.withDatabase { database in
            try await TestPostgres.withClient(database, maximumConnections: 1) { client in
                let answer = try await withThrowingTaskGroup { group in
                    let (started, start) = AsyncStream<Void>.makeStream()
                    group.addTask {
                        try await client.session { session in
                            start.finish()
                            return try session.row("SELECT 7 FROM pg_sleep(0.05)", as: Int32.self)
                        }
                    }
                    for await _ in started {}
                    group.cancelAll()
                    return try await group.next()
                }
                #expect(answer == 7)
            }
        }
    }

    @Test("a closed client rejects callers, and waits for those that have a connection")
    func close() async throws {
        try await TestPostgres.withDatabase { database in
            let client = PostgresClient(
                PostgresConfiguration(connection: database, applicationName: "test", maximumConnections: 2),
                logger: .init(label: "test"))
            let (end, closed) = try await withThrowingTaskGroup(of: ContinuousClock.Instant.self) { group in
                let (started, start) = AsyncStream<Void>.makeStream()
                group.addTask {
                    try await client.session { session in
                        start.finish()
                        try session.execute("SELECT pg_sleep(0.05)")
                        return .now
                    }
                }
                for await _ in started {}
                await client.close()
                let closed = ContinuousClock.now
                return (try await group.next(), closed)
            }
            #expect(try #require(end) <= closed)
            let error = await #expect(throws: PostgresError.self) {
                try await client.session { try $0.execute("SELECT 1") }
            }
            #expect(error?.code == .shutDown)
            #expect(await !client.isHealthy())
            await client.close()
        }
    }

    @Test("as a service it runs until the group shuts down, and closes its connections")
    func service() async throws {
        try await TestPostgres.withDatabase { database in
            try await TestPostgres.withClient(database, maximumConnections: 1) { observer in
                let client = PostgresClient(
                    PostgresConfiguration(connection: database, applicationName: "the service"),
                    logger: .init(label: "test"))
                let group = ServiceGroup(services: [client], logger: .init(label: "test"))
                try await withThrowingTaskGroup { tasks in
                    tasks.addTask { try await group.run() }
                    #expect(await client.isHealthy())
                    await group.triggerGracefulShutdown()
                    try await tasks.waitForAll()
                }
                #expect(await !client.isHealthy())
                // PQfinish says goodbye; the backend needs a moment to hear it.
                let query: SQL = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'the service'"
                var remaining: Int? = 1
                for _ in 0..<1000 where remaining != 0 {
                    remaining = try await observer.session { session in
                        try session.execute("SELECT pg_sleep(0.005)")
                        return try session.row(query, as: Int.self)
                    }
                }
                #expect(remaining == 0)
            }
        }
    }

    @Test("the error distinguishes an unreachable database from an exhausted pool")
    func unreachable() async throws {
        let configuration = PostgresConfiguration(
            connection: "host=127.0.0.1 port=1 user=nobody password=planted-value", applicationName: "test",
            acquireDeadline: .seconds(2))
        try await TestPostgres.withClient(configuration) { client in
            let error = try await #require(throws: PostgresError.self) {
                try await client.session { try $0.execute("SELECT 1") }
            }
            #expect(error.code == .connection)
            #expect(error.reason == "connection refused")
            #expect(error.isUnavailable)
            #expect(await !client.isHealthy())
        }
    }

    @Test("a malformed connection string is an error that doesn't repeat it")
    func malformedConnectionString() async throws {
        let configuration = PostgresConfiguration(
            connection: "host=127.0.0.1 pasword=planted-value", applicationName: "test",
            acquireDeadline: .seconds(2))
        try await TestPostgres.withClient(configuration) { client in
            let error = try await #require(throws: PostgresError.self) {
                try await client.session { try $0.execute("SELECT 1") }
            }
            #expect(error.reason == "the connection string is malformed")
            #expect(!"\(error)".contains("planted"))
        }
    }
}

extension PostgresClient {
    /// Calls `body` while a connection is lent to somebody else.
    fileprivate func holdingConnection<R: Sendable>(_ body: () async throws -> R) async throws -> R {
        let (started, start) = AsyncStream<Void>.makeStream()
        let end = Mutex(false)
        async let holder: Void = {
            defer { start.finish() }
            try await session { session in
                start.finish()
                while !end.withLock({ $0 }) { try session.execute("SELECT pg_sleep(0.005)") }
            }
        }()
        for await _ in started {}
        let result = try await body()
        end.withLock { $0 = true }
        try await holder
        return result
    }
}
