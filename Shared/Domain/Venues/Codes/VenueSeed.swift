package import Crypto
import FoundationEssentials

/// The secret of a venue, which its QR code shows and no server ever has. Who has it can make and read the venue's reports.
///
/// HKDF-SHA-256 of the seed, without salt, gives an encryption key and an authentication key of 32 bytes each.
package struct VenueSeed: Hashable, Sendable {
    /// 16 to 64 bytes, made at random at the venue.
    package let bytes: [UInt8]

    /// Sixteen bytes are the least that Apple's document allows.
    package static let sizes = 16...64
    private static let information = Array("EN-VenueCheckIn-v1".utf8)

    /// Nil for fewer than 16 or more than 64 bytes.
    package init?(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard Self.sizes.contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// What reports of this venue are encrypted and authenticated with.
    package var keys: VenueKeys {
        let derived = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: bytes), info: Self.information, outputByteCount: 64)
        return derived.withUnsafeBytes {
            VenueKeys(
                encryption: SymmetricKey(data: $0.prefix(32)), authentication: SymmetricKey(data: $0.suffix(32)))
        }
    }
}

/// The two keys of a venue's reports, 32 bytes each.
package struct VenueKeys: Sendable {
    /// For AES-256-CTR.
    package let encryption: SymmetricKey
    /// For HMAC-SHA-256.
    package let authentication: SymmetricKey
}
