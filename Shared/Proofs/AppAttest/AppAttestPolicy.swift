package import Certificates
import Crypto
package import FoundationEssentials

/// Which evidence of Apple's App Attest counts as a genuine app's.
///
/// It verifies bytes and nothing else: that a challenge is used once, that a key is new, and that a counter is stored
/// before anybody else stores it, is the caller's to see to.
package struct AppAttestPolicy: Hashable, Sendable {
    /// The apps.
    package let apps: Set<AppID>
    /// Apple's services whose keys are accepted.
    package let environments: Set<AppAttestEnvironment>
    /// The ways in which an app may have got to a device, if the device says so.
    package let categories: Set<ValidationCategory>
    /// The authorities, in production Apple's only: ``AppleAppAttestRoot``.
    package let roots: PinnedRoots

    /// Bytes of the longest attestation. Apple's have at most about 6,000.
    package static let longestAttestation = 16_384
    /// Bytes of the longest assertion. Apple's have about 140, and some more with extensions.
    package static let longestAssertion = 1024

    private static let format = "apple-appattest"
    private static let certificates = 2

    /// See the properties.
    package init(
        apps: Set<AppID>, environments: Set<AppAttestEnvironment>, categories: Set<ValidationCategory>,
        roots: PinnedRoots
    ) {
        self.apps = apps
        self.environments = environments
        self.categories = categories
        self.roots = roots
    }

    /// Verifies what `DCAppAttestService.attestKey` returned, in the order of Apple's "Verify the attestation".
    ///
    /// The receipt isn't looked at: it serves Apple's estimate of fraud, for which one has to ask Apple about a device.
    /// - Parameters:
    ///   - keyID: what the app says that the key's name is.
    ///   - clientDataHash: what the app gave to `attestKey`, normally SHA-256 of a challenge.
    package func verify(
        attestation: [UInt8], keyID: AppAttestKeyID, clientDataHash: [UInt8], now: Date
    ) throws(AppAttestFlaw) -> AttestedKey {
        guard attestation.count <= Self.longestAttestation,
            let parts = CBORItem(attestation)?.values("fmt", "attStmt", "authData"), parts[0].says(Self.format),
            let statement = parts[1].values("x5c", "receipt"), let chain = statement[0].asArray,
            chain.count == Self.certificates, let leaf = chain[0].asBytes, let intermediate = chain[1].asBytes,
            statement[1].asBytes != nil, let signed = parts[2].asBytes,
            let data = AuthenticatorData(signed, ofAttestation: true), let credential = data.credential,
            let certificates = AttestationCertificates(leaf: leaf, intermediate: intermediate)
        else { throw .unreadable }
        guard certificates.lead(to: roots, at: now), let publicKey = certificates.key else { throw .chain }
        guard let nonce = certificates.nonce else { throw .statement }
        guard nonce == Self.nonce(signed, clientDataHash) else { throw .binding }
        guard AppAttestKeyID(publicKey) == keyID else { throw .key }
        try check(app: data.appHash)
        guard data.counter == 0 else { throw .counter }
        guard let environment = environments.first(where: { $0.authenticatorID == credential.authenticatorID }) else {
            throw .environment
        }
        guard credential.id == keyID else { throw .credential }
        guard credential.publicKey == publicKey else { throw .credentialKey }
        try check(data.extensions)
        return AttestedKey(id: keyID, publicKey: publicKey, environment: environment)
    }

    /// Verifies what `DCAppAttestService.generateAssertion` returned, in the order of Apple's "Verify the assertion".
    /// - Parameters:
    ///   - key: an attested key's.
    ///   - clientData: what the app gave the hash of to `generateAssertion`, as it was sent. The challenge in it is the
    ///     caller's to compare.
    ///   - lastCounter: of the last assertion that was accepted with this key, 0 before the first.
    /// - Returns: the assertion's counter.
    package func verify(
        assertion: [UInt8], by key: AppAttestPublicKey, clientData: some DataProtocol, lastCounter: UInt32
    ) throws(AppAttestFlaw) -> UInt32 {
        guard assertion.count <= Self.longestAssertion,
            let parts = CBORItem(assertion)?.values("signature", "authenticatorData"),
            let der = parts[0].asBytes, let signed = parts[1].asBytes,
            let data = AuthenticatorData(signed, ofAttestation: false)
        else { throw .unreadable }
        let nonce = Self.nonce(signed, Array(SHA256.hash(data: clientData)))
        // The nonce is the message: ECDSA hashes it once more. With a digest in its place it wouldn't.
        guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: der),
            key.key.isValidSignature(signature, for: nonce)
        else { throw .forged }
        try check(app: data.appHash)
        guard data.counter > lastCounter else { throw .counter }
        try check(data.extensions)
        return data.counter
    }

    private static func nonce(_ authenticatorData: [UInt8], _ clientDataHash: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: authenticatorData + clientDataHash))
    }

    private func check(app hash: [UInt8]) throws(AppAttestFlaw) {
        guard apps.contains(where: { $0.hash == hash }) else { throw .app }
    }

    private func check(_ extensions: AppAttestExtensions) throws(AppAttestFlaw) {
        guard extensions.category.map(categories.contains) ?? true else { throw .category }
    }
}
