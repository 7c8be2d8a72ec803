import FoundationEssentials
import Logging
import Postgres
import Running
import Schema

/// Writes the rows of past hours once more, in the order of their hashes.
///
/// Rows that one transaction wrote have its number in a hidden column (`xmin`), and rows lie in the order in which they came. So tables say
/// which app was given which password, until this has run; then they only say which hashes came within an hour. What the database keeps
/// besides goes with the next vacuum and with the write-ahead log.
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
        return try await database.transaction { session in
            // In the order in which admissions use them; they wait. A row that is deleted and inserted again would look used to them.
            try session.execute(
                """
                LOCK TABLE donation.one_time_password, donation.used_evidence, donation.attested_key, donation.quota
                IN SHARE ROW EXCLUSIVE MODE
                """)
            return try session.execute(
                """
                WITH moved AS (DELETE FROM donation.one_time_password WHERE written_hour < \(hour) RETURNING *)
                INSERT INTO donation.one_time_password (kind, password_hash, is_strong, expires_at, redeemed_by)
                SELECT kind, password_hash, is_strong, expires_at, redeemed_by FROM moved ORDER BY password_hash
                """)
                + session.execute(
                    """
                    WITH moved AS (DELETE FROM donation.used_evidence WHERE written_hour < \(hour) RETURNING *)
                    INSERT INTO donation.used_evidence (evidence_hash, last_hour)
                    SELECT evidence_hash, last_hour FROM moved ORDER BY evidence_hash
                    """)
                + session.execute(
                    """
                    WITH moved AS (DELETE FROM donation.attested_key WHERE written_hour < \(hour) RETURNING *)
                    INSERT INTO donation.attested_key (key_hash, public_key, counter, used_day)
                    SELECT key_hash, public_key, counter, used_day FROM moved ORDER BY key_hash
                    """)
                + session.execute(
                    """
                    WITH moved AS (DELETE FROM donation.quota WHERE written_hour < \(hour) RETURNING *)
                    INSERT INTO donation.quota (purpose, subject_hash, last_hour, is_taken)
                    SELECT purpose, subject_hash, last_hour, is_taken FROM moved ORDER BY subject_hash
                    """)
        }
    }
}
