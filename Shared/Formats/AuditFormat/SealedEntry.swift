import FoundationEssentials

import enum Crypto.Curve25519
import enum Crypto.HPKE

/// An entry that only the auditor can open: HPKE (RFC 9180) in base mode with X25519, HKDF-SHA256 and ChaCha20-Poly1305, each with
/// an encapsulated key of its own.
///
/// All have the same length. The day is authenticated with it, so a row that was moved to another day doesn't open.
package struct SealedEntry: Hashable, Sendable {
    /// The encapsulated key (32 bytes), ciphertext, authentication code (16).
    package let bytes: [UInt8]

    /// Bytes of every sealed entry.
    package static let size = keySize + AuditEntry.size + 16

    fileprivate static let keySize = 32
    fileprivate static let suite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly
    fileprivate static let info = Data("vigil audit 1".utf8)

    /// Nil unless it has the length of a sealed entry.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }

    fileprivate init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    fileprivate static func authenticated(_ day: Int32) -> Data { withUnsafeBytes(of: day.bigEndian) { Data($0) } }
}

/// The auditor's public key, to which the service seals.
package struct AuditorPublicKey: Sendable {
    private let key: Curve25519.KeyAgreement.PublicKey

    /// Nil unless there are 32 bytes.
    package init?(bytes: [UInt8]) {
        guard let key = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes) else { return nil }
        self.key = key
    }

    fileprivate init(_ key: Curve25519.KeyAgreement.PublicKey) { self.key = key }

    /// 32 bytes.
    package var bytes: [UInt8] { Array(key.rawRepresentation) }

    /// Seals an entry; twice the same gives different bytes.
    package func seal(_ entry: AuditEntry) throws -> SealedEntry {
        var sender = try HPKE.Sender(recipientKey: key, ciphersuite: SealedEntry.suite, info: SealedEntry.info)
        let box = try sender.seal(entry.encoded, authenticating: SealedEntry.authenticated(entry.day))
        return SealedEntry(unchecked: Array(sender.encapsulatedKey + box))
    }
}

/// The auditor's private key, which never comes near the service.
package struct AuditorKey: Sendable {
    private let key: Curve25519.KeyAgreement.PrivateKey

    /// A new key.
    package init() { key = Curve25519.KeyAgreement.PrivateKey() }

    /// Nil unless there are 32 bytes.
    package init?(bytes: [UInt8]) {
        guard let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes) else { return nil }
        self.key = key
    }

    /// 32 bytes. They must not be logged.
    package var bytes: [UInt8] { Array(key.rawRepresentation) }

    /// What the service is given.
    package var publicKey: AuditorPublicKey { AuditorPublicKey(key.publicKey) }

    /// Nil if the entry was sealed to another key, is of another day, or was changed.
    package func open(_ sealed: SealedEntry, day: Int32) -> AuditEntry? {
        guard
            var recipient = try? HPKE.Recipient(
                privateKey: key, ciphersuite: SealedEntry.suite, info: SealedEntry.info,
                encapsulatedKey: Data(sealed.bytes.prefix(SealedEntry.keySize))),
            let plaintext = try? recipient.open(
                Data(sealed.bytes.dropFirst(SealedEntry.keySize)), authenticating: SealedEntry.authenticated(day))
        else { return nil }
        return AuditEntry(plaintext, day: day)
    }
}
