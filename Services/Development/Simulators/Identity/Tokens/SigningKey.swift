package import Crypto
import FoundationEssentials
import Running
import StrictJSON

/// A key that signs tokens, as the published key set names it.
package struct SigningKey: Sendable {
    private let key: P256.Signing.PrivateKey
    let id: String
    /// The keys that the configured set has, this one among them.
    fileprivate let set: [[String: String]]

    /// - Parameter published: a key set with the public half.
    /// - Returns: nil if the key isn't in the set.
    package init?(_ key: P256.Signing.PrivateKey, published: String) {
        // An uncompressed point: 0x04, 32 bytes of x, 32 bytes of y.
        let x = Base64URL.text(key.publicKey.x963Representation.dropFirst().prefix(32))
        guard let set = try? StrictJSON.decode(KeySet.self, from: Data(published.utf8)),
            let id = set.keys.first(where: { $0["x"] == x })?["kid"]
        else { return nil }
        self.key = key
        self.id = id
        self.set = set.keys
    }

    /// A new key with a random name.
    init() {
        key = P256.Signing.PrivateKey()
        id = Base64URL.random(bytes: 16)
        let point = key.publicKey.x963Representation.dropFirst()
        set = [
            [
                "kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": id,
                "x": Base64URL.text(point.prefix(32)), "y": Base64URL.text(point.suffix(32)),
            ]
        ]
    }

    /// From `signing.key` and `signing.keySet`.
    init(_ settings: Settings) throws {
        let (key, set) = (try settings.path("signing.key"), try settings.path("signing.keySet"))
        guard let privateKey = try? P256.Signing.PrivateKey(pemRepresentation: try settings.text("signing.key")),
            let own = SigningKey(privateKey, published: try settings.text("signing.keySet"))
        else {
            throw settings.wrong(
                "signing.key", "names \(key), which must be a P-256 key in PEM whose half is in \(set)")
        }
        self = own
    }

    /// A signed token.
    ///
    /// - Parameter type: the header's `typ`.
    func sign(_ claims: some Encodable, type: String = "JWT") throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let header = try encoder.encode(JSONWebToken.Header(alg: "ES256", kid: id, typ: type))
        let text = "\(Base64URL.text(header)).\(Base64URL.text(try encoder.encode(claims)))"
        return "\(text).\(Base64URL.text(try key.signature(for: Data(text.utf8)).rawRepresentation))"
    }

    /// The claims of a token that this key has signed; nil for any other token.
    func claims<Claims: Decodable>(of token: String, as type: Claims.Type) -> Claims? {
        JSONWebToken(token)?.claims(signedBy: key.publicKey, as: type)
    }

    fileprivate struct KeySet: Codable {
        var keys: [[String: String]]
    }
}

/// The keys of the provider: one signs, and tokens of those before it are still good.
struct KeyRing: Sendable {
    /// The newest first.
    private var keys: [SigningKey]
    /// Keys that clients have no use for, as Keycloak has some: of another algorithm, and for encryption.
    private let others: [[String: String]] = [
        [
            "kid": "edwards", "kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig", "x": Base64URL.random(),
        ],
        [
            "kid": "encryption", "kty": "RSA", "alg": "RSA-OAEP", "use": "enc", "e": "AQAB",
            "n": Base64URL.random(bytes: 256),
        ],
    ]

    /// The most keys that are kept.
    private static let most = 20

    init(_ key: SigningKey) { keys = [key] }

    /// The key that signs.
    var current: SigningKey { keys[0] }

    /// Signs with a new key from now on.
    mutating func rotate(removingOld: Bool) {
        keys = [SigningKey()] + (removingOld ? [] : keys.prefix(Self.most - 1))
    }

    /// The key set (RFC 7517), for clients and for the verification server.
    func published(omittingAlgorithms: Bool) throws -> [UInt8] {
        var set = SigningKey.KeySet(keys: others + keys.flatMap(\.set))
        if omittingAlgorithms { for index in set.keys.indices { set.keys[index]["alg"] = nil } }
        return Array(try JSONEncoder().encode(set))
    }

    /// The claims of a token that one of the keys has signed; nil for any other token.
    func claims<Claims: Decodable>(of token: String, as type: Claims.Type) -> Claims? {
        for key in keys { if let claims = key.claims(of: token, as: type) { return claims } }
        return nil
    }
}
