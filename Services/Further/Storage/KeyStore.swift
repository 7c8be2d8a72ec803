import FoundationEssentials
import FurtherAPI
import Postgres
import Schema

/// The table `further.key`.
struct KeyStore: Sendable {
    private let database: PostgresClient

    init(_ database: PostgresClient) { self.database = database }

    /// A public key in the form of X9.63; nil if it isn't known, or not any more.
    func publicKey(of name: KeyName) async throws -> [UInt8]? {
        try await database.session { session in
            try session.row("SELECT public_key FROM further.key WHERE key = \(name.bytes)", as: [UInt8].self)
        }
    }

    /// Remembers a public key, or that it is used.
    func insert(_ name: KeyName, _ publicKey: [UInt8], at now: Date) async throws {
        _ = try await database.session { session in
            try session.execute(
                """
                INSERT INTO further.key AS known (key, public_key, used_day, written_hour)
                VALUES (\(name.bytes), \(publicKey), \(now.dayNumber), \(now.hourNumber))
                ON CONFLICT (key) DO UPDATE SET used_day = excluded.used_day, written_hour = excluded.written_hour
                WHERE known.used_day < excluded.used_day
                """)
        }
    }
}
