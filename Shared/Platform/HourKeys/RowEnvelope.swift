package import Credentials
package import ExposureKeys
import FoundationEssentials

package import enum Crypto.ChaChaPoly
package import enum Crypto.Curve25519
package import enum Crypto.HPKE

/// Seals the rows of an inbox, so that only the holder of their hour's private key can open them.
///
/// HPKE (RFC 9180) in base mode with X25519 and HKDF-SHA256: rows that are stored together share one encapsulated key, whose exported
/// secret (5.3) seals each with ChaCha20-Poly1305 under a nonce of its own. The sender forgets the secret with the batch. Tag and hour are
/// authenticated with it: a row that was moved under another tag or hour doesn't open.
package struct RowEnvelope: Sendable {
    private static let suite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly
    private static let context = Data("rows".utf8)
    private static let encapsulatedKeySize = 32

    private let info: Data

    /// How many bytes a sealed row has beyond its plaintext: the encapsulated key, nonce (12), authentication code (16).
    package static let overhead = encapsulatedKeySize + 12 + 16

    /// An inbox's.
    /// - Parameter inbox: names inbox and format. A row that was sealed for another doesn't open.
    package init(for inbox: String) { info = Data(inbox.utf8) }

    /// Seals the plaintexts of rows that are stored together.
    /// - Returns: in the same order, each with the encapsulated key, nonce, ciphertext, and authentication code.
    package func seal(_ rows: [(tag: Digest, plaintext: [UInt8])], to hourKey: HourPublicKey) throws -> [[UInt8]] {
        let sender = try HPKE.Sender(recipientKey: hourKey.key, ciphersuite: Self.suite, info: info)
        let secret = try sender.exportSecret(context: Self.context, outputByteCount: 32)
        return try rows.map { row in
            let box = try ChaChaPoly.seal(
                row.plaintext, using: secret, authenticating: Self.authenticated(row.tag, hourKey.hour))
            return Array(sender.encapsulatedKey + box.combined)
        }
    }

    /// The plaintext of a row; nil if it wasn't sealed to this key or has been changed. Safe to use from several threads.
    package func open(
        _ sealed: [UInt8], tag: Digest, hour: Hour, with key: Curve25519.KeyAgreement.PrivateKey
    ) -> [UInt8]? {
        guard
            let recipient = try? HPKE.Recipient(
                privateKey: key, ciphersuite: Self.suite, info: info,
                encapsulatedKey: Data(sealed.prefix(Self.encapsulatedKeySize))),
            let secret = try? recipient.exportSecret(context: Self.context, outputByteCount: 32),
            let box = try? ChaChaPoly.SealedBox(combined: Data(sealed.dropFirst(Self.encapsulatedKeySize))),
            let plaintext = try? ChaChaPoly.open(box, using: secret, authenticating: Self.authenticated(tag, hour))
        else { return nil }
        return Array(plaintext)
    }

    private static func authenticated(_ tag: Digest, _ hour: Hour) -> Data {
        Data(tag.bytes) + withUnsafeBytes(of: hour.number.bigEndian) { Data($0) }
    }
}
