import CompactJOSE
import Crypto
import CryptoExtras
package import FoundationEssentials

/// The signing keys of an identity provider, as it published them at one moment.
///
/// The set may contain other keys: for encryption, of other algorithms, or without an algorithm, which a token could then
/// choose. Each of them is skipped; one that can't be parsed doesn't affect the others.
package struct ProviderKeySet: Sendable {
    private let keys: [String: Key]

    /// A key with the only algorithm that the set names for it.
    private enum Key {
        /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518, section 3.3), of 2048 bits at least.
        case rs256(_RSA.Signing.PublicKey)
        /// ECDSA on P-256 with SHA-256 (RFC 7518, section 3.4).
        case es256(P256.Signing.PublicKey)

        /// Nil for another algorithm, and for a key that isn't one of it.
        init?(_ entry: Entry) {
            switch (entry.alg, entry.kty, entry.crv) {
            case ("RS256", "RSA", _):
                guard let modulus = entry.n.flatMap(Base64URL.bytes), let exponent = entry.e.flatMap(Base64URL.bytes),
                    let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent)
                else { return nil }
                self = .rs256(key)
            case ("ES256", "EC", "P-256"):
                guard let x = entry.x.flatMap(Base64URL.bytes), let y = entry.y.flatMap(Base64URL.bytes),
                    x.count == 32, y.count == 32, let key = try? P256.Signing.PublicKey(x963Representation: [4] + x + y)
                else { return nil }
                self = .es256(key)
            default: return nil
            }
        }

        func verifies(_ token: CompactJWS) -> Bool {
            let digest = SHA256.hash(data: token.signedBytes)
            switch self {
            case .rs256(let key):
                guard token.header.algorithm == "RS256" else { return false }
                let signature = _RSA.Signing.RSASignature(rawRepresentation: token.signature)
                return key.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5)
            case .es256(let key):
                guard token.header.algorithm == "ES256",
                    // 64 bytes; a signature in DER is another text of the same.
                    let signature = try? P256.Signing.ECDSASignature(rawRepresentation: token.signature)
                else { return false }
                return key.isValidSignature(signature, for: digest)
            }
        }
    }

    /// Reads a set (JWKS, RFC 7517). Nil if it has no key to verify with.
    package init?(json: Data) {
        guard let set = try? JSONDecoder().decode(Entries.self, from: json) else { return nil }
        var keys: [String: Key] = [:]
        for entry in set.keys.compactMap(\.entry) {
            guard let kid = entry.kid, !kid.isEmpty, entry.use ?? "sig" == "sig", keys[kid] == nil,
                let key = Key(entry)
            else { continue }
            keys[kid] = key
        }
        guard !keys.isEmpty else { return nil }
        self.keys = keys
    }

    /// The number of usable keys.
    package var count: Int { keys.count }

    /// Whether there is a key of this identifier.
    package func has(_ kid: String) -> Bool { keys[kid] != nil }

    /// Whether the token is signed by the key that its header names, with the algorithm that the set names for that key.
    package func verify(_ token: SignedToken<some Decodable & Sendable>) -> Bool {
        keys[token.keyID]?.verifies(token.jws) == true
    }

    private struct Entries: Decodable {
        struct Element: Decodable {
            let entry: Entry?

            init(from decoder: any Decoder) throws {
                entry = try? Entry(from: decoder)
            }
        }

        let keys: [Element]
    }

    /// The members of a key that are used; others, such as `x5c`, are ignored.
    private struct Entry: Decodable {
        let kty: String
        let kid: String?
        let use: String?
        let alg: String?
        let n: String?
        let e: String?
        let crv: String?
        let x: String?
        let y: String?
    }
}
