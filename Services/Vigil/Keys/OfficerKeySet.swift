package import Crypto
import FoundationEssentials

/// The public key of an identity provider of health officers as a JSON web key set (RFC 7517), for `officers.keys`.
package struct OfficerKeySet: Sendable {
    /// Derived from the key, so that a new key gets a new name and a verifier never tries the wrong one.
    package let keyIdentifier: String
    /// The set as JSON.
    package let text: String

    /// Creates a set with one key.
    package init(_ key: P256.Signing.PublicKey) throws {
        // An uncompressed point: 0x04, 32 bytes of x, 32 bytes of y.
        let point = key.x963Representation.dropFirst()
        keyIdentifier = Self.base64URL(Data(SHA256.hash(data: key.x963Representation).prefix(9)))
        let set = KeySet(keys: [
            KeySet.Key(kid: keyIdentifier, x: Self.base64URL(point.prefix(32)), y: Self.base64URL(point.suffix(32)))
        ])
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        text = String(decoding: try encoder.encode(set), as: UTF8.self) + "\n"
    }

    private static func base64URL(_ bytes: Data) -> String {
        bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private struct KeySet: Encodable {
        struct Key: Encodable {
            var kty = "EC"
            var crv = "P-256"
            var alg = "ES256"
            var use = "sig"
            let kid: String
            let x: String
            let y: String
        }

        let keys: [Key]
    }
}
