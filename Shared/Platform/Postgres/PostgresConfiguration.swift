/// The configuration of one pool: its database and its limits.
///
/// Prepared statements belong to a connection, so the server must be reached directly or through a proxy that pools whole
/// sessions. A proxy that pools transactions doesn't work.
package struct PostgresConfiguration: Sendable {
    /// A libpq connection string, for example `host=db dbname=vigil user=vigil_submission sslmode=verify-full`.
    ///
    /// It may hold a password, so it is never logged; `passfile=` keeps the password out of it. With several hosts, it should say
    /// `target_session_attrs=read-write`: then the first one that takes writes is used.
    package var connection: String
    /// Names the pool in `pg_stat_activity` and in the metrics' `pool` label.
    package var applicationName: String
    /// The largest number of connections, each with a thread. Each is established when it is first needed.
    package var maximumConnections: Int
    /// How many callers may wait for a connection. One more is rejected at once with `.poolExhausted`.
    package var maximumWaiters: Int
    /// How long a caller waits for a connection before it is rejected with `.poolExhausted`.
    package var acquireDeadline: Duration
    /// The connection timeout, for all hosts together.
    package var connectTimeout: Duration
    /// The server's `statement_timeout`; zero is no limit.
    ///
    /// The client gives up on a server that doesn't answer five seconds later. Only this timeout ends a statement that runs too
    /// long: cancelling the task that waits for it doesn't.
    package var statementTimeout: Duration
    /// The server's `idle_in_transaction_session_timeout`: how long a transaction's closure may compute between two
    /// statements before the server ends it.
    package var idleInTransactionTimeout: Duration

    /// A configuration with the defaults of a service.
    package init(
        connection: String, applicationName: String, maximumConnections: Int = 8, maximumWaiters: Int = 1024,
        acquireDeadline: Duration = .seconds(2), connectTimeout: Duration = .seconds(3),
        statementTimeout: Duration = .seconds(10), idleInTransactionTimeout: Duration = .seconds(60)
    ) {
        precondition(maximumConnections > 0 && maximumWaiters >= 0)
        self.connection = connection
        self.applicationName = applicationName
        self.maximumConnections = maximumConnections
        self.maximumWaiters = maximumWaiters
        self.acquireDeadline = acquireDeadline
        self.connectTimeout = connectTimeout
        self.statementTimeout = statementTimeout
        self.idleInTransactionTimeout = idleInTransactionTimeout
    }
}

extension Duration {
    /// Whole milliseconds, rounded up and clamped to the range of PostgreSQL's settings and `poll`.
    var milliseconds: Int32 {
        let (seconds, attoseconds) = components
        guard seconds < 2_000_000 else { return 2_000_000_000 }
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
