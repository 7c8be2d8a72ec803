package import Crypto
import CryptoExtras

/// A private key in memory that signs a country's batches: ECDSA on P-256 or P-384, or RSA with at least 3072 bits.
package struct BatchSigningKey: BatchSigner, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The certificate of the key.
    package let certificate: FederationCertificate
    private let key: Key

    private enum Key: Sendable {
        case p256(P256.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
        case rsa(_RSA.Signing.PrivateKey)
    }

    /// A key from a PEM file: `PRIVATE KEY` (PKCS #8), `EC PRIVATE KEY` (SEC 1) or `RSA PRIVATE KEY` (PKCS #1).
    ///
    /// Whether it belongs to the certificate shows when it first signs.
    package init(pem: String, certificate: FederationCertificate) throws(UnusableSigningKey) {
        if let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) {
            self.key = .p256(key)
        } else if let key = try? P384.Signing.PrivateKey(pemRepresentation: pem) {
            self.key = .p384(key)
        } else if let key = try? _RSA.Signing.PrivateKey(pemRepresentation: pem) {
            self.key = .rsa(key)
        } else {
            throw UnusableSigningKey()
        }
        self.certificate = certificate
    }

    /// Signs a digest; of RSA by PKCS #1 version 1.5, the only padding that the gateway takes.
    package func sign(_ digest: SHA256Digest) throws -> [UInt8] {
        switch key {
        case .p256(let key): Array(try key.signature(for: digest).derRepresentation)
        case .p384(let key): Array(try key.signature(for: digest).derRepresentation)
        case .rsa(let key): Array(try key.signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation)
        }
    }

    /// Names the certificate and never reveals the key.
    package var description: String { "batch signing key \(certificate.thumbprint)" }
    /// The same as ``description``: a debugger's output ends up in logs too.
    package var debugDescription: String { description }
    /// Keeps `dump` and string interpolation of containers away from the key.
    package var customMirror: Mirror { Mirror(self, children: ["certificate": certificate.thumbprint]) }
}

/// A PEM text isn't a key that can sign. The error gives no reason: the text may be a private key.
package struct UnusableSigningKey: Error, Equatable, CustomStringConvertible {
    /// Carries no detail, on purpose.
    package init() {}

    /// A plain sentence.
    package var description: String { "This is not a private key on P-256 or P-384, nor for RSA, in PEM." }
}
