package import Crypto
package import CryptoExtras
package import SwiftASN1

extension Certificate {
    /// A key that signs certificates.
    package struct PrivateKey: Sendable {
        private let kind: Kind

        private enum Kind: Sendable {
            case p256(P256.Signing.PrivateKey)
            case p384(P384.Signing.PrivateKey)
            case rsa(_RSA.Signing.PrivateKey)
        }

        /// A key on P-256.
        package init(_ key: P256.Signing.PrivateKey) { kind = .p256(key) }

        /// A key on P-384.
        package init(_ key: P384.Signing.PrivateKey) { kind = .p384(key) }

        /// A key of RSA.
        package init(_ key: _RSA.Signing.PrivateKey) { kind = .rsa(key) }

        /// Reads `PRIVATE KEY`, `EC PRIVATE KEY` or `RSA PRIVATE KEY` in PEM, without a password.
        /// - Throws: ``CertificateError/privateKey``, which shows nothing of the key.
        package init(pemEncoded text: String) throws {
            if let key = try? P256.Signing.PrivateKey(pemRepresentation: text) {
                self.init(key)
            } else if let key = try? P384.Signing.PrivateKey(pemRepresentation: text) {
                self.init(key)
            } else if let key = try? _RSA.Signing.PrivateKey(pemRepresentation: text) {
                self.init(key)
            } else {
                throw CertificateError.privateKey
            }
        }

        /// The public half.
        package var publicKey: PublicKey {
            switch kind {
            case .p256(let key): PublicKey(key.publicKey)
            case .p384(let key): PublicKey(key.publicKey)
            case .rsa(let key): PublicKey(key.publicKey)
            }
        }

        /// PKCS #8 in PEM.
        package func serializeAsPEM() throws -> PEMDocument {
            switch kind {
            case .p256(let key): try PEMDocument(pemString: key.pemRepresentation)
            case .p384(let key): try PEMDocument(pemString: key.pemRepresentation)
            case .rsa(let key): try PEMDocument(pemString: key.pkcs8PEMRepresentation)
            }
        }

        /// - Throws: ``CertificateError/unsupportedAlgorithm`` for an algorithm of another kind of key.
        func sign(_ bytes: [UInt8], with algorithm: SignatureAlgorithm) throws -> Signature {
            switch algorithm.kind {
            case .ecdsa(let hash), .rsa(let hash):
                switch hash {
                case .sha256: try sign(SHA256.hash(data: bytes), with: algorithm)
                case .sha384: try sign(SHA384.hash(data: bytes), with: algorithm)
                case .sha512: try sign(SHA512.hash(data: bytes), with: algorithm)
                }
            case .other: throw CertificateError.unsupportedAlgorithm
            }
        }

        private func sign(_ digest: some Digest, with algorithm: SignatureAlgorithm) throws -> Signature {
            let bytes: [UInt8] =
                switch (kind, algorithm.kind) {
                case (.p256(let key), .ecdsa): Array(try key.signature(for: digest).derRepresentation)
                case (.p384(let key), .ecdsa): Array(try key.signature(for: digest).derRepresentation)
                case (.rsa(let key), .rsa):
                    Array(try key.signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation)
                default: throw CertificateError.unsupportedAlgorithm
                }
            return Signature(bytes: bytes[...])
        }
    }
}
