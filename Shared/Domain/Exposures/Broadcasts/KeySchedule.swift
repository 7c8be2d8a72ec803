import Crypto
import CryptoExtras
package import ExposureKeys

/// Derives a day key's broadcasts (Exposure Notification Cryptography Specification 1.2): two keys by HKDF-SHA256, then one AES-128 block
/// for each identifier, and one for its metadata.
///
/// It serves the few keys of the phone itself and those that it has met; the phone's matcher computes the same identifiers for the many keys
/// of others.
package struct KeySchedule: Sendable {
    let identifierKey: SymmetricKey
    let metadataKey: SymmetricKey

    /// Derives both keys once for all intervals; the day's key itself isn't kept.
    package init(_ key: KeyData) {
        identifierKey = Self.derive("EN-RPIK", from: key)
        metadataKey = Self.derive("EN-AEMK", from: key)
    }

    private static func derive(_ purpose: String, from key: KeyData) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: key.bytes), info: Array(purpose.utf8), outputByteCount: 16)
    }

    /// The identifier of one interval: "EN-RPI", six zero bytes and the interval in little endian, encrypted.
    package func identifier(at interval: IntervalNumber) throws -> RollingProximityIdentifier {
        let number = interval.rawValue
        var block = Array("EN-RPI".utf8) + [0, 0, 0, 0, 0, 0]
        block += [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number >> $0) }
        try AES.permute(&block, key: identifierKey)
        guard let identifier = RollingProximityIdentifier(block) else { preconditionFailure("a block has 16 bytes") }
        return identifier
    }

    /// What is on air in one interval.
    package func advertisement(
        at interval: IntervalNumber, _ metadata: BroadcastMetadata
    ) throws -> Advertisement {
        let identifier = try identifier(at: interval)
        return Advertisement(identifier: identifier, metadata: try encrypt(metadata, under: identifier))
    }

    /// The metadata that are broadcast with an identifier.
    package func encrypt(
        _ metadata: BroadcastMetadata, under identifier: RollingProximityIdentifier
    ) throws -> EncryptedMetadata {
        EncryptedMetadata(rawValue: try mask(of: identifier) ^ metadata.packed)
    }

    /// The metadata that were received with an identifier; nil if they are of another major version than 1.
    ///
    /// They aren't authenticated: whoever repeats a broadcast can change them.
    package func decrypt(
        _ metadata: EncryptedMetadata, under identifier: RollingProximityIdentifier
    ) throws -> BroadcastMetadata? {
        BroadcastMetadata(packed: try mask(of: identifier) ^ metadata.rawValue)
    }

    /// The first four bytes of AES-128 in counter mode, whose first counter block is the identifier.
    private func mask(of identifier: RollingProximityIdentifier) throws -> UInt32 {
        var block = identifier.bytes
        try AES.permute(&block, key: metadataKey)
        return block.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
