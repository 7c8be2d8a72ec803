/// Size limits, against archives that are made to exhaust memory.
package struct ArchiveLimits: Hashable, Sendable {
    /// Bytes of the archive itself.
    package var archiveBytes: Int
    /// Bytes of `export.bin` when inflated.
    package var exportBytes: Int
    /// Bytes of `export.sig` when inflated.
    package var signatureBytes: Int

    /// The defaults leave room for 900,000 keys of at most 36 bytes, half as many again as a published file may have, and for
    /// hundreds of signatures.
    package init(archiveBytes: Int = 32 << 20, exportBytes: Int = 32 << 20, signatureBytes: Int = 64 << 10) {
        self.archiveBytes = archiveBytes
        self.exportBytes = exportBytes
        self.signatureBytes = signatureBytes
    }

    func bytes(of entry: ArchiveEntry) -> Int {
        switch entry {
        case .export: exportBytes
        case .signature: signatureBytes
        }
    }
}
