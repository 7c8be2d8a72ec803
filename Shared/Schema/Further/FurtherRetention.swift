import FoundationEssentials
import Postgres

extension RetentionRule {
    /// The rules of the schema `further`.
    static let further: [RetentionRule] = [
        RetentionRule(.further, "further.report", limit: "14 days after its last update, or until withdrawn") {
            session, now throws(PostgresError) in
            let seconds = Int64(now.timeIntervalSince1970.rounded(.down))
            let end = seconds - 14 * Int64(day)
            // Skips rows of a report in progress; the next run takes them.
            return try inBatches { () throws(PostgresError) in
                try session.execute(
                    """
                    WITH old AS MATERIALIZED (
                        SELECT id FROM further.report WHERE last_update <= \(end) OR withdrawn_at <= \(seconds)
                        LIMIT \(batch) FOR UPDATE SKIP LOCKED
                    )
                    DELETE FROM further.report USING old WHERE report.id = old.id
                    """)
            }
        },
        RetentionRule(.further, "further.key", limit: "30 days after its last use") {
            session, now throws(PostgresError) in
            let firstKept = now.dayNumber - 30
            return try session.execute("DELETE FROM further.key WHERE used_day < \(firstKept)")
        },
        RetentionRule(.further, "further.nonce", limit: "an hour") { session, now throws(PostgresError) in
            try session.execute("DELETE FROM further.nonce WHERE hour < \(now.hourNumber - 1)")
        },
    ]
}
