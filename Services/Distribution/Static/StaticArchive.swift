import ExposureFormat

/// An archive that is signed and published, made from a file of the folder of static files.
struct StaticArchive: Equatable, Sendable {
    /// Such as `version/v2/app_config_ios`.
    let path: String
    /// The source file, relative to the folder of static files.
    let file: String
    /// Nil if the bytes are published unchanged and unchecked.
    let message: StaticMessage?
    /// `export.bin`, without a header.
    let export: [UInt8]
}
