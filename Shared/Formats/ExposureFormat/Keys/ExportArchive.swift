/// A published key file that was read: by the reference phone, tests and `vigil inspect`.
package struct ExportArchive: Hashable, Sendable {
    /// Window, region and batch.
    package let header: ExportHeader
    /// The signers that `export.bin` itself names.
    package let signers: [SigningIdentity]
    /// The keys in the file's order.
    package let keys: [ExportedKey]
    /// The archive that it was read from, with the signatures.
    package let archive: SignedArchive

    /// Reads a key file from a ZIP archive. Signatures are read, not checked; see ``verify(_:)``.
    package static func read(
        _ bytes: [UInt8], limits: ArchiveLimits = ArchiveLimits()
    ) throws(ArchiveDamage) -> ExportArchive {
        try ExportArchive(try SignedArchive.read(bytes, limits: limits))
    }

    /// Interprets an open archive as a key file.
    ///
    /// For archives from untrusted sources call ``SignedArchive/requireSignature(of:)`` first: decoding takes several times as
    /// much memory as `export.bin`.
    package init(_ archive: SignedArchive) throws(ArchiveDamage) {
        let marker = ExportFileHeader.bytes
        guard archive.export.starts(with: marker) else { throw .wrongHeader }
        (header, signers, keys) = try WireKeyExport.decode(Array(archive.export.dropFirst(marker.count)))
        self.archive = archive
    }

    /// Whether the keys are in the published order, without duplicates.
    package var isInPublishedOrder: Bool {
        let order = keys.map(PublishedKey.init)
        return zip(order, order.dropFirst()).allSatisfy { $0 < $1 }
    }

    /// A verdict for each signature, in their order.
    package func verify(_ publicKeys: [VerificationKey]) -> [SignatureVerdict] {
        archive.verify(publicKeys)
    }
}
