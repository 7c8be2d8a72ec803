/// One signature over all bytes of an archive's `export.bin` (`TEKSignature`).
///
/// ECDSA as made here is randomised, so signing twice gives two signatures. Whoever needs the same archive again
/// keeps the signature and assembles the archive from it.
package struct ArchiveSignature: Hashable, Sendable {
    /// The key that made it, by its own account.
    package let identity: SigningIdentity
    /// The signed file's place among the files of its window.
    package let batch: Batch
    /// DER (X9.62).
    package let bytes: [UInt8]

    /// A signature that was made now, kept from before, or read.
    package init(identity: SigningIdentity, batch: Batch, bytes: [UInt8]) {
        self.identity = identity
        self.batch = batch
        self.bytes = bytes
    }
}
