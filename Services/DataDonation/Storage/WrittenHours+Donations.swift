import Postgres
import Schema

extension WrittenHours {
    /// Those of the tables that admissions fill, which say until then which app was given which password.
    static func donations(_ database: PostgresClient, by clock: DatabaseClock) -> WrittenHours {
        // In the order in which admissions use the tables; they wait. A row that is deleted and inserted again would look used to them.
        WrittenHours(
            database, by: clock,
            lock: """
                LOCK TABLE donation.one_time_password, donation.used_evidence, donation.attested_key, donation.quota
                IN SHARE ROW EXCLUSIVE MODE
                """
        ) { hour, _ in
            [
                """
                WITH moved AS (DELETE FROM donation.one_time_password WHERE written_hour < \(hour) RETURNING *)
                INSERT INTO donation.one_time_password (kind, password_hash, is_strong, expires_at, redeemed_by)
                SELECT kind, password_hash, is_strong, expires_at, redeemed_by FROM moved ORDER BY password_hash
                """,
                """
                WITH moved AS (DELETE FROM donation.used_evidence WHERE written_hour < \(hour) RETURNING *)
                INSERT INTO donation.used_evidence (evidence_hash, last_hour)
                SELECT evidence_hash, last_hour FROM moved ORDER BY evidence_hash
                """,
                """
                WITH moved AS (DELETE FROM donation.attested_key WHERE written_hour < \(hour) RETURNING *)
                INSERT INTO donation.attested_key (key_hash, public_key, counter, used_day)
                SELECT key_hash, public_key, counter, used_day FROM moved ORDER BY key_hash
                """,
                """
                WITH moved AS (DELETE FROM donation.quota WHERE written_hour < \(hour) RETURNING *)
                INSERT INTO donation.quota (purpose, subject_hash, last_hour, is_taken)
                SELECT purpose, subject_hash, last_hour, is_taken FROM moved ORDER BY subject_hash
                """,
            ]
        }
    }
}
