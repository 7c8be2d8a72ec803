import Crypto
import CryptoExtras
package import ExposureKeys

/// Derives a day key's broadcasts (Exposure Notification Cryptography Specification 1.2): a rolling proximity identifier key by
/// HKDF-SHA256, then one AES-128 block for each interval.
///
/// It serves the few keys of the phone itself; ``Matcher`` computes the same for the many keys of others.
package struct KeySchedule: Sendable {
    private let identifierKey: SymmetricKey

    /// Derives the identifier key once for all intervals; the day's key itself isn't kept.
    package init(_ key: KeyData) {
        identifierKey = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: key.bytes), info: Array("EN-RPIK".utf8), outputByteCount: 16)
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
}
