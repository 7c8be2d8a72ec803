import Crypto
import CryptoExtras
import FoundationEssentials
import X509

/// The public key of a certificate, if it is one that this module trusts to be strong enough.
enum VerifyingKey: Sendable {
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    case p521(P521.Signing.PublicKey)
    case rsa(_RSA.Signing.PublicKey)

    /// More costs time only.
    private static let largestRSA = 8192

    /// In bits. The gateway's rules for countries' certificates ask for it (efgs-federation-gateway, software design, 3.2), and it takes
    /// fewer.
    static let usualRSA = 3072

    /// - Parameter smallestRSA: in bits.
    init(of certificate: FederationCertificate, smallestRSA: Int = usualRSA) throws(SignatureFlaw) {
        let key = certificate.certificate.publicKey
        if let key = P256.Signing.PublicKey(key) {
            self = .p256(key)
        } else if let key = P384.Signing.PublicKey(key) {
            self = .p384(key)
        } else if let key = P521.Signing.PublicKey(key) {
            self = .p521(key)
        } else if let key = _RSA.Signing.PublicKey(key), key.keySizeInBits >= smallestRSA,
            key.keySizeInBits <= Self.largestRSA
        {
            self = .rsa(key)
        } else {
            throw .key
        }
    }

    var isRSA: Bool {
        if case .rsa = self { true } else { false }
    }

    /// Whether a signature over a message is this key's: ECDSA in DER, or RSA with the padding of PKCS #1, version 1.5.
    func accepts(_ signature: [UInt8], over message: [UInt8], by algorithm: HashAlgorithm) -> Bool {
        switch algorithm {
        case .sha256: accepts(signature, over: SHA256.hash(data: message))
        case .sha384: accepts(signature, over: SHA384.hash(data: message))
        case .sha512: accepts(signature, over: SHA512.hash(data: message))
        }
    }

    func accepts(_ signature: [UInt8], over digest: some Digest) -> Bool {
        switch self {
        case .p256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: digest)
        case .p384(let key):
            guard let signature = try? P384.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: digest)
        case .p521(let key):
            guard let signature = try? P521.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: digest)
        case .rsa(let key):
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: digest, padding: .insecurePKCS1v1_5)
        }
    }
}

/// The hash functions that are accepted in signatures.
enum HashAlgorithm: Hashable, Sendable, CaseIterable {
    case sha256
    case sha384
    case sha512

    func digest(of message: [UInt8]) -> [UInt8] {
        switch self {
        case .sha256: Array(SHA256.hash(data: message))
        case .sha384: Array(SHA384.hash(data: message))
        case .sha512: Array(SHA512.hash(data: message))
        }
    }
}
