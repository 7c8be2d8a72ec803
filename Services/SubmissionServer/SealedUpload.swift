import Credentials
import ExposureKeys
import Foundation

import enum Crypto.Curve25519
import enum Crypto.HPKE

/// An upload that only the holder of the hour's private key can open.
///
/// HPKE (RFC 9180) in base mode with X25519, HKDF-SHA256 and ChaCha20-Poly1305. The plaintext always has room for the
/// largest upload, so that the size doesn't tell how many keys there are. Tag and hour are authenticated with it: a row
/// that was moved under another tag or hour doesn't open.
struct SealedUpload: Sendable {
    /// The encapsulated key (32 bytes), then the ciphertext.
    let bytes: [UInt8]

    /// The most keys an upload may have.
    static let capacity = 14
    private static let plaintextSize = 1 + capacity * KeyRecord.size
    private static let suite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly
    private static let info = Data("vigil inbox 1".utf8)
    private static let encapsulatedKeySize = 32

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(sealing keys: [DiagnosisKey], tag: Digest, to hourKey: HourPublicKey) throws {
        precondition(keys.count <= Self.capacity)
        var plaintext = [UInt8(keys.count)] + keys.flatMap(KeyRecord.encode)
        plaintext += [UInt8](repeating: 0, count: Self.plaintextSize - plaintext.count)
        var sender = try HPKE.Sender(recipientKey: hourKey.key, ciphersuite: Self.suite, info: Self.info)
        let ciphertext = try sender.seal(Data(plaintext), authenticating: Self.context(tag, hourKey.hour))
        bytes = Array(sender.encapsulatedKey) + Array(ciphertext)
    }

    /// Nil when the row was not sealed to this key, or was changed since.
    func open(tag: Digest, hour: Hour, with key: Curve25519.KeyAgreement.PrivateKey) -> [DiagnosisKey]? {
        let encapsulated = Data(bytes.prefix(Self.encapsulatedKeySize))
        let ciphertext = Data(bytes.dropFirst(Self.encapsulatedKeySize))
        guard
            var recipient = try? HPKE.Recipient(
                privateKey: key, ciphersuite: Self.suite, info: Self.info, encapsulatedKey: encapsulated),
            let plaintext = try? recipient.open(ciphertext, authenticating: Self.context(tag, hour)),
            plaintext.count == Self.plaintextSize, let count = plaintext.first, count <= Self.capacity
        else { return nil }
        let records = Array(plaintext.dropFirst())
        let keys = (0..<Int(count)).compactMap {
            KeyRecord.decode(records[($0 * KeyRecord.size)..<(($0 + 1) * KeyRecord.size)])
        }
        return keys.count == Int(count) ? keys : nil
    }

    private static func context(_ tag: Digest, _ hour: Hour) -> Data {
        Data(tag.bytes) + withUnsafeBytes(of: hour.number.bigEndian) { Data($0) }
    }
}

/// The public half of an hour's key.
struct HourPublicKey: Sendable {
    let hour: Hour
    let key: Curve25519.KeyAgreement.PublicKey
}
