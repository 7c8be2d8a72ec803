package import Logging
import ServiceLifecycle

/// A database, reached through a pool of connections.
///
/// Access is by synchronous closures. A closure runs on the thread that owns its connection: there is one hop to that thread and
/// one back, no suspension while rows are locked, and no way to keep the connection. The closure may compute, but it can't
/// `await`; task-locals (such as `Logger.current`) don't reach it.
///
/// Cancelling a task removes it from the queue for a connection. It doesn't interrupt a running statement; `statement_timeout`
/// does.
///
/// Connections are established when they are needed. The pool recovers from an outage of the server by itself: idle connections
/// are checked before use, broken ones are replaced, and while the server can't be reached the pool makes one attempt at a time,
/// with exponential backoff.
///
/// Metrics, labelled `pool` with the application's name: `db_pool_waiting` (gauge),
/// `db_pool_wait_seconds` (timer), `db_connect_failures_total` (counter).
package final class PostgresClient: Service, Sendable {
    /// The largest number of connections.
    package let maximumConnections: Int
    private let pool: ConnectionPool

    /// Creates a client without connections.
    package init(_ configuration: PostgresConfiguration, logger: Logger) {
        maximumConnections = configuration.maximumConnections
        pool = ConnectionPool(configuration, logger: logger)
    }

    deinit {
        pool.shutDown()
    }

    /// Keeps the pool until the service shuts down or the task is cancelled, then closes it.
    package func run() async throws {
        try? await gracefulShutdown()
        await close()
    }

    /// Rejects further callers with `.shutDown`, and returns when the last connection is closed.
    package func close() async {
        pool.shutDown()
        await pool.finished()
    }

    /// Lends a connection for statements that are each a transaction of their own.
    ///
    /// With a retry policy, `body` is run again as a whole if it throws the error of a statement that failed because of a concurrent
    /// one. Its earlier statements have taken effect then, and run again.
    ///
    /// - Throws: what `body` throws; `PostgresError` if there is no connection; `CancellationError` if the task was
    ///   cancelled before there was one.
    @discardableResult
    package func session<R: Sendable>(
        retrying: RetryPolicy = .never, _ body: @Sendable @escaping (Session) throws -> R
    ) async throws -> R {
        var attempt = 1
        while true {
            do {
                return try await pool.withConnection { connection in
                    try Session.lend(connection, inTransaction: false) { session throws in try body(session) }
                }
            } catch let error as PostgresError where error.isConflict {
                guard try await retrying.waits(after: &attempt) else { throw error }
            }
        }
    }

    /// Lends a connection for one transaction, which is committed if `body` returns and rolled back if it throws.
    ///
    /// With a retry policy, a transaction that failed because of a concurrent one is run again as a whole, so `body` must not
    /// have effects outside the database.
    ///
    /// - Throws: what `body` throws; `PostgresError` with `.commitUnknown` if the connection broke during COMMIT, with
    ///   `.transactionAborted` if `body` returned although a statement had failed; else as `session(_:)`.
    @discardableResult
    package func transaction<R: Sendable>(
        retrying: RetryPolicy = .never, _ body: @Sendable @escaping (Session) throws -> R
    ) async throws -> R {
        var attempt = 1
        while true {
            let outcome = try await pool.withConnection { connection in
                Transaction.run(on: connection, body)
            }
            switch outcome {
            case .committed(let result):
                return result
            case .failed(let error, let isConflict):
                guard isConflict, try await retrying.waits(after: &attempt) else { throw error }
            }
        }
    }

    /// Lends a connection for reads whose answer must hold in a failover, too: a commit confirms it.
    ///
    /// A server that lost its lead without knowing misses what its successor acknowledged. It still answers reads, but its standby
    /// doesn't confirm its commits (``SQL/commitMark``), so this throws once the answer's deadline has passed. A caller that refuses
    /// something for good because a row isn't there reads this way.
    /// - Throws: as ``transaction(retrying:_:)``.
    package func confirmedRead<R: Sendable>(_ body: @Sendable @escaping (Session) throws -> R) async throws -> R {
        try await transaction { session in
            let answer = try body(session)
            try session.execute("SELECT \(SQL.commitMark)")
            return answer
        }
    }

    /// Whether a `SELECT 1` succeeds within a second, after waiting for a connection for at most another. For readiness checks.
    package func isHealthy() async -> Bool {
        let answer = try? await pool.withConnection(timeout: .seconds(1)) { connection in
            connection.ping(within: .seconds(1))
        }
        return answer ?? false
    }
}
