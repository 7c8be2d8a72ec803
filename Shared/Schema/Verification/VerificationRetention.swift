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
        RetentionRule(.verification, "verification.tele_tan", limit: "1 day after expiry") {
            session, now throws(PostgresError) in
            try session.execute(
                "DELETE FROM verification.tele_tan WHERE expires_at < \(now.addingTimeInterval(-day))")
        },
        // A registration is deleted after at most 21 days and an hour, and a TAN of it expires within another day.
        RetentionRule(.verification, "verification.used_tan", limit: "23 days") { session, now throws(PostgresError) in
            try session.execute("DELETE FROM verification.used_tan WHERE day < \(now.dayNumber - 23)")
        },
        RetentionRule(.verification, "verification.officer_hour", limit: "the hour") {
            session, now throws(PostgresError) in
            try session.execute("DELETE FROM verification.officer_hour WHERE hour < \(now.hourNumber)")
        },
        RetentionRule(.verification, "verification.refused_tele_tan", limit: "1 day") {
            session, now throws(PostgresError) in
            let firstKept = now.hourNumber - 24
            return try session.execute("DELETE FROM verification.refused_tele_tan WHERE hour < \(firstKept)")
        },
    ]
}
