import Credentials
import FoundationEssentials
import Postgres
import Schema

/// The table of the tokens that iPhones' apps choose for a month (`api_token` in cwa-ppa-server).
struct MonthTokenStore: Sendable {
    private let database: PostgresClient

    init(_ database: PostgresClient) { self.database = database }

    /// What is known of a token.
    struct Known: Sendable {
        /// Whether Apple was told of the device's admission.
        let isMarked: Bool
        /// Whether its month is over.
        let hasExpired: Bool
    }

    /// Nil for a token that nobody sent before.
    func find(_ hash: Digest, at now: Date) async throws -> Known? {
        let row = try await database.session { session in
            try session.row(
                "SELECT is_marked, last_hour < \(now.hourNumber) FROM donation.month_token WHERE token_hash = \(hash.bytes)",
                as: Bool.self, Bool.self)
        }
        return row.map { Known(isMarked: $0.0, hasExpired: $0.1) }
    }

    /// Stores a token before Apple is told, so that a device whose month is taken isn't refused when it repeats its request.
    func insert(_ hash: Digest, until end: Date) async throws {
        _ = try await database.session { session in
            try session.execute(
                """
                INSERT INTO donation.month_token (token_hash, last_hour) VALUES (\(hash.bytes), \(end.hourNumber - 1))
                ON CONFLICT DO NOTHING
                """)
        }
    }

    /// Remembers that Apple was told.
    func mark(_ hash: Digest) async throws {
        _ = try await database.session { session in
            try session.execute("UPDATE donation.month_token SET is_marked = true WHERE token_hash = \(hash.bytes)")
        }
    }
}
