import FoundationEssentials
import Postgres

extension RetentionRule {
    /// The rules of the schema `foreign_keys`: those of home keys.
    static let foreignKeys: [RetentionRule] = [
        RetentionRule(
            .federation, "foreign_keys.diagnosis_key",
            limit: "14 days after their period, at most after the day of its start"
        ) { session, now throws(PostgresError) in
            let firstKept = now.dayNumber - 14
            let dropped: Int32? = try session.row(
                "SELECT foreign_keys.drop_days_before(\(firstKept))", as: Int32.self)
            let firstEndKept = Int32(clamping: Int64((now.timeIntervalSince1970 / 600).rounded(.up))) - 14 * 144
            let deleted: Int32? = try session.row(
                "SELECT foreign_keys.delete_keys_ended_before(\(firstEndKept))", as: Int32.self)
            return Int((dropped ?? 0) + (deleted ?? 0))
        },
        RetentionRule(.federation, "foreign_keys.imported_hour", limit: "15 days") {
            session, now throws(PostgresError) in
            let firstKept = now.hourNumber - 15 * 24
            return try session.execute("DELETE FROM foreign_keys.imported_hour WHERE hour < \(firstKept)")
        },
    ]
}
