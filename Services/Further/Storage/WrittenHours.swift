import FoundationEssentials
import Logging
import Postgres
import Running
import Schema

/// Writes the rows of past hours once more, in the order of their content.
///
/// Rows that one transaction wrote have its number in a hidden column (`xmin`), lie side by side, and reports of one batch say the same
/// second. So the table tells which ids are one person's, and which key signed for them, until this has run; then it only tells which rows
/// came within an hour. What the database keeps besides goes with the next vacuum and with the write-ahead log. Nonces are left as they
/// are: their hashes lead to nothing.
struct WrittenHours: Sendable {
    private let database: PostgresClient
    private let clock: DatabaseClock

    init(_ database: PostgresClient, by clock: DatabaseClock) {
        self.database = database
        self.clock = clock
    }

    /// At startup and after every hour. Any number of replicas may do it.
    func everyHour(in runtime: ServiceRuntime) -> RecurringJob {
        RecurringJob("forget-order", in: runtime) { now in
            Date(timeIntervalSince1970: Double(now.hourNumber + 1) * 3600 + 2)
        } work: { now in
            ["rows": "\(try await forgetOrder(at: now))"]
        }
    }

    /// Writes the rows of hours before this one again.
    /// - Returns: their number.
    @discardableResult
    func forgetOrder(at now: Date) async throws -> Int {
        try await clock.require(now)
        let hour = now.hourNumber
        let seconds = Int64(now.timeIntervalSince1970.rounded(.down))
        return try await database.transaction { session in
            // Reports wait, signed or not.
            try session.execute("SELECT further.take_report_lock()")
            return try session.execute(
                """
                WITH moved AS (
                    DELETE FROM further.report
                    WHERE written_hour < \(hour) OR release_at BETWEEN 1 AND \(seconds) AND written_hour IS NULL
                    RETURNING *
                )
                INSERT INTO further.report (
                    id, feeling_sick, has_been_tested, last_update, positive_since, release_at, withdrawn_at, holder
                )
                SELECT id, feeling_sick, has_been_tested, last_update - last_update % 3600, positive_since,
                    CASE WHEN release_at <= \(seconds) THEN 0 ELSE release_at END, withdrawn_at, holder
                FROM moved ORDER BY id
                """)
                + session.execute(
                    """
                    WITH moved AS (DELETE FROM further.key WHERE written_hour < \(hour) RETURNING *)
                    INSERT INTO further.key (key, public_key, used_day)
                    SELECT key, public_key, used_day FROM moved ORDER BY key
                    """)
        }
    }
}
