import Testing

@testable import Postgres

@Suite("Errors")
struct PostgresErrorTests {
    @Test(
        "a service answers 503 if the database is unreachable or overloaded, and only then",
        arguments: [
            (PostgresError(.connection), true), (PostgresError(.timeout), true), (PostgresError(.poolExhausted), true),
            (PostgresError(.commitUnknown), true), (PostgresError(.shutDown), true),
            (PostgresError(.server, sqlState: "53300"), true), (PostgresError(.server, sqlState: "57P03"), true),
            (PostgresError(.server, sqlState: .uniqueViolation), false), (PostgresError(.decoding), false),
            (PostgresError(.transactionAborted), false),
        ])
    func unavailability(error: PostgresError, isUnavailable: Bool) {
        #expect(error.isUnavailable == isUnavailable)
    }

    @Test("the description names code, SQLSTATE, constraint and place")
    func description() {
        let error = PostgresError(.server, sqlState: .uniqueViolation, constraint: "keys_pkey", position: 7)
        #expect("\(error)" == "PostgresError(server, SQLSTATE 23505, constraint keys_pkey, at character 7)")
        #expect(String(reflecting: error) == "\(error)")
    }

    @Test("a failure to connect is described in fixed words")
    func connectFailures() {
        let refused = ConnectFailure(
            message: "connection to server at \"db.internal\" (10.0.0.1), port 5432 failed: Connection refused\n")
        #expect("\(refused.error)" == "PostgresError(connection, connection refused)")
        let rejected = ConnectFailure(message: "connection to server on socket \"/s\" failed: FATAL:  28P01\n")
        #expect(rejected.error.sqlState == "28P01")
        #expect("\(rejected.error)" == "PostgresError(connection, SQLSTATE 28P01, could not connect)")
    }

    @Test("pauses between attempts double up to a limit, and up to a half of each is random")
    func pauses() {
        let policy = RetryPolicy.onConflict
        #expect(policy.pause(after: 1, jitter: 1) == .milliseconds(5))
        #expect(policy.pause(after: 3, jitter: 0) == .milliseconds(10))
        #expect(policy.pause(after: 6, jitter: 1) == .milliseconds(160))
        #expect(policy.pause(after: 60, jitter: 1) == .milliseconds(160))
    }

    @Test("durations become milliseconds, rounded up and limited")
    func milliseconds() {
        #expect(Duration.nanoseconds(1).milliseconds == 1)
        #expect(Duration.seconds(3).milliseconds == 3000)
        #expect(Duration.zero.milliseconds == 0)
        #expect(Duration.seconds(-3).milliseconds == 0)
        #expect(Duration.milliseconds(-3).milliseconds == 0)
        #expect(Duration.seconds(1_000_000_000_000).milliseconds == 2_000_000_000)
    }
}
