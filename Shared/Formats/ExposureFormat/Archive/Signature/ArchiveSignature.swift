/// One signature over all bytes of an archive's `export.bin` (`TEKSignature`).
///
/// ECDSA is randomised here, so signing twice gives two signatures. To build the same archive again, keep the signature.
package struct ArchiveSignature: Hashable, Sendable {
    /// The key that the signature claims.
    package let identity: SigningIdentity
    /// The signed file's place among the files of its window.
    package let batch: Batch
    /// DER (X9.62).
    package let bytes: [UInt8]

    /// Creates a new signature, or one that was kept or read.
    package init(identity: SigningIdentity, batch: Batch, bytes: [UInt8]) {
        self.identity = identity
        self.batch = batch
        self.bytes = bytes
    }
}
