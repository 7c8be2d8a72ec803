import Crypto
import ExposureFormat
import PKCS11

/// A signing key on a token.
struct TokenSigner: ArchiveSigner {
    let identity: SigningIdentity
    let verificationKey: VerificationKey
    private let key: PKCS11Key

    /// Opens a session with the token. Blocks.
    init(_ place: PKCS11URI, identity: SigningIdentity) throws(PKCS11Problem) {
        let kind = PKCS11KeyKind.p256
        key = try PKCS11Key(place, kinds: [kind])
        guard case .p256(let publicKey) = key.publicKey else { throw .otherKind([kind]) }
        self.identity = identity
        verificationKey = VerificationKey(publicKey)
    }

    /// - Throws: ``PKCS11Problem``.
    func sign(_ digest: SHA256Digest) async throws -> [UInt8] { try await key.sign(digest) }
}
