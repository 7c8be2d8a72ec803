import CompactJOSE
package import Crypto
import FoundationEssentials

/// Google's part in Play Integrity for an app whose owner manages the encryption of answers himself: it makes tokens.
package struct PlayIntegrityMint: Sendable {
    private let encryption: SymmetricKey
    private let signing: P256.Signing.PrivateKey

    /// The header of a token.
    package static let outerHeader = #"{"alg":"A256KW","enc":"A256GCM"}"#
    /// The header of what is encrypted.
    package static let innerHeader = #"{"alg":"ES256"}"#

    /// With new keys.
    package init() {
        self.init(encryption: SymmetricKey(size: .bits256), signing: P256.Signing.PrivateKey())
    }

    /// With these keys.
    /// - Parameter encryption: 32 bytes.
    package init(encryption: SymmetricKey, signing: P256.Signing.PrivateKey) {
        self.encryption = encryption
        self.signing = signing
    }

    /// `DECRYPTION_KEY` of the Play Console.
    package var decryptionKey: String { encryption.withUnsafeBytes { Data($0).base64EncodedString() } }
    /// `VERIFICATION_KEY` of the Play Console.
    package var verificationKey: String { signing.publicKey.derRepresentation.base64EncodedString() }

    /// A token as Google makes it.
    package func token(_ verdict: SimulatedVerdict) throws -> String { try token(payload: verdict.json) }

    /// A token around other bytes, or with other headers. It is always encrypted and signed in the right way, whatever
    /// the headers say.
    package func token(
        payload: [UInt8], outer: String = outerHeader, inner: String = innerHeader
    ) throws -> String {
        let signed = try CompactJWS.text(header: inner.utf8, payload: payload) {
            try signing.signature(for: $0).rawRepresentation
        }
        return try token(around: Array(signed.utf8), outer: outer)
    }

    /// A token around anything.
    package func token(around content: [UInt8], outer: String = outerHeader) throws -> String {
        let contentKey = SymmetricKey(size: .bits256)
        let wrapped = try AES.KeyWrap.wrap(contentKey, using: encryption)
        let header = Base64URL.text(outer.utf8)
        let box = try AES.GCM.seal(content, using: contentKey, authenticating: Array(header.utf8))
        let parts = [Array(wrapped), Array(box.nonce), Array(box.ciphertext), Array(box.tag)]
        return ([header] + parts.map { Base64URL.text($0) }).joined(separator: ".")
    }
}
