import CompactJOSE
package import FoundationEssentials
import StrictJSON

/// The signing keys of an identity provider, as it published them at one moment.
///
/// The set may contain other keys: for encryption, of other algorithms, or without a name. Each of them is skipped; one that can't be
/// parsed doesn't affect the others. Of keys with one name the first counts.
package struct ProviderKeySet: Sendable {
    private let keys: [String: ProviderKey]

    /// The most bytes of a set, and the most keys of any kind in it.
    private static let (longest, most) = (256 << 10, 100)

    /// Reads a set (JWKS, RFC 7517). Nil if it has no key to verify with, is too large, or says something twice (section 4).
    package init?(json: Data) {
        guard json.count <= Self.longest, let set = try? StrictJSON.decode(Entries.self, from: json),
            set.keys.count <= Self.most
        else { return nil }
        var keys: [String: ProviderKey] = [:]
        for entry in set.keys.compactMap(\.entry) {
            guard entry.isForSignatures, keys[entry.kid] == nil, let key = ProviderKey(entry) else { continue }
            keys[entry.kid] = key
        }
        guard !keys.isEmpty else { return nil }
        self.keys = keys
    }

    /// The number of usable keys.
    package var count: Int { keys.count }

    /// Whether there is a key of this identifier.
    package func has(_ kid: String) -> Bool { keys[kid] != nil }

    /// Whether the token is signed by the key that its header names, with that key's algorithm.
    package func verify(_ token: SignedToken<some Decodable & Sendable>) -> Bool {
        fault(of: token) == nil
    }

    /// Why the token isn't; nil if it is.
    func fault(of token: SignedToken<some Decodable & Sendable>) -> IdentityFault? {
        guard let key = keys[token.keyID] else { return .keyUnknown }
        guard token.jws.header.algorithm == key.algorithm else { return .algorithm }
        return key.verifies(token.jws) ? nil : .signature
    }

    private struct Entries: Decodable {
        struct Element: Decodable {
            let entry: ProviderKey.Entry?

            init(from decoder: any Decoder) throws {
                entry = try? ProviderKey.Entry(from: decoder)
            }
        }

        let keys: [Element]
    }
}
