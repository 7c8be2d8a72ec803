import AuditFormat
import Postgres

/// The sealed audit, as its owner exports it.
enum AuditTable {
    /// Reads all entries, and records that they were read.
    ///
    /// - Parameter name: who exports.
    /// - Returns: the entries by day, and within a day in an order that says nothing about the time.
    static func export(
        by name: String, from owner: PostgresClient
    ) async throws -> [(day: Int32, sealed: SealedEntry)] {
        try await owner.transaction { session in
            let rows = try session.rows(
                """
                SELECT day, sealed FROM (
                    SELECT day, form_hash AS hash, sealed FROM health_portal.audit
                    UNION ALL SELECT day, sha256(sealed), sealed FROM donation.raw_audit
                ) AS entry ORDER BY day, hash
                """, as: Int32.self, [UInt8].self)
            try session.execute(
                """
                INSERT INTO health_portal.audit_read (read_at, role, name, entries)
                VALUES (clock_timestamp(), session_user, \(name), \(Int32(rows.count)))
                """)
            return rows.compactMap { day, bytes in SealedEntry(bytes: bytes).map { (day, $0) } }
        }
    }
}
