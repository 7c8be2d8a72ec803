import CompactJOSE
import Crypto
import FoundationEssentials

extension PlayIntegrityVerdict {
    /// Characters of the longest token that is read. Google's have about 1,200.
    package static let longestToken = 8192

    private static let keyAlgorithm = "A256KW"
    private static let contentAlgorithm = "A256GCM"
    private static let signatureAlgorithm = "ES256"
    /// Of a content key, with the eight bytes of RFC 3394.
    private static let wrappedKeyBytes = 40
    private static let nonceBytes = 12
    private static let tagBytes = 16

    /// Decrypts and verifies a token: a JWE (A256KW, A256GCM) around a JWS (ES256), as Google's reference of
    /// `IntegrityManager.requestIntegrityToken` describes it.
    ///
    /// No other algorithm is accepted, whatever the headers say.
    package init(classic token: String, keys: PlayIntegrityKeys) throws(PlayIntegrityFlaw) {
        guard let outer = CompactToken(token, parts: 5, longest: Self.longestToken),
            outer.header.algorithm == Self.keyAlgorithm, outer.header.encryption == Self.contentAlgorithm,
            outer.parts[0].count == Self.wrappedKeyBytes, outer.parts[1].count == Self.nonceBytes,
            outer.parts[3].count == Self.tagBytes
        else { throw .unreadable }
        guard let key = try? AES.KeyWrap.unwrap(outer.parts[0], using: keys.decryption),
            let content = try? Self.open(outer, with: key)
        else { throw .forged }
        guard let inner = CompactJWS(String(decoding: content, as: UTF8.self), longest: Self.longestToken),
            inner.header.algorithm == Self.signatureAlgorithm
        else { throw .unreadable }
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: inner.signature),
            keys.verification.isValidSignature(signature, for: inner.signedBytes)
        else { throw .forged }
        try self.init(payload: inner.payload)
    }

    private static func open(_ token: CompactToken, with key: SymmetricKey) throws -> Data {
        let box = try AES.GCM.SealedBox(
            nonce: AES.GCM.Nonce(data: token.parts[1]), ciphertext: token.parts[2], tag: token.parts[3])
        return try AES.GCM.open(box, using: key, authenticating: token.encodedHeader)
    }
}
