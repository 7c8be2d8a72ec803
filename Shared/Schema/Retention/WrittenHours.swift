package import FoundationEssentials
import Logging
package import Postgres
package import Running

/// Writes the rows of past hours once more, in the order of their content.
///
/// Rows that one transaction wrote have its number in a hidden column (`xmin`), and rows lie in the order in which they came. So tables say
/// what came together, until this has run; then they only say what came within an hour. What the database keeps besides goes with the next
/// vacuum and with the write-ahead log.
package struct WrittenHours: Sendable {
    private let database: PostgresClient
    private let clock: DatabaseClock
    private let lock: SQL
    private let statements: @Sendable (_ hour: Int32, _ now: Date) -> [SQL]

    /// - Parameters:
    ///   - lock: keeps those out who would miss a row between its deletion and its insertion.
    ///   - statements: each deletes rows of hours before this one, and inserts them in the order of their content.
    package init(
        _ database: PostgresClient, by clock: DatabaseClock, lock: SQL,
        statements: @escaping @Sendable (_ hour: Int32, _ now: Date) -> [SQL]
    ) {
        self.database = database
        self.clock = clock
        self.lock = lock
        self.statements = statements
    }

    /// At startup and after every hour. Any number of replicas may do it.
    package func everyHour(in runtime: ServiceRuntime) -> RecurringJob {
        RecurringJob("forget-order", in: runtime) { now in
            Date(timeIntervalSince1970: Double(now.hourNumber + 1) * 3600 + 2)
        } work: { now in
            ["rows": "\(try await forgetOrder(at: now))"]
        }
    }

    /// Writes the rows of hours before this one again.
    /// - Returns: their number.
    @discardableResult
    package func forgetOrder(at now: Date) async throws -> Int {
        try await clock.require(now)
        let (lock, statements) = (lock, statements(now.hourNumber, now))
        return try await database.transaction { session in
            try session.execute(lock)
            return try statements.reduce(0) { try $0 + session.execute($1) }
        }
    }
}
