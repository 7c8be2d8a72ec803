import CompactJOSE
import Crypto

/// The keys of an app whose owner manages the encryption of answers himself (Play Console, "response encryption").
///
/// With them nobody asks Google about a token.
package struct PlayIntegrityKeys: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    let decryption: SymmetricKey
    let verification: P256.Signing.PublicKey

    private static let decryptionBytes = 32
    /// Characters of the longest text that is read.
    private static let longest = 1024

    /// Both as the file that the console offers has them, in Base64. White space around them doesn't count.
    /// - Parameters:
    ///   - decryption: `DECRYPTION_KEY`, 32 bytes. It is a secret: who has it can read tokens, but can't make one.
    ///   - verification: `VERIFICATION_KEY`, a public key on P-256 (SubjectPublicKeyInfo).
    package init(decryption: String, verification: String) throws(UnusablePlayIntegrityKey) {
        guard let secret = Self.bytes(decryption), secret.count == Self.decryptionBytes else {
            throw .decryption
        }
        guard let point = Self.bytes(verification), let key = try? P256.Signing.PublicKey(derRepresentation: point)
        else { throw .verification }
        self.decryption = SymmetricKey(data: secret)
        self.verification = key
    }

    private static func bytes(_ text: String) -> [UInt8]? {
        guard text.utf8.count <= longest else { return nil }
        let words = text.split(whereSeparator: \.isWhitespace)
        return words.count == 1 ? PaddedBase64.bytes(String(words[0])) : nil
    }

    /// Reveals nothing.
    package var description: String { "keys of Play Integrity" }
    /// The same as ``description``: a debugger's output ends up in logs too.
    package var debugDescription: String { description }
    /// Keeps `dump` and string interpolation of containers away from the keys.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A text isn't the key that it should be. The error gives no reason: the text may be a secret.
package enum UnusablePlayIntegrityKey: Error, Hashable, Sendable, CustomStringConvertible {
    /// `DECRYPTION_KEY`.
    case decryption
    /// `VERIFICATION_KEY`.
    case verification

    /// A plain sentence.
    package var description: String {
        switch self {
        case .decryption: "The decryption key is not 32 bytes in Base64."
        case .verification: "The verification key is not a public key on P-256 in Base64."
        }
    }
}
