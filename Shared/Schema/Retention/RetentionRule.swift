package import FoundationEssentials
import Postgres

/// How long tables keep their rows.
///
/// The rules and the migrations of a schema are side by side in its folder. Together they say who may know what, and for how
/// long. The service that works in the schema applies the rules regularly (``Retention``).
package struct RetentionRule: Sendable {
    /// The role of the service that applies the rule.
    package let role: DatabaseRole
    /// The tables whose rows it deletes or redeems, each as `schema.table`.
    package let tables: [String]
    /// When a row expires, in words.
    package let limit: String
    /// Deletes or redeems the rows that have expired at an instant, and returns their number. What is counted is counted by the
    /// calendar's days.
    let delete: @Sendable (Session, Date, LocalCalendar) throws(PostgresError) -> Int

    init(
        _ role: DatabaseRole, _ tables: String..., limit: String,
        delete: @escaping @Sendable (Session, Date) throws(PostgresError) -> Int
    ) {
        self.init(role, tables, limit: limit) { session, now, _ throws(PostgresError) in try delete(session, now) }
    }

    /// A rule that counts what it deletes, in the same statement.
    init(
        counting role: DatabaseRole, _ table: String, limit: String,
        delete: @escaping @Sendable (Session, Date, LocalCalendar) throws(PostgresError) -> Int
    ) {
        self.init(role, [table], limit: limit, delete: delete)
    }

    private init(
        _ role: DatabaseRole, _ tables: [String], limit: String,
        delete: @escaping @Sendable (Session, Date, LocalCalendar) throws(PostgresError) -> Int
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

    /// The maximum number of rows for one statement of ``inBatches(_:)``, so that a backlog of weeks neither exceeds the
    /// statement timeout nor blocks requests.
    static let batch: Int64 = 10_000

    /// Repeats a statement until it affects less than a whole batch.
    ///
    /// The statement should skip locked rows, so that there are no deadlocks; the next run takes them.
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
