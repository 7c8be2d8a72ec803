import FoundationEssentials
import Postgres

extension RetentionRule {
    /// How many hours a registration's session is kept after the hour in which it was opened.
    package static let sessionHours: Int32 = 21 * 24

    /// The rules of the schema `verification`.
    static let verification: [RetentionRule] = [
        RetentionRule(.verification, "verification.session", limit: "21 days") { session, now throws(PostgresError) in
            try session.execute(
                "DELETE FROM verification.session WHERE created_hour < \(now.hourNumber - sessionHours)")
        },
        RetentionRule(.verification, "verification.registered_guid", limit: "82 days") {
            session, now throws(PostgresError) in
            try session.execute("DELETE FROM verification.registered_guid WHERE created_day < \(now.dayNumber - 82)")
        },
        RetentionRule(counting: .verification, "verification.tele_tan", limit: "1 day after expiry") {
            session, now, calendar throws(PostgresError) in
            let count = try session.row(
                """
                WITH gone AS (
                    DELETE FROM verification.tele_tan WHERE expires_at < \(now.addingTimeInterval(-day))
                    RETURNING kind, redeemed, created_at
                ), dated AS (
                    SELECT kind, redeemed, \(calendar.day(of: "created_at")) AS day FROM gone
                ), counted AS (
                    INSERT INTO verification.forgotten_tele_tan AS known (
                        kind, period_start, period_days, made, redeemed
                    )
                    SELECT kind, CASE kind WHEN 'TEST' THEN day ELSE date_trunc('week', day)::date END AS start,
                        CASE kind WHEN 'TEST' THEN 1 ELSE 7 END, count(*), count(*) FILTER (WHERE redeemed)
                    FROM dated GROUP BY 1, 2, 3 ORDER BY 1, 2
                    ON CONFLICT (kind, period_start, period_days) DO UPDATE
                    SET made = known.made + excluded.made, redeemed = known.redeemed + excluded.redeemed
                )
                SELECT count(*) FROM gone
                """, as: Int.self)
            return count ?? 0
        },
        RetentionRule(.verification, "verification.forgotten_tele_tan", limit: "its release, at most 30 days") {
            session, now throws(PostgresError) in
            try session.execute(
                "DELETE FROM verification.forgotten_tele_tan WHERE period_start < date '1970-01-01' + \(now.dayNumber - 30)"
            )
        },
        // A registration is deleted after at most 21 days and an hour, and a TAN of it expires within another day.
        RetentionRule(.verification, "verification.used_tan", limit: "23 days") { session, now throws(PostgresError) in
            try session.execute("DELETE FROM verification.used_tan WHERE day < \(now.dayNumber - 23)")
        },
        RetentionRule(.verification, "verification.officer_hour", limit: "the hour") {
            session, now throws(PostgresError) in
            try session.execute("DELETE FROM verification.officer_hour WHERE hour < \(now.hourNumber)")
        },
        RetentionRule(counting: .verification, "verification.refused_tele_tan", limit: "1 day") {
            session, now, calendar throws(PostgresError) in
            let count = try session.row(
                """
                WITH gone AS (
                    DELETE FROM verification.refused_tele_tan WHERE hour < \(now.hourNumber - 24) RETURNING hour, refusals
                ), counted AS (
                    INSERT INTO verification.forgotten_refusal AS known (day, refusals)
                    SELECT \(calendar.day(of: "to_timestamp(hour * 3600.0)")), sum(refusals) FROM gone GROUP BY 1 ORDER BY 1
                    ON CONFLICT (day) DO UPDATE SET refusals = known.refusals + excluded.refusals
                )
                SELECT count(*) FROM gone
                """, as: Int.self)
            return count ?? 0
        },
        RetentionRule(.verification, "verification.forgotten_refusal", limit: "its release, at most 30 days") {
            session, now throws(PostgresError) in
            try session.execute(
                "DELETE FROM verification.forgotten_refusal WHERE day < date '1970-01-01' + \(now.dayNumber - 30)")
        },
    ]
}
