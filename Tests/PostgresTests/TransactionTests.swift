import Synchronization
import TestSupport
import Testing

@testable import Postgres

@Suite(
    "Transactions", .enabled(if: TestPostgres.isAvailable, "needs VIGIL_TEST_POSTGRES"), .timeLimit(.minutes(5)))
struct TransactionTests {
    private struct Refusal: Error {}

    private func withTable<R: Sendable>(
        maximumConnections: Int = 3, _ body: (PostgresClient) async throws -> R
    ) async throws -> R {
        try await TestPostgres.withDatabase { database in
            try await TestPostgres.withClient(database, maximumConnections: maximumConnections) { client in
                try await client.session { session in
                    try session.script(
                        "CREATE TABLE t (id int PRIMARY KEY, n int); INSERT INTO t VALUES (1, 0), (2, 0)")
                }
                return try await body(client)
            }
        }
    }

    private func sum(_ client: PostgresClient) async throws -> Int? {
        try await client.session { try $0.row("SELECT sum(n) FROM t", as: Int.self) }
    }

    @Test("a closure that returns is committed, one that throws is rolled back")
    func commitAndRollback() async throws {
        try await withTable { client in
            let level = try await client.transaction { session in
                try session.execute("UPDATE t SET n = n + 1")
                return try session.row("SHOW transaction_isolation", as: String.self)
            }
            #expect(level == "read committed")
            await #expect(throws: Refusal.self) {
                try await client.transaction { session in
                    try session.execute("UPDATE t SET n = n + 10")
                    throw Refusal()
                }
            }
            let total = try await sum(client)
            #expect(total == 2)
        }
    }

    @Test("when a closure hides a failed statement, the caller is told that nothing was committed")
    func aborted() async throws {
        try await withTable { client in
            let error = await #expect(throws: PostgresError.self) {
                try await client.transaction { session in
                    try session.execute("UPDATE t SET n = 1")
                    _ = try? session.execute("INSERT INTO t VALUES (1, 1)")
                }
            }
            #expect(error?.code == .transactionAborted)
            let total = try await sum(client)
            #expect(total == 0)
        }
    }

    @Test("a violated deferred constraint fails the transaction, not the connection")
    func deferredConstraint() async throws {
        try await withTable(maximumConnections: 1) { client in
            try await client.session { session in
                try session.script("CREATE TABLE r (id int REFERENCES t DEFERRABLE INITIALLY DEFERRED)")
            }
            let error = await #expect(throws: PostgresError.self) {
                try await client.transaction { try $0.execute("INSERT INTO r VALUES (99)") }
            }
            #expect(error?.code == .server)
            #expect(error?.sqlState == .foreignKeyViolation)
            let total = try await sum(client)
            #expect(total == 0)
        }
    }

    @Test("transactions that conflict with others are run again until all succeed", arguments: [true, false])
    func retry(hidingTheCause: Bool) async throws {
        try await withTable(maximumConnections: 3) { client in
            try await withThrowingTaskGroup { group in
                for _ in 0..<24 {
                    group.addTask {
                        try await client.transaction(retrying: RetryPolicy(attempts: 1000)) { session in
                            try session.execute("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
                            do {
                                let n = try session.row("SELECT n FROM t WHERE id = 1", as: Int.self) ?? 0
                                try session.execute("UPDATE t SET n = \(Int32(n + 1)) WHERE id = 1")
                            } catch  where hidingTheCause {
                                throw Refusal()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let total = try await sum(client)
            #expect(total == 24)
        }
    }

    @Test("a transaction with a serialization conflict runs as often as the policy says")
    func conflict() async throws {
        try await withTable { client in
            for (policy, expected) in [(RetryPolicy.never, 1), (RetryPolicy(attempts: 2), 2)] {
                let runs = Atomic(0)
                let error = await #expect(throws: PostgresError.self) {
                    try await client.transaction(retrying: policy) { session in
                        runs.add(1, ordering: .relaxed)
                        try session.script("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$")
                    }
                }
                #expect(error?.isConflict == true)
                let count = runs.load(ordering: .relaxed)
                #expect(count == expected)
            }
        }
    }

    @Test("after a deadlock the transaction that the server aborted succeeds when it is run again")
    func deadlock() async throws {
        try await withTable { client in
            try await withThrowingTaskGroup { group in
                for ids in [[1, 2], [2, 1]] as [[Int32]] {
                    group.addTask {
                        for _ in 0..<10 {
                            try await client.transaction(retrying: .onConflict) { session in
                                for id in ids { try session.execute("UPDATE t SET n = n + 1 WHERE id = \(id)") }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let total = try await sum(client)
            #expect(total == 40)
        }
    }

    @Test(
        "outside a transaction, too, statements that a conflict aborted are run again if asked for", arguments: [1, 3])
    func conflictOutsideTransaction(conflicts: Int64) async throws {
        try await withTable { client in
            try await client.session { try $0.script("CREATE SEQUENCE runs") }
            let work: @Sendable (Session) throws -> Int64? = { session in
                let run = try session.row("SELECT nextval('runs')", as: Int64.self)
                if let run, run <= conflicts {
                    try session.script("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40P01'; END $$")
                }
                return run
            }
            let error = await #expect(throws: PostgresError.self) { try await client.session(work) }
            #expect(error?.isConflict == true)
            let run = try await client.session(retrying: .onConflict, work)
            #expect(run == conflicts + 1)
        }
    }

    @Test("a connection that breaks during COMMIT is reported as an unknown outcome")
    func commitUnknown() async throws {
        try await withTable { client in
            try await client.session { session in
                // A constraint that is checked at the end, and ends the connection.
                try session.script(
                    #"""
                    CREATE FUNCTION suicide() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(10); RETURN NULL; END $$;
                    CREATE CONSTRAINT TRIGGER late AFTER UPDATE ON t DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW EXECUTE FUNCTION suicide();
                    """#)
            }
            let error = await #expect(throws: PostgresError.self) {
                try await client.transaction { try $0.execute("UPDATE t SET n = 1 WHERE id = 1") }
            }
            #expect(error?.code == .commitUnknown)
            #expect(error?.sqlState == .adminShutdown)
            #expect(error?.isUnavailable == true)
            let total = try await sum(client)
            #expect(total == 0)
        }
    }
}
