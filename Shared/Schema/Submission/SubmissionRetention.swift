import FoundationEssentials
import Postgres

extension RetentionRule {
    /// The rules of the schema `submission`.
    static let submission: [RetentionRule] = [
        // Partitions of keys are named after the day of their period, those of reports after the day of upload.
        RetentionRule(
            .fold, "submission.diagnosis_key", "submission.check_in_report", "submission.venue_report",
            limit: "14 days, by partition: keys after their period, reports after their upload"
        ) { session, now throws(PostgresError) in
            let firstKept = now.dayNumber - 14
            let dropped: Int32? = try session.row("SELECT submission.drop_days_before(\(firstKept))", as: Int32.self)
            let firstEndKept = Int32(clamping: Int64((now.timeIntervalSince1970 / 600).rounded(.up))) - 14 * 144
            let deleted: Int32? = try session.row(
                "SELECT submission.delete_keys_ended_before(\(firstEndKept))", as: Int32.self)
            return Int((dropped ?? 0) + (deleted ?? 0))
        },
        RetentionRule(.fold, "submission.folded_hour", "submission.hour_key", limit: "15 days") {
            session, now throws(PostgresError) in
            let firstKept = now.hourNumber - 15 * 24
            return try session.execute("DELETE FROM submission.folded_hour WHERE hour < \(firstKept)")
                + session.execute(
                    """
                    DELETE FROM submission.hour_key
                    WHERE hour < \(firstKept) AND closed
                      AND NOT EXISTS (SELECT FROM submission.inbox WHERE inbox.hour = hour_key.hour)
                    """)
        },
    ]
}
