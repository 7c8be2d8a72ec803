import Crypto

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

    /// 65 bytes: 4, x and y (SEC 1, 2.3.3).
    package var publicKey: [UInt8] { Array(key.publicKey.x963Representation) }

    /// The ECDSA signature of SHA-256 of a message, in DER.
    package func signature(of message: [UInt8]) throws -> [UInt8] {
        Array(try key.signature(for: message).derRepresentation)
    }
}
