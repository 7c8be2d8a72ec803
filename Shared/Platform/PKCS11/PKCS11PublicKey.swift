package import Crypto
package import CryptoExtras

/// A kind of key on a token that signs the SHA-256 of a message.
package enum PKCS11KeyKind: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// ECDSA on the curve P-256.
    case p256
    /// ECDSA on the curve P-384.
    case p384
    /// RSA with the padding of PKCS #1, version 1.5.
    case rsa

    /// In bits. Shorter keys are too weak, and longer ones cost time only.
    static let lengthsOfRSA = 3072...8192

    package var description: String {
        switch self {
        case .p256: "ECDSA on the curve P-256"
        case .p384: "ECDSA on the curve P-384"
        case .rsa: "RSA with \(Self.lengthsOfRSA.lowerBound) to \(Self.lengthsOfRSA.upperBound) bits"
        }
    }

    /// The curve's name as DER (RFC 5480); nil for RSA.
    var curve: [UInt8]? {
        switch self {
        case .p256: [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        case .p384: [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22]
        case .rsa: nil
        }
    }
}

/// The public half of a key on a token.
package enum PKCS11PublicKey: Sendable, Equatable {
    /// For ECDSA on the curve P-256.
    case p256(P256.Signing.PublicKey)
    /// For ECDSA on the curve P-384.
    case p384(P384.Signing.PublicKey)
    /// For RSA with 3072 to 8192 bits.
    case rsa(_RSA.Signing.PublicKey)

    /// A point on a curve, uncompressed (X9.63); nil for one of another curve, or of no curve.
    init?(_ kind: PKCS11KeyKind, point: [UInt8]) {
        // The standard requires an OCTET STRING around the point; some modules omit it.
        func bare(_ length: UInt8) -> ArraySlice<UInt8> {
            point.count == length + 2 && point.starts(with: [0x04, length]) ? point.dropFirst(2) : point[...]
        }
        switch kind {
        case .p256:
            guard let key = try? P256.Signing.PublicKey(x963Representation: bare(65)) else { return nil }
            self = .p256(key)
        case .p384:
            guard let key = try? P384.Signing.PublicKey(x963Representation: bare(97)) else { return nil }
            self = .p384(key)
        case .rsa: return nil
        }
    }

    /// Nil for a key of another length than ``PKCS11KeyKind/lengthsOfRSA``.
    init?(modulus: [UInt8], exponent: [UInt8]) {
        guard let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent),
            PKCS11KeyKind.lengthsOfRSA.contains(key.keySizeInBits)
        else { return nil }
        self = .rsa(key)
    }

    /// SubjectPublicKeyInfo (X.509) in PEM.
    package var pem: String {
        switch self {
        case .p256(let key): key.pemRepresentation
        case .p384(let key): key.pemRepresentation
        case .rsa(let key): key.pemRepresentation
        }
    }

    /// Two keys are the same if their PEM is.
    package static func == (left: PKCS11PublicKey, right: PKCS11PublicKey) -> Bool { left.pem == right.pem }

    /// Whether a signature is this key's: ECDSA in DER (X9.62), or RSA with the padding of PKCS #1, version 1.5.
    package func accepts(_ signature: [UInt8], over digest: SHA256Digest) -> Bool {
        switch self {
        case .p256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: digest)
        case .p384(let key):
            guard let signature = try? P384.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: digest)
        case .rsa(let key):
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: digest, padding: .insecurePKCS1v1_5)
        }
    }

    // MARK: What a token is asked, and what it answers

    /// What the token signs for a digest: the digest itself or, for the padding of PKCS #1, its DigestInfo (RFC 8017, section 9.2).
    func input(for digest: SHA256Digest) -> [UInt8] {
        guard case .rsa = self else { return Array(digest) }
        return Self.digestInfo + digest
    }

    private static let digestInfo: [UInt8] = [
        0x30, 0x31, 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04,
        0x20,
    ]

    /// A token's signature as ``accepts(_:over:)`` reads it: PKCS #11 concatenates r and s, and everybody else expects DER (X9.62).
    ///
    /// Nil for another length.
    func signature(from raw: [UInt8]) -> [UInt8]? {
        switch self {
        case .p256: (try? P256.Signing.ECDSASignature(rawRepresentation: raw)).map { Array($0.derRepresentation) }
        case .p384: (try? P384.Signing.ECDSASignature(rawRepresentation: raw)).map { Array($0.derRepresentation) }
        case .rsa(let key): raw.count == (key.keySizeInBits + 7) / 8 ? raw : nil
        }
    }
}
