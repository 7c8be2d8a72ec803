package import Crypto

/// The holder of a private key that signs a country's batches: this process, from a PEM file (``BatchSigningKey``), or
/// a device that never reveals it.
package protocol BatchSigner: Sendable {
    /// The certificate of the key, which the gateway knows.
    var certificate: FederationCertificate { get }

    /// Signs the SHA-256 of a batch's records.
    /// - Returns: ECDSA in DER (X9.62), or RSA with the padding of PKCS #1, version 1.5.
    func sign(_ digest: SHA256Digest) async throws -> [UInt8]
}
