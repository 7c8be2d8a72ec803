import AuditFormat
import FoundationEssentials
import Glibc
import Postgres

/// The folded tables row by row, and the audit of who took them.
enum RawRows {
    /// Each table with its rows as JSON. They are ordered by what is in them: the order in which they were inserted would tell the
    /// hour of a donation.
    private static let queries: [(name: String, rows: SQL)] = [
        ("user_group", "SELECT row_to_json(donated)::text FROM donation.user_group AS donated ORDER BY donated"),
        ("client", "SELECT row_to_json(donated)::text FROM donation.client AS donated ORDER BY donated"),
        ("exposure_risk", "SELECT row_to_json(donated)::text FROM donation.exposure_risk AS donated ORDER BY donated"),
        (
            "exposure_window",
            "SELECT row_to_json(donated)::text FROM donation.exposure_window AS donated ORDER BY donated"
        ),
        ("test_result", "SELECT row_to_json(donated)::text FROM donation.test_result AS donated ORDER BY donated"),
        (
            "key_submission_by_user",
            "SELECT row_to_json(donated)::text FROM donation.key_submission_by_user AS donated ORDER BY donated"
        ),
        (
            "key_submission_by_client",
            "SELECT row_to_json(donated)::text FROM donation.key_submission_by_client AS donated ORDER BY donated"
        ),
    ]
    /// For tables of millions of rows.
    private static let time: Duration = .seconds(3600)

    /// Stores an entry, before any row is read.
    static func note(_ entry: SealedEntry, day: Int32, _ session: Session) throws(PostgresError) {
        try session.execute("INSERT INTO donation.raw_audit (day, sealed) VALUES (\(day), \(entry.bytes))")
    }

    /// Writes a file for each table, an object a line, which only the user who runs this may read.
    /// - Returns: the number of rows.
    static func write(to directory: URL, from database: PostgresClient) async throws -> Int {
        try await database.transaction { session in
            try session.limitStatements(to: time)
            var count = 0
            for (name, rows) in queries {
                let path = directory.appending(path: "\(name).jsonl").path
                let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
                guard file >= 0 else { throw FilesNotWritten() }
                defer { close(file) }
                var buffer: [UInt8] = []
                count += try session.copyOut(rows) { row in
                    buffer += try row.next(String.self).utf8
                    buffer.append(0x0A)
                    guard buffer.count > 1 << 20 else { return }
                    try append(buffer, to: file)
                    buffer.removeAll(keepingCapacity: true)
                }
                try append(buffer, to: file)
            }
            return count
        }
    }

    private static func append(_ bytes: [UInt8], to file: Int32) throws(FilesNotWritten) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FilesNotWritten() }
            rest = rest.dropFirst(count)
        }
    }
}
