package import Crypto
import FoundationEssentials

/// A private key in memory that signs published archives: ECDSA on P-256 with SHA-256.
package struct SigningKey: ArchiveSigner, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The key's identity in its signatures.
    package let identity: SigningIdentity
    private let privateKey: P256.Signing.PrivateKey

    /// A key in memory, with what its signatures say about it.
    package init(_ privateKey: P256.Signing.PrivateKey, identity: SigningIdentity) {
        self.privateKey = privateKey
        self.identity = identity
    }

    /// A key from a PEM file, `EC PRIVATE KEY` (SEC 1) or `PRIVATE KEY` (PKCS #8).
    package init(pem: String, identity: SigningIdentity) throws(UnusableKey) {
        do {
            self.init(try P256.Signing.PrivateKey(pemRepresentation: pem), identity: identity)
        } catch {
            throw UnusableKey()
        }
    }

    /// Signs an archive's `export.bin`. Two calls give two different signatures, both valid.
    package func sign(_ export: [UInt8], batch: Batch = .only) throws -> ArchiveSignature {
        let signature = try privateKey.signature(for: export)
        return ArchiveSignature(identity: identity, batch: batch, bytes: Array(signature.derRepresentation))
    }

    /// Signs the SHA-256 of an archive's `export.bin`, as DER.
    package func sign(_ digest: SHA256Digest) throws -> [UInt8] {
        Array(try privateKey.signature(for: digest).derRepresentation)
    }

    /// The public half.
    package var verificationKey: VerificationKey { VerificationKey(privateKey.publicKey) }

    /// Names the key and never reveals it.
    package var description: String { "signing key \(identity.keyID) \(identity.keyVersion)" }
    /// The same as ``description``: a debugger's output ends up in logs too.
    package var debugDescription: String { description }
    /// Keeps `dump` and string interpolation of containers away from the key.
    package var customMirror: Mirror { Mirror(self, children: ["identity": identity]) }
}

/// The public half of a key that signs archives.
package struct VerificationKey: Sendable {
    private let publicKey: P256.Signing.PublicKey

    /// A key in memory.
    package init(_ publicKey: P256.Signing.PublicKey) {
        self.publicKey = publicKey
    }

    /// A key from a PEM file, `PUBLIC KEY`.
    package init(pem: String) throws(UnusableKey) {
        do {
            self.init(try P256.Signing.PublicKey(pemRepresentation: pem))
        } catch {
            throw UnusableKey()
        }
    }

    /// `PUBLIC KEY`, for the apps and for `openssl`.
    package var pem: String { publicKey.pemRepresentation }

    /// Whether a signature (DER) is this key's, over content with this digest.
    package func accepts(_ signature: [UInt8], over digest: SHA256Digest) -> Bool {
        guard let parsed = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
        return publicKey.isValidSignature(parsed, for: digest)
    }

    func verifies(_ signature: P256.Signing.ECDSASignature, over export: [UInt8]) -> Bool {
        publicKey.isValidSignature(signature, for: export)
    }
}

/// A PEM text isn't a P-256 key. The error gives no reason: the text may be a private key.
package struct UnusableKey: Error, Equatable, CustomStringConvertible {
    /// Carries no detail, on purpose.
    package init() {}

    /// A plain sentence.
    package var description: String { "This is not a P-256 key in PEM." }
}
