import FoundationEssentials
import Postgres

extension RetentionRule {
    /// The rules of the schema `venues`. A tombstone stays as long as its event would have: until no phone knows the event.
    static let venues: [RetentionRule] = [
        RetentionRule(.healthPortal, "venues.event", limit: "14 days after the end") {
            session, now throws(PostgresError) in
            let last = Int32(clamping: Int64(now.timeIntervalSince1970) / 600 - 14 * 144)
            return try session.execute("DELETE FROM venues.event WHERE end_interval <= \(last)")
        }
    ]
}
