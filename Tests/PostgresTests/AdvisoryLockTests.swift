import Postgres
import Synchronization
import TestSupport
import Testing

@Suite(
    "Advisory locks", .enabled(if: TestPostgres.isAvailable, "needs VIGIL_TEST_POSTGRES"), .timeLimit(.minutes(5)))
struct AdvisoryLockTests {
    private struct Refusal: Error {}

    private final class Count: Sendable {
        let running = Mutex((now: 0, most: 0, total: 0))
    }
    private static let lock = lock(42)
    private static let otherLock = lock(43)

    private static func lock(_ number: Int64) -> AdvisoryLock {
        AdvisoryLock(
            acquire: "SELECT pg_advisory_lock(\(number))", release: "SELECT pg_advisory_unlock_all()",
            begin: """
                INSERT INTO epoch AS known VALUES (\(number), 1)
                ON CONFLICT (lock) DO UPDATE SET epoch = known.epoch + 1 RETURNING epoch
                """,
            confirm: { "UPDATE epoch SET epoch = epoch WHERE lock = \(number) AND epoch = \($0) RETURNING true" })
    }

    @Test("jobs under the same lock run one at a time, whichever client starts them, and all of them run")
    func oneAtATime() async throws {
        let count = Count()
        try await withTwoClients { clients in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for turn in 0..<8 {
                    group.addTask {
                        try await clients[turn % 2].exclusively(Self.lock) { _ in
                            count.running.withLock {
                                $0.now += 1
                                $0.most = max($0.most, $0.now)
                                $0.total += 1
                            }
                            await Task.yield()
                            count.running.withLock { $0.now -= 1 }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        let (most, total) = count.running.withLock { ($0.most, $0.total) }
        #expect(most == 1)
        #expect(total == 8)
    }

    @Test("other locks, and statements without one, don't wait")
    func others() async throws {
        try await withTwoClients { clients in
            let answer = try await clients[0].exclusively(Self.lock) { _ in
                try await clients[1].exclusively(Self.otherLock) { _ in
                    try await clients[0].session { try $0.row("SELECT 1", as: Int.self) }
                }
            }
            #expect(answer == 1)
        }
    }

    @Test("a job that throws releases the lock")
    func throwing() async throws {
        try await withTwoClients { clients in
            await #expect(throws: Refusal.self) {
                try await clients[0].exclusively(Self.lock) { _ in throw Refusal() }
            }
            let next = try await clients[1].exclusively(Self.lock) { _ in true }
            #expect(next)
        }
    }

    @Test("when the lock's connection breaks the next job gets the lock, and the running job is cancelled")
    func broken() async throws {
        try await withTwoClients { clients in
            let next = Mutex<Int64?>(nil)
            await #expect(throws: PostgresError.self) {
                try await clients[0].exclusively(Self.lock) { lead in
                    try await lead.confirm()
                    try await clients[1].session { session in
                        _ = try session.execute(
                            """
                            SELECT pg_terminate_backend(pid) FROM pg_locks
                            WHERE locktype = 'advisory' AND objid = 42
                                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                            """)
                    }
                    let epoch = try await clients[1].exclusively(Self.lock) { $0.epoch }
                    next.withLock { $0 = epoch }
                    try await Task.sleep(for: .seconds(240))
                }
            }
            #expect(next.withLock { $0 } == 2)
            let last = try await clients[0].exclusively(Self.lock) { $0.epoch }
            #expect(last == 3)
        }
    }

    @Test("a lead is confirmed until the next one begins, whoever has it")
    func epochs() async throws {
        try await withTwoClients { clients in
            let first = try await clients[0].exclusively(Self.lock) { $0 }
            let other = try await clients[1].exclusively(Self.otherLock) { $0 }
            // The lock was given back, but nobody has taken it since.
            try await first.confirm()
            try await first.confirm()
            let second = try await clients[1].exclusively(Self.lock) { lead in
                await #expect(throws: LostLead.self) { try await first.confirm() }
                try await lead.confirm()
                return lead
            }
            try await second.confirm()
            let third = try await clients[1].exclusively(Self.lock) { $0 }
            await #expect(throws: LostLead.self) { try await second.confirm() }
            #expect([first.epoch, second.epoch, third.epoch] == [1, 2, 3])
            try await other.confirm()
        }
    }

    @Test("a task that is cancelled while it waits doesn't keep the lock when it is granted")
    func cancelled() async throws {
        try await withTwoClients { clients in
            let waiter = try await clients[0].exclusively(Self.lock) { _ in
                let waiter = Task { try await clients[1].exclusively(Self.lock) { _ in } }
                while try await clients[0].session({ try $0.row(Self.count(granted: false), as: Int.self) }) == 0 {}
                waiter.cancel()
                return waiter
            }
            await #expect(throws: CancellationError.self) { try await waiter.value }
            let next = try await clients[0].exclusively(Self.lock) { _ in true }
            #expect(next)
        }
    }

    @Test("a lock that is granted at the moment of the timeout isn't kept")
    func timeout() async throws {
        try await TestPostgres.withDatabase { database in
            var hurried = PostgresConfiguration(connection: database, applicationName: "test", maximumConnections: 1)
            hurried.statementTimeout = .milliseconds(10)
            try await TestPostgres.withClient(database, maximumConnections: 2) { client in
                try await Self.prepare(client)
                try await TestPostgres.withClient(hurried) { other in
                    for round in 0..<200 {
                        let waiter = try await client.exclusively(Self.lock) { _ in
                            let waiter = Task { try? await other.exclusively(Self.lock) { _ in } }
                            // Its time may be over before it is seen.
                            for _ in 0..<20 {
                                if try await client.session({ try $0.row(Self.count(granted: false), as: Int.self) })
                                    != 0
                                {
                                    break
                                }
                            }
                            // Microseconds; around the moment in which its time is over.
                            let pause = Int32(7000 + 20 * round)
                            try await client.session { try $0.execute("SELECT pg_sleep(\(pause) / 1e6::float8)") }
                            return waiter
                        }
                        await waiter.value
                        // A connection that is given up ends a moment later.
                        var held: Int? = 1
                        for _ in 0..<1000 where held != 0 {
                            held = try await client.session { try $0.row(Self.count(granted: true), as: Int.self) }
                        }
                        try #require(held == 0)
                    }
                }
            }
        }
    }

    /// How many have the lock, or wait for it.
    private static func count(granted: Bool) -> SQL {
        """
        SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 42 AND granted = \(granted)
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        """
    }

    private static func prepare(_ client: PostgresClient) async throws {
        try await client.session { session in
            _ = try session.execute("CREATE TABLE epoch (lock bigint PRIMARY KEY, epoch bigint NOT NULL)")
        }
    }

    private func withTwoClients(_ body: ([PostgresClient]) async throws -> Void) async throws {
        try await TestPostgres.withDatabase { database in
            try await TestPostgres.withClient(database, maximumConnections: 5) { one in
                try await Self.prepare(one)
                try await TestPostgres.withClient(database, maximumConnections: 5) { other in
                    try await body([one, other])
                }
            }
        }
    }
}
