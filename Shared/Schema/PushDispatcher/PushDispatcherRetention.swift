import FoundationEssentials
import Postgres

extension RetentionRule {
    /// The rules of the schema `push_dispatcher`.
    static let pushDispatcher: [RetentionRule] = [
        // A phone renews its registration after 14 days. If it doesn't, the app or the phone is no longer in use.
        RetentionRule(.pushDispatcher, "push_dispatcher.registration", limit: "30 days after the last renewal") {
            session, now throws(PostgresError) in
            let firstKept = now.hourNumber - 30 * 24
            return try inBatches { () throws(PostgresError) in
                try session.execute(
                    """
                    WITH old AS MATERIALIZED (
                        SELECT instance_hash FROM push_dispatcher.registration WHERE registered_hour < \(firstKept)
                        LIMIT \(batch) FOR UPDATE SKIP LOCKED
                    )
                    DELETE FROM push_dispatcher.registration USING old
                    WHERE registration.instance_hash = old.instance_hash
                    """)
            }
        },
        RetentionRule(.pushDispatcher, "push_dispatcher.wave", limit: "7 days") { session, now throws(PostgresError) in
            try session.execute(
                "DELETE FROM push_dispatcher.wave WHERE planned_at < \(now.addingTimeInterval(-7 * day))")
        },
    ]
}
