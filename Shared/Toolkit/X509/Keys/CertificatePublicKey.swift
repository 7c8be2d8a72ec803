package import Crypto
package import CryptoExtras
import SwiftASN1

extension Certificate {
    /// The key that a certificate is for.
    ///
    /// Keys of other kinds than P-256, P-384 and RSA with 2,048 bits or more can be read and compared; they accept no
    /// signature of a certificate.
    package struct PublicKey: Sendable {
        /// The encoding, which tells keys apart.
        let info: SubjectPublicKeyInfo
        fileprivate let kind: Kind

        fileprivate enum Kind: Sendable {
            case p256(P256.Signing.PublicKey)
            case p384(P384.Signing.PublicKey)
            case rsa(_RSA.Signing.PublicKey)
            case other
        }

        /// A key on P-256.
        package init(_ key: P256.Signing.PublicKey) {
            info = SubjectPublicKeyInfo(
                algorithm: .ecPublicKey(on: .NamedCurves.secp256r1), key: key.x963Representation)
            kind = .p256(key)
        }

        /// A key on P-384.
        package init(_ key: P384.Signing.PublicKey) {
            info = SubjectPublicKeyInfo(
                algorithm: .ecPublicKey(on: .NamedCurves.secp384r1), key: key.x963Representation)
            kind = .p384(key)
        }

        /// A key of RSA.
        package init(_ key: _RSA.Signing.PublicKey) {
            info = SubjectPublicKeyInfo(
                algorithm: .withNull(.AlgorithmIdentifier.rsaEncryption), key: key.pkcs1DERRepresentation)
            kind = key.keySizeInBits >= Self.smallestRSA ? .rsa(key) : .other
        }

        /// Reads `PUBLIC KEY` in PEM.
        package init(pemEncoded text: String) throws {
            let document = try PEMDocument(pemString: text)
            guard document.discriminator == "PUBLIC KEY" else { throw CertificateError.otherDocument }
            try self.init(SubjectPublicKeyInfo(derEncoded: document.derBytes))
        }

        /// In bits.
        private static let smallestRSA = 2048

        /// - Throws: ``CertificateError/publicKey`` for a point that isn't on its curve or not written out (RFC 5480,
        ///   section 2.2), or numbers that are none of RSA.
        init(_ info: SubjectPublicKeyInfo) throws {
            self.info = info
            switch info.algorithm {
            case .ecPublicKey(on: .NamedCurves.secp256r1):
                guard let key = try? P256.Signing.PublicKey(x963Representation: info.key) else {
                    throw CertificateError.publicKey
                }
                kind = .p256(key)
            case .ecPublicKey(on: .NamedCurves.secp384r1):
                guard let key = try? P384.Signing.PublicKey(x963Representation: info.key) else {
                    throw CertificateError.publicKey
                }
                kind = .p384(key)
            case .withNull(.AlgorithmIdentifier.rsaEncryption):
                guard (try? RSAPublicKeyFields(derEncoded: info.key)) != nil else { throw CertificateError.publicKey }
                // Nil for one with too few bits, too.
                kind = (try? _RSA.Signing.PublicKey(derRepresentation: info.derBytes)).map { .rsa($0) } ?? .other
            default: kind = .other
            }
        }

        /// Whether this key signed a certificate.
        package func isValidSignature(_ signature: Signature, for certificate: Certificate) -> Bool {
            isValidSignature(signature, by: certificate.signatureAlgorithm, over: certificate.tbsCertificateBytes)
        }

        /// Whether this key signed these bytes.
        func isValidSignature(
            _ signature: Signature, by algorithm: SignatureAlgorithm, over bytes: ArraySlice<UInt8>
        ) -> Bool {
            switch algorithm.kind {
            case .ecdsa(let hash), .rsa(let hash):
                switch hash {
                case .sha256: accepts(signature, of: algorithm, over: SHA256.hash(data: bytes))
                case .sha384: accepts(signature, of: algorithm, over: SHA384.hash(data: bytes))
                case .sha512: accepts(signature, of: algorithm, over: SHA512.hash(data: bytes))
                }
            case .other: false
            }
        }

        /// Whether it is of a kind that accepts signatures, and a key of RSA is neither longer than this nor one whose
        /// signatures others can make: with an exponent of 1 everybody can.
        /// - Parameter longestRSA: in bits.
        func isFitForRequests(upTo longestRSA: Int) -> Bool {
            switch kind {
            case .p256, .p384: return true
            case .rsa(let key):
                guard key.keySizeInBits <= longestRSA,
                    let exponent = try? RSAPublicKeyFields(derEncoded: info.key).exponent.magnitude,
                    let last = exponent.last
                else { return false }
                // At least 65,537 and odd (FIPS 186-5, section A.1.1).
                return exponent.count >= 3 && !last.isMultiple(of: 2)
            case .other: return false
            }
        }

        private func accepts(
            _ signature: Signature, of algorithm: SignatureAlgorithm, over digest: some Digest
        ) -> Bool {
            switch (kind, algorithm.kind) {
            case (.p256(let key), .ecdsa):
                (try? P256.Signing.ECDSASignature(derRepresentation: signature.bytes))
                    .map { key.isValidSignature($0, for: digest) } ?? false
            case (.p384(let key), .ecdsa):
                (try? P384.Signing.ECDSASignature(derRepresentation: signature.bytes))
                    .map { key.isValidSignature($0, for: digest) } ?? false
            case (.rsa(let key), .rsa):
                key.isValidSignature(
                    _RSA.Signing.RSASignature(rawRepresentation: signature.bytes), for: digest,
                    padding: .insecurePKCS1v1_5)
            default: false
            }
        }
    }
}

extension Certificate.PublicKey: Hashable {
    /// Keys are the same if their encodings are.
    package static func == (left: Self, right: Self) -> Bool { left.info == right.info }
    /// By the encoding.
    package func hash(into hasher: inout Hasher) { hasher.combine(info) }
}

extension P256.Signing.PublicKey {
    /// Nil for a key of another kind.
    package init?(_ key: Certificate.PublicKey) {
        guard case .p256(let key) = key.kind else { return nil }
        self = key
    }
}

extension P384.Signing.PublicKey {
    /// Nil for a key of another kind.
    package init?(_ key: Certificate.PublicKey) {
        guard case .p384(let key) = key.kind else { return nil }
        self = key
    }
}

extension P521.Signing.PublicKey {
    /// Nil for a key of another kind. Only federations of countries use such keys.
    package init?(_ key: Certificate.PublicKey) {
        guard key.info.algorithm == .ecPublicKey(on: .NamedCurves.secp521r1),
            let key = try? Self(x963Representation: key.info.key)
        else { return nil }
        self = key
    }
}

extension _RSA.Signing.PublicKey {
    /// Nil for a key of another kind, or with less than 2,048 bits.
    package init?(_ key: Certificate.PublicKey) {
        guard case .rsa(let key) = key.kind else { return nil }
        self = key
    }
}
