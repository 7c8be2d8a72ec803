package import AppAttest
import Crypto
package import FoundationEssentials

/// An installation of an app with its key: what `DCAppAttestService` is on an iPhone.
package struct AppAttestDevice: Sendable {
    /// The app.
    package let app: AppID
    /// The key's public half.
    package let publicKey: AppAttestPublicKey
    /// Of the last assertion, 0 before the first.
    package private(set) var counter: UInt32 = 0
    private let key: P256.Signing.PrivateKey

    /// Makes a key.
    package init(app: AppID) {
        self.app = app
        key = P256.Signing.PrivateKey()
        publicKey = AppAttestPublicKey(key.publicKey)
    }

    /// The key's name.
    package var keyID: AppAttestKeyID { AppAttestKeyID(publicKey) }

    /// Has the key attested.
    package func attestation(
        by authority: AppleAuthority, clientDataHash: [UInt8], environment: AppAttestEnvironment, at now: Date
    ) throws -> [UInt8] {
        try authority.attest(
            publicKey: publicKey, clientDataHash: clientDataHash, app: app, environment: environment, at: now)
    }

    /// The next assertion: `DCAppAttestService.generateAssertion`, which is given the hash.
    package mutating func assertion(clientDataHash: [UInt8]) throws -> [UInt8] {
        counter += 1
        return try assertion(clientDataHash, AuthenticatorDataTemplate(app: app, counter: counter)).encoded
    }

    /// The same over data.
    package mutating func assertion(over clientData: some DataProtocol) throws -> [UInt8] {
        try assertion(clientDataHash: Array(SHA256.hash(data: clientData)))
    }

    /// An assertion with whatever data, which doesn't count.
    package func assertion(
        over clientData: some DataProtocol, _ template: AuthenticatorDataTemplate
    ) throws -> CBORItem {
        try assertion(Array(SHA256.hash(data: clientData)), template)
    }

    private func assertion(_ clientDataHash: [UInt8], _ template: AuthenticatorDataTemplate) throws -> CBORItem {
        let data = template.bytes
        let nonce = SHA256.hash(data: data + clientDataHash)
        // The nonce is the message, and is hashed once more.
        let signature = try key.signature(for: Array(nonce))
        return .map([
            (.text("signature"), .bytes(Array(signature.derRepresentation))),
            (.text("authenticatorData"), .bytes(data)),
        ])
    }
}
