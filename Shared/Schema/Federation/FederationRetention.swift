import FoundationEssentials
import Postgres

extension RetentionRule {
    /// The rules of the schema `federation`. No key in a batch is published for longer than 14 days.
    static let federation: [RetentionRule] = [
        RetentionRule(.federation, "federation.shared_slot", limit: "15 days") {
            session, now throws(PostgresError) in
            let firstKept = now.hourNumber - 15 * 24
            return try session.execute("DELETE FROM federation.shared_slot WHERE hour < \(firstKept)")
        },
        RetentionRule(.federation, "federation.outgoing_batch", limit: "15 days") {
            session, now throws(PostgresError) in
            let firstKept = now.hourNumber - 15 * 24
            return try session.execute("DELETE FROM federation.outgoing_batch WHERE hour < \(firstKept)")
        },
        RetentionRule(
            .federation, "federation.incoming_batch", "federation.audited_upload", "federation.left_out",
            limit: "15 days"
        ) { session, now throws(PostgresError) in
            let firstKept = now.dayNumber - 15
            return try session.execute("DELETE FROM federation.incoming_batch WHERE day < \(firstKept)")
        },
        RetentionRule(.federation, "federation.failing_call", limit: "15 days") { session, now throws(PostgresError) in
            try session.execute(
                "DELETE FROM federation.failing_call WHERE failed_at < \(now.addingTimeInterval(-15 * 86_400))")
        },
    ]
}
