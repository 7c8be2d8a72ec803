import Crypto
package import FoundationEssentials
package import FurtherAPI
package import HTTPContract

/// The key with which an installation of the Further app signs what it posts.
///
/// It proves that two calls come from the same installation, not that this is the app (further, `README.md`, "Next Steps": public key
/// exchange).
package struct FurtherKey: Sendable {
    private let key: P256.Signing.PrivateKey

    /// Makes the key of a new installation.
    package init() { key = P256.Signing.PrivateKey() }

    /// The key that the phone has kept, as 32 bytes.
    package init(rawRepresentation bytes: [UInt8]) throws {
        key = try P256.Signing.PrivateKey(rawRepresentation: bytes)
    }

    /// What the phone keeps.
    package var rawRepresentation: [UInt8] { Array(key.rawRepresentation) }

    /// Its name at the server.
    package var name: KeyName { KeyName(of: key.publicKey.x963Representation) }

    /// What registers it.
    package func registration() throws -> KeyRegistration {
        let publicKey = key.publicKey.x963Representation
        let proof = try key.signature(for: KeyRegistration.provedText(for: publicKey))
        return KeyRegistration(publicKey: publicKey, proof: proof.derRepresentation)
    }

    /// A message that this key has signed, with a nonce of its own. If its answer is lost, it may be sent once more while the signature is
    /// good: the server knows it again.
    package func signed<Content>(
        _ message: SignedMessage<Content>, to route: Route, at now: Date
    ) throws -> SignedMessage<Content> {
        let nonce = SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }
        let timestamp = Int64(now.timeIntervalSince1970)
        let text = CallSignature.text(of: route, timestamp: timestamp, nonce: nonce, body: message.body)
        var signed = message
        signed.signature = CallSignature(
            key: name, timestamp: timestamp, nonce: nonce,
            signature: Array(try key.signature(for: text).derRepresentation))
        return signed
    }
}
