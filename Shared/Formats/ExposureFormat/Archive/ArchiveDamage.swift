/// What is wrong with a published archive, as a sentence for the operator.
///
/// No sentence repeats bytes of the archive, which may come from anybody; it has only positions, lengths and numbers.
package enum ArchiveDamage: Error, Hashable, CustomStringConvertible {
    // The container.
    /// The file is larger than the limit, in bytes, and was not opened.
    case archiveTooLarge(limit: Int)
    /// The file has no ZIP directory at its end: it is no archive, or truncated.
    case notAZip
    /// It is a ZIP archive, but its directory and its entries contradict each other.
    case inconsistentZip
    /// `export.bin` or `export.sig` isn't there.
    case missingEntry(ArchiveEntry)
    /// Both entries are there, and others too.
    case extraEntries(count: Int)
    /// `export.sig` comes before `export.bin`.
    case wrongEntryOrder
    /// An entry is, or claims to be, larger than the limit when inflated.
    case entryTooLarge(ArchiveEntry, limit: Int)
    /// An entry is encrypted, compressed by anything but DEFLATE, or its compressed data is broken.
    case unreadableEntry(ArchiveEntry)
    /// An entry's content doesn't match its CRC-32.
    case checksumMismatch(ArchiveEntry)

    // The signatures.
    /// `export.sig` isn't a `TEKSignatureList`.
    case unreadableSignatureList
    /// `export.sig` holds no signature.
    case noSignatures
    /// No signature of the list is one by a given key over `export.bin`.
    case signatureDoesNotMatch

    // What isn't keys.
    /// `export.bin` isn't what the archive's path asks for.
    case unreadableContent

    // The key file.
    /// `export.bin` doesn't begin with the 16 bytes that mark a key file.
    case wrongHeader
    /// What follows the header isn't a `TemporaryExposureKeyExport`.
    case unreadableExport
    /// The time window is missing or ends before it starts.
    case invalidWindow
    /// The batch number isn't one of 1...size. Both `export.bin` and `export.sig` have one.
    case invalidBatch(number: Int32, size: Int32)
    /// The key at a position, counted from 0, doesn't have 16 bytes.
    case wrongKeyLength(position: Int, length: Int)
    /// A key's rolling start is negative, or so late that its end is no interval number.
    case rollingStartOutOfRange(position: Int, value: Int32)
    /// A key's rolling period isn't one of 1...144.
    case rollingPeriodOutOfRange(position: Int, value: Int32)
    /// A key's transmission risk level isn't one of 1...8, nor 0, which says that there is none.
    case transmissionRiskLevelOutOfRange(position: Int, value: Int32)

    /// A plain sentence.
    package var description: String {
        switch self {
        case .archiveTooLarge(let limit): "The file is larger than \(limit) bytes."
        case .notAZip: "The file is not a ZIP archive, or it was cut off."
        case .inconsistentZip: "The archive's directory does not agree with its entries."
        case .missingEntry(let entry): "The archive has no entry \(entry.rawValue)."
        case .extraEntries(let count):
            "The archive has \(count) entries; exactly export.bin and export.sig belong in it."
        case .wrongEntryOrder: "The archive has export.sig before export.bin."
        case .entryTooLarge(let entry, let limit): "\(entry.rawValue) is larger than \(limit) bytes when inflated."
        case .unreadableEntry(let entry): "\(entry.rawValue) can't be inflated."
        case .checksumMismatch(let entry): "The content of \(entry.rawValue) does not match its CRC-32."
        case .unreadableSignatureList: "export.sig is not a signature list."
        case .noSignatures: "export.sig has no signature."
        case .signatureDoesNotMatch: "No signature matches export.bin and the public key."
        case .unreadableContent: "export.bin is not what belongs at this path."
        case .wrongHeader: "export.bin does not begin with the header \"EK Export v1    \"."
        case .unreadableExport: "export.bin is not a key export behind its header."
        case .invalidWindow: "The export does not say which window of time it covers."
        case .invalidBatch(let number, let size): "Batch number \(number) of \(size) is impossible."
        case .wrongKeyLength(let position, let length):
            "Key \(position) has \(length) bytes instead of 16."
        case .rollingStartOutOfRange(let position, let value):
            "Key \(position) starts at interval \(value), which is impossible."
        case .rollingPeriodOutOfRange(let position, let value):
            "Key \(position) has a rolling period of \(value) intervals instead of 1 to 144."
        case .transmissionRiskLevelOutOfRange(let position, let value):
            "Key \(position) has the transmission risk level \(value) instead of 0 to 8."
        }
    }
}
