/// The two entries of every published archive, in their order:
/// https://developers.google.com/android/exposure-notifications/exposure-key-file-format
package enum ArchiveEntry: String, Hashable, Sendable, CaseIterable {
    /// The message that phones read.
    case export = "export.bin"
    /// The signatures over all its bytes.
    case signature = "export.sig"

    /// The name for the ZIP writer: a literal, so that no entry's name can come from input.
    var staticName: StaticString {
        switch self {
        case .export: "export.bin"
        case .signature: "export.sig"
        }
    }
}
