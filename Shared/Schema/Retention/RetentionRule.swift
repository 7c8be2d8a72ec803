package import FoundationEssentials
import Postgres

/// For how long tables keep their rows.
///
/// The rules and the migrations of a schema, side by side in its folder, say who may know what for how long. The service that works in
/// the schema applies them regularly (``Retention``).
package struct RetentionRule: Sendable {
    /// The service that connects as this role applies the rule.
    package let role: DatabaseRole
    /// The tables from which it deletes, or whose rows it redeems, each as `schema.table`.
    package let tables: [String]
    /// When a row goes, in words.
    package let limit: String
    /// Deletes or redeems what is too old at an instant, and returns the number of rows.
    let delete: @Sendable (Session, Date) throws(PostgresError) -> Int

    init(
        _ role: DatabaseRole, _ tables: String..., limit: String,
        delete: @escaping @Sendable (Session, Date) throws(PostgresError) -> Int
    ) {
        self.role = role
        self.tables = tables
        self.limit = limit
        self.delete = delete
    }

    /// Tables and limit, for the log.
    package var name: String { "\(tables.joined(separator: ", ")): \(limit)" }

    /// A day in seconds.
    static let day: TimeInterval = 86_400

    /// The most rows that one statement of ``inBatches(_:)`` takes, so that a backlog of weeks neither exceeds the statement timeout
    /// nor keeps requests waiting.
    static let batch: Int64 = 10_000

    /// Repeats a statement until it finds less than a whole batch. The statement should skip rows that are locked: they are left to the
    /// next run, so that nobody waits in a cycle.
    static func inBatches(_ statement: () throws(PostgresError) -> Int) throws(PostgresError) -> Int {
        var total = 0
        while true {
            let rows = try statement()
            total += rows
            if rows < batch { return total }
        }
    }
}

extension Date {
    /// Whole hours since 1970, UTC: the finest time that many tables store.
    package var hourNumber: Int32 { Int32(clamping: Int64((timeIntervalSince1970 / 3600).rounded(.down))) }
    /// Whole days since 1970, UTC.
    package var dayNumber: Int32 { Int32(clamping: Int64((timeIntervalSince1970 / 86_400).rounded(.down))) }
}
