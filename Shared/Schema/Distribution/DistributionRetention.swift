import FoundationEssentials
import Postgres

extension RetentionRule {
    /// The rules of the schema `distribution`.
    static let distribution: [RetentionRule] = [
        RetentionRule(.distribution, "distribution.published_hour", limit: "15 days") {
            session, now throws(PostgresError) in
            let firstKept = now.hourNumber - 15 * 24
            return try session.execute("DELETE FROM distribution.published_hour WHERE hour < \(firstKept)")
        },
        RetentionRule(.distribution, "distribution.published_venue_bundle", limit: "15 days") {
            session, now throws(PostgresError) in
            let firstKept = now.hourNumber - 15 * 24
            return try session.execute(
                "DELETE FROM distribution.published_venue_bundle WHERE first_hour < \(firstKept)")
        },
        RetentionRule(.distribution, "distribution.signature", limit: "15 days unused") {
            session, now throws(PostgresError) in
            try session.execute(
                "DELETE FROM distribution.signature WHERE used_at < \(now.addingTimeInterval(-15 * day))")
        },
        RetentionRule(.distribution, "distribution.announced_event", limit: "15 days") {
            session, now throws(PostgresError) in
            try session.execute(
                "DELETE FROM distribution.announced_event WHERE announced_at < \(now.addingTimeInterval(-15 * day))")
        },
    ]
}
