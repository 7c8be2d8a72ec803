import Credentials
import ExposureKeys
import FoundationEssentials
import HourKeys
import Postgres

import enum Crypto.Curve25519

/// The inbox as the server uses it: it may add rows, ask for a tag, and read public keys, and nothing else.
struct DonationStore: Sendable {
    private let database: PostgresClient

    /// - Parameter database: connected as `vigil_donation`.
    init(_ database: PostgresClient) { self.database = database }

    /// The first open key at or after an hour; nil if the fold hasn't created one.
    func openKey(atOrAfter hour: Hour) async throws -> HourPublicKey? {
        let row = try await database.session { session in
            try session.row(
                """
                SELECT hour, public_key FROM donation.hour_key
                WHERE hour >= \(hour.number) AND NOT closed ORDER BY hour LIMIT 1
                """, as: Int32.self, [UInt8].self)
        }
        guard let (number, bytes) = row else { return nil }
        return HourPublicKey(
            hour: Hour(number: number), key: try Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes))
    }

    /// Whether a donation waits under a tag.
    func isWaiting(_ tag: Digest) async throws -> Bool {
        try await database.session { session in
            try session.row("SELECT donation.is_waiting(\(tag.bytes))", as: Bool.self) ?? false
        }
    }

    /// Stores a donation, and takes what admits its app, in one transaction. A donation whose tag is there already takes nothing.
    /// - Returns: false if the hour is closed or has another key by now; then nothing is stored or taken.
    /// - Throws: ``Refusal``.
    func insert(
        _ row: DonationRow, sealedTo hourKey: HourPublicKey, admittedBy admission: Admission, at now: Date
    ) async throws -> Bool {
        let key = Array(hourKey.key.rawRepresentation)
        return try await database.transaction { session in
            let outcome = try AdmissionStore.store(
                """
                SELECT donation.store_donation(\(row.hour.number), \(key), \(row.tag.bytes), \(row.sealed.bytes))
                    AS outcome
                """, admittedBy: admission, for: .analytics, at: now, in: session)
            return outcome != "closed"
        }
    }
}
