import Crypto

/// A venue with a QR code. Who scanned it can make and read the reports of its visitors; to everybody else they are random bytes.
///
/// The derivations are those of the published apps (cwa-app-android, `CheckInCryptography.kt`, `TraceLocationId`).
package struct Venue: Hashable, Sendable {
    /// The secret that all else is derived from: 32 bytes.
    private let locationID: [UInt8]

    /// Nil unless there are 32 bytes.
    package init?(locationID: [UInt8]) {
        guard locationID.count == SHA256.byteCount else { return nil }
        self.locationID = locationID
    }

    /// The venue of a QR code, by the bytes of the code's payload.
    package init(qrCodePayload: [UInt8]) {
        locationID = Array(SHA256.hash(data: Array("CWA-GUID".utf8) + qrCodePayload))
    }

    /// The name under which reports of this venue are found: 32 bytes.
    var locationIDHash: [UInt8] { Array(SHA256.hash(data: locationID)) }
    /// For AES-256-CBC.
    var encryptionKey: SymmetricKey { key("CWA-ENCRYPTION-KEY") }
    /// For HMAC-SHA-256.
    var authenticationKey: SymmetricKey { key("CWA-MAC-KEY") }

    private func key(_ purpose: String) -> SymmetricKey {
        SymmetricKey(data: SHA256.hash(data: Array(purpose.utf8) + locationID))
    }
}
