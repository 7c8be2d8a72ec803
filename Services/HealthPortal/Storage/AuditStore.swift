import AuditFormat
import Credentials
import Postgres

/// The table `health_portal.audit`.
struct AuditStore: Sendable {
    private let database: PostgresClient

    init(_ database: PostgresClient) {
        self.database = database
    }

    /// Stores an entry, unless there is one of this form.
    func insert(_ row: AuditRow) async throws {
        try await database.session { session in try Self.insert(row, in: session) }
    }

    /// The same within the transaction of what it tells of.
    static func insert(_ row: AuditRow, in session: Session) throws(PostgresError) {
        try session.execute(
            """
            INSERT INTO health_portal.audit (form_hash, day, sealed)
            VALUES (\(row.form.bytes), \(row.day), \(row.entry.bytes)) ON CONFLICT DO NOTHING
            """)
    }
}

/// A sealed entry with what finds a repeat.
struct AuditRow: Sendable {
    let entry: SealedEntry
    let day: Int32
    /// Of a form or an act. Rows are found and exported by it, and its order says nothing about the time of day.
    let form: Digest
}
