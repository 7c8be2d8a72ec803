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
    func insert(_ entry: SealedEntry, day: Int32, form: Digest) async throws {
        try await database.session { session in
            _ = try session.execute(
                """
                INSERT INTO health_portal.audit (form_hash, day, sealed)
                VALUES (\(form.bytes), \(day), \(entry.bytes)) ON CONFLICT DO NOTHING
                """)
        }
    }
}
