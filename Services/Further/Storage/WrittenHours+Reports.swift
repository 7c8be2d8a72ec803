import FoundationEssentials
import Postgres
import Schema

extension WrittenHours {
    /// Those of reports and keys. Until then reports of one batch say the same second, so the table tells which ids are one person's, and
    /// which key signed for them. Nonces are left as they are: their hashes lead to nothing.
    static func reports(_ database: PostgresClient, by clock: DatabaseClock) -> WrittenHours {
        // Reports wait, signed or not.
        WrittenHours(database, by: clock, lock: "SELECT further.take_report_lock()") { hour, now in
            let seconds = Int64(now.timeIntervalSince1970.rounded(.down))
            return [
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
                """,
                """
                WITH moved AS (DELETE FROM further.key WHERE written_hour < \(hour) RETURNING *)
                INSERT INTO further.key (key, public_key, used_day)
                SELECT key, public_key, used_day FROM moved ORDER BY key
                """,
            ]
        }
    }
}
