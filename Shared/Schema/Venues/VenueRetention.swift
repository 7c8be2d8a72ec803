import FoundationEssentials
import Postgres

extension RetentionRule {
    /// The rules of the schema `venues`. A tombstone stays as long as its event would have: until no phone knows the event.
    static let venues: [RetentionRule] = [
        RetentionRule(.healthPortal, "venues.event", limit: "14 days after the end") {
            session, now throws(PostgresError) in
            let last = Int32(clamping: Int64(now.timeIntervalSince1970) / 600 - 14 * 144)
            return try session.execute("DELETE FROM venues.event WHERE end_interval <= \(last)")
        },
        RetentionRule(.healthPortal, "venues.trace_key", limit: "14 days after the day") {
            session, now throws(PostgresError) in
            let first = Int32(clamping: Int64(now.timeIntervalSince1970) / 86_400 - 14)
            return try session.execute("DELETE FROM venues.trace_key WHERE day < \(first)")
        },
        // A token is valid for an hour at most, by clocks that differ by a minute.
        RetentionRule(.healthPortal, "venues.trace_key_upload", limit: "4 hours") {
            session, now throws(PostgresError) in
            let first = Int32(clamping: Int64(now.timeIntervalSince1970) / 7_200 - 1)
            return try session.execute("DELETE FROM venues.trace_key_upload WHERE bucket < \(first)")
        },
    ]
}
