/// How much an archive may claim before it is refused, against archives made to fill memory.
package struct ArchiveLimits: Hashable, Sendable {
    /// Bytes of the archive as it is.
    package var archiveBytes: Int
    /// Bytes of `export.bin` when inflated.
    package var exportBytes: Int
    /// Bytes of `export.sig` when inflated.
    package var signatureBytes: Int

    /// The defaults leave room for 900,000 keys of at most 36 bytes, more than any published file may have
    /// (Corona-Warn-App sheet, 5.4), and for hundreds of signatures.
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
