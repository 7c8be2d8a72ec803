import FoundationEssentials
import Postgres

extension RetentionRule {
    /// The rules of the schema `donation`.
    static let donation: [RetentionRule] = [
        RetentionRule(.donation, "donation.used_evidence", limit: "until it would be too old") {
            session, now throws(PostgresError) in
            try session.execute("DELETE FROM donation.used_evidence WHERE last_hour < \(now.hourNumber)")
        },
        RetentionRule(.donation, "donation.attested_key", limit: "30 days after its last use") {
            session, now throws(PostgresError) in
            let firstKept = now.dayNumber - 30
            return try session.execute("DELETE FROM donation.attested_key WHERE used_day < \(firstKept)")
        },
        RetentionRule(.donation, "donation.month_token", limit: "two days after its month") {
            session, now throws(PostgresError) in
            // Until then an app hears that its token has expired.
            try session.execute("DELETE FROM donation.month_token WHERE last_hour < \(now.hourNumber - 48)")
        },
        RetentionRule(.donation, "donation.quota", limit: "until the next share") {
            session, now throws(PostgresError) in
            try session.execute("DELETE FROM donation.quota WHERE last_hour < \(now.hourNumber)")
        },
        RetentionRule(.donation, "donation.one_time_password", limit: "7 days after its end") {
            session, now throws(PostgresError) in
            let end = now.addingTimeInterval(-7 * day)
            return try session.execute("DELETE FROM donation.one_time_password WHERE expires_at < \(end)")
        },
        // Partitions are named after the day of donation.
        RetentionRule(
            .donationFold, "donation.user_group", "donation.client", "donation.exposure_risk",
            "donation.exposure_window",
            "donation.test_result", "donation.key_submission_by_user", "donation.key_submission_by_client",
            limit: "14 days, by partition"
        ) { session, now throws(PostgresError) in
            let dropped: Int32? = try session.row(
                "SELECT donation.drop_days_before(\(now.dayNumber - 14))", as: Int32.self)
            return Int(dropped ?? 0)
        },
        RetentionRule(.donationFold, "donation.folded_hour", "donation.hour_key", limit: "15 days") {
            session, now throws(PostgresError) in
            let firstKept = now.hourNumber - 15 * 24
            return try session.execute("DELETE FROM donation.folded_hour WHERE hour < \(firstKept)")
                + session.execute(
                    """
                    DELETE FROM donation.hour_key
                    WHERE hour < \(firstKept) AND closed
                      AND NOT EXISTS (SELECT FROM donation.inbox WHERE inbox.hour = hour_key.hour)
                    """)
        },
    ]
}
