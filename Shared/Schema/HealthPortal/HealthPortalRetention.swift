package import FoundationEssentials
import Postgres

extension RetentionRule {
    /// How many minutes after its last request a session ends.
    package static let idleMinutes: Int32 = 30
    /// How many minutes after the sign-in a session ends.
    package static let sessionMinutes: Int32 = 10 * 60
    /// How many minutes a log-out token is remembered: two for which it may be used, one for clocks, and the rest of two more.
    static let logOutTokenMinutes: Int32 = 5

    /// The rules of the schema `health_portal`.
    static let healthPortal: [RetentionRule] = [
        RetentionRule(
            .healthPortal, "health_portal.session", limit: "30 minutes after the last request, 10 hours at most"
        ) { session, now throws(PostgresError) in
            try session.execute(
                """
                DELETE FROM health_portal.session
                WHERE used_minute <= \(now.minuteNumber - idleMinutes)
                    OR opened_minute <= \(now.minuteNumber - sessionMinutes)
                """)
        },
        RetentionRule(.healthPortal, "health_portal.log_out_token", limit: "5 minutes") {
            session, now throws(PostgresError) in
            let firstKept = now.minuteNumber - logOutTokenMinutes
            return try session.execute("DELETE FROM health_portal.log_out_token WHERE used_minute < \(firstKept)")
        },
        RetentionRule(.healthPortal, "health_portal.audit", limit: "30 days") { session, now throws(PostgresError) in
            try session.execute("DELETE FROM health_portal.audit WHERE day < \(now.dayNumber - 30)")
        },
    ]
}

extension Date {
    /// Whole minutes since 1970, UTC: the finest time that sessions store.
    package var minuteNumber: Int32 { Int32(clamping: Int64((timeIntervalSince1970 / 60).rounded(.down))) }
}
