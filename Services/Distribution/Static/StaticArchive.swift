import ExposureFormat

/// What is signed and published at a place of the tree, from a file of the drop-in folder.
struct StaticArchive: Equatable, Sendable {
    /// Such as `version/v2/app_config_ios`.
    let path: String
    /// The file that it was made from, relative to the drop-in folder.
    let file: String
    /// Nil where the bytes are published as they are, unread.
    let message: StaticMessage?
    /// `export.bin`, without a header.
    let export: [UInt8]
}
