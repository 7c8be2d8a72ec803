package import Crypto

/// The holder of a private key that signs published archives (ECDSA on P-256 with SHA-256): this process, from a PEM file
/// (``SigningKey``), or a device that never reveals it.
///
/// It signs a digest, so that an archive of 20 MB needn't be sent to a device.
package protocol ArchiveSigner: Sendable {
    /// The key's identity in its signatures.
    var identity: SigningIdentity { get }
    /// The public half of the key.
    var verificationKey: VerificationKey { get }

    /// Signs the SHA-256 of an archive's whole `export.bin`. Two calls give two different signatures, both valid.
    /// - Returns: DER (X9.62).
    func sign(_ digest: SHA256Digest) async throws -> [UInt8]
}
