import Credentials
import ExposureKeys
import HourKeys
import Postgres
import Schema

import enum Crypto.Curve25519

/// The inbox as the server uses it: it may add rows and read public keys, and nothing else.
struct InboxStore: Sendable {
    private let database: PostgresClient

    /// - Parameter database: connected as `vigil_submission`.
    init(_ database: PostgresClient) {
        self.database = database
    }

    /// The key that uploads are sealed to now.
    func currentKey(by clock: DatabaseClock) -> CurrentHourKey { CurrentHourKey(clock: clock, openKey: openKey) }

    /// The first open key at or after an hour; nil if the fold hasn't created one.
    func openKey(atOrAfter hour: Hour) async throws -> HourPublicKey? {
        let row = try await database.session { session in
            try session.row(
                """
                SELECT hour, public_key FROM submission.hour_key
                WHERE hour >= \(hour.number) AND NOT closed ORDER BY hour LIMIT 1
                """, as: Int32.self, [UInt8].self)
        }
        guard let (number, bytes) = row else { return nil }
        return HourPublicKey(
            hour: Hour(number: number), key: try Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes))
    }

    /// Stores uploads that are sealed to one hour's key, except those whose tag is already there.
    ///
    /// It waits for a commit even without any rows, so that a dummy request takes as long as a real one (``SQL/commitMark``).
    /// - Returns: false if the hour is closed or has another key by now; then nothing is stored.
    func insert(_ rows: [InboxRow], sealedTo hourKey: HourPublicKey) async throws -> Bool {
        let (tags, sealed) = (rows.map(\.tag.bytes), rows.map(\.sealed.bytes))
        let (hour, key) = (hourKey.hour.number, Array(hourKey.key.rawRepresentation))
        return try await database.session { session in
            let stored = try session.row(
                "SELECT submission.store_uploads(\(hour), \(key), \(tags), \(sealed)), \(SQL.commitMark) IS NULL",
                as: Bool.self, Bool.self)
            return stored?.0 == true
        }
    }
}
