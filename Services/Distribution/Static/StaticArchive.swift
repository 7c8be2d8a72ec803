/// An archive that is signed and published, made from a file of the folder of static files.
struct StaticArchive: Equatable, Sendable {
    /// The path in the tree, such as `version/v2/app_config_ios`.
    let path: String
    /// The source file, relative to the folder of static files.
    let file: String
    /// What it holds, such as `Statistics`; nil if the bytes are published unchecked.
    let content: String?
    /// `export.bin`, without a header.
    let export: [UInt8]
    /// What looks like a mistake in it, although phones can read it: plain sentences.
    let notices: [String]
}
