package import Crypto
import FoundationEssentials
import Running
import StrictJSON

/// The key that signs tokens, as the published key set names it.
package struct SigningKey: Sendable {
    private let key: P256.Signing.PrivateKey
    private let id: String
    /// The key set as JSON (RFC 7517), for clients and for the verification server.
    let published: [UInt8]

    /// - Parameter published: a key set with the public half.
    /// - Returns: nil if the key isn't in the set.
    package init?(_ key: P256.Signing.PrivateKey, published: String) {
        // An uncompressed point: 0x04, 32 bytes of x, 32 bytes of y.
        let x = Base64URL.text(key.publicKey.x963Representation.dropFirst().prefix(32))
        guard var set = try? StrictJSON.decode(KeySet.self, from: Data(published.utf8)),
            let id = set.keys.first(where: { $0["x"] == x })?["kid"]
        else { return nil }
        self.key = key
        self.id = id
        set.keys = KeySet.others + set.keys
        guard let encoded = try? JSONEncoder().encode(set) else { return nil }
        self.published = Array(encoded)
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

    private struct KeySet: Codable {
        var keys: [[String: String]]

        /// Keys that clients have no use for, as Keycloak has some: of another algorithm, and for encryption.
        static var others: [[String: String]] {
            [
                [
                    "kid": "edwards", "kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig",
                    "x": Base64URL.random(),
                ],
                [
                    "kid": "encryption", "kty": "RSA", "alg": "RSA-OAEP", "use": "enc", "e": "AQAB",
                    "n": Base64URL.random(bytes: 256),
                ],
            ]
        }
    }
}
