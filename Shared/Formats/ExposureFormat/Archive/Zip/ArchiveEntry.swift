/// The two entries of every published archive, in their order (Corona-Warn-App sheet, 5.2).
package enum ArchiveEntry: String, Hashable, Sendable, CaseIterable {
    /// The message that phones read.
    case export = "export.bin"
    /// The signatures over all its bytes.
    case signature = "export.sig"

    /// The name as the ZIP writer takes it: a literal, so that no archive can get a name from outside.
    var staticName: StaticString {
        switch self {
        case .export: "export.bin"
        case .signature: "export.sig"
        }
    }
}
