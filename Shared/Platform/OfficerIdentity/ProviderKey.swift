import CompactJOSE
import Crypto
import CryptoExtras

/// A key with the only algorithm that it verifies.
enum ProviderKey {
    /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518, section 3.3).
    case rs256(_RSA.Signing.PublicKey)
    /// RSASSA-PSS with SHA-256 and a salt as long as the digest (RFC 7518, section 3.5).
    case ps256(_RSA.Signing.PublicKey)
    /// ECDSA on P-256 with SHA-256 (RFC 7518, section 3.4).
    case es256(P256.Signing.PublicKey)

    /// The lengths of RSA keys, in bits. Verifying takes time with the square of the length.
    private static let lengths = 2048...8192
    /// The least exponent of RSA keys (FIPS 186-5, section 5.1).
    private static let leastExponent: UInt64 = 65_537

    /// Nil for another algorithm, and for a key that isn't one of it.
    ///
    /// `alg` is optional (RFC 7517, section 4.4). Without it the type of the key stands for one algorithm, so a token has none to
    /// choose.
    init?(_ entry: Entry) {
        switch (entry.kty, entry.alg) {
        case ("RSA", nil), ("RSA", "RS256"):
            guard let key = Self.rsa(entry) else { return nil }
            self = .rs256(key)
        case ("RSA", "PS256"):
            guard let key = Self.rsa(entry) else { return nil }
            self = .ps256(key)
        case ("EC", nil), ("EC", "ES256"):
            guard entry.crv == "P-256", let x = entry.x.flatMap(Base64URL.bytes),
                let y = entry.y.flatMap(Base64URL.bytes), x.count == 32, y.count == 32,
                let key = try? P256.Signing.PublicKey(x963Representation: [4] + x + y)
            else { return nil }
            self = .es256(key)
        default: return nil
        }
    }

    private static func rsa(_ entry: Entry) -> _RSA.Signing.PublicKey? {
        guard let modulus = entry.n.flatMap(Base64URL.bytes), let exponent = entry.e.flatMap(Base64URL.bytes),
            let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent), lengths.contains(key.keySizeInBits),
            exponent.reduce(0, { $0 << 8 | UInt64($1) }) >= leastExponent
        else { return nil }
        return key
    }

    /// The algorithm's name, which a token's header repeats.
    var algorithm: String {
        switch self {
        case .rs256: "RS256"
        case .ps256: "PS256"
        case .es256: "ES256"
        }
    }

    /// Whether the token says that it is signed by this key's algorithm, and is signed by this key.
    func verifies(_ token: CompactJWS) -> Bool {
        guard token.header.algorithm == algorithm else { return false }
        let digest = SHA256.hash(data: token.signedBytes)
        switch self {
        case .rs256(let key):
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: token.signature), for: digest, padding: .insecurePKCS1v1_5)
        case .ps256(let key):
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: token.signature), for: digest, padding: .PSS)
        case .es256(let key):
            // 64 bytes; a signature in DER is another text of the same.
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: token.signature) else {
                return false
            }
            return key.isValidSignature(signature, for: digest)
        }
    }

    /// The members of a key that are used; others, such as `x5c`, are ignored.
    struct Entry: Decodable {
        let kty: String
        let kid: String
        let use: String?
        let operations: [String]?
        let alg: String?
        let n: String?
        let e: String?
        let crv: String?
        let x: String?
        let y: String?

        enum CodingKeys: String, CodingKey {
            case kty, kid, use, alg, n, e, crv, x, y
            case operations = "key_ops"
        }

        /// Whether the set's owner signs with the key (RFC 7517, sections 4.2 and 4.3), and names it.
        var isForSignatures: Bool {
            !kid.isEmpty && use ?? "sig" == "sig" && operations?.contains("verify") ?? true
        }
    }
}
