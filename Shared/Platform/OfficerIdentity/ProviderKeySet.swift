package import FoundationEssentials
package import JWTKit

/// The signing keys of an identity provider, as it published them at one moment.
///
/// The set may contain other keys: for encryption, of other algorithms, or without an algorithm, which a token could then
/// choose. Each of them is skipped; one that can't be parsed doesn't affect the others.
package struct ProviderKeySet: Sendable {
    private let keys: JWTKeyCollection
    private let algorithms: [String: Algorithm]

    private enum Algorithm: String {
        case rs256 = "RS256"
        case es256 = "ES256"
    }

    /// Reads a set (JWKS, RFC 7517). Nil if it has no key to verify with.
    package init?(json: Data) async {
        guard let set = try? JSONDecoder().decode(Entries.self, from: json) else { return nil }
        let keys = JWTKeyCollection()
        var algorithms: [String: Algorithm] = [:]
        for entry in set.keys.compactMap(\.entry) {
            guard let kid = entry.kid, !kid.isEmpty, entry.use ?? "sig" == "sig", algorithms[kid] == nil,
                let algorithm = entry.alg.flatMap(Algorithm.init(rawValue:)),
                await Self.add(entry, algorithm, named: kid, to: keys)
            else { continue }
            algorithms[kid] = algorithm
        }
        guard !algorithms.isEmpty else { return nil }
        self.keys = keys
        self.algorithms = algorithms
    }

    /// The number of usable keys.
    package var count: Int { algorithms.count }

    /// Whether there is a key of this identifier.
    package func has(_ kid: String) -> Bool { algorithms[kid] != nil }

    /// Whether the token is signed by the key that its header names, with the algorithm that the set names for that key.
    package func verify<Claims: JWTPayload>(_ token: SignedToken<Claims>) async -> Bool {
        // A recipient that supports no extension must refuse a token that declares one critical (RFC 7515, section 4.1.11).
        guard let algorithm = algorithms[token.keyID], token.header.alg == algorithm.rawValue,
            token.header.fields["crit"] == nil
        else { return false }
        return (try? await keys.verify(token.text, as: Claims.self)) != nil
    }

    private static func add(
        _ entry: Entry, _ algorithm: Algorithm, named kid: String, to keys: JWTKeyCollection
    ) async -> Bool {
        let name = JWKIdentifier(string: kid)
        switch algorithm {
        case .rs256:
            // The library refuses less than 2048 bits.
            guard entry.kty == "RSA", let modulus = entry.n, let exponent = entry.e,
                let key = try? Insecure.RSA.PublicKey(modulus: modulus, exponent: exponent)
            else { return false }
            await keys.add(rsa: key, digestAlgorithm: .sha256, kid: name)
        case .es256:
            guard entry.kty == "EC", entry.crv == "P-256", let x = entry.x, let y = entry.y,
                let key = try? ES256PublicKey(parameters: (x, y))
            else { return false }
            await keys.add(ecdsa: key, kid: name)
        }
        return true
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
