/// What systems from iOS 27 on say of an app after the rest of the authenticator data: a map, whose other keys don't
/// count.
///
/// Older systems say nothing. That an app tells its system's version is no evidence, so absence can't be refused.
package struct AppAttestExtensions: Sendable {
    /// `CFBundleVersion`.
    package let bundleVersion: String?
    /// How the app got to the device.
    package let category: ValidationCategory?

    private static let versionKey = "apple_bundle_version_01"
    private static let categoryKey = "apple_validation_category_01"

    /// Nil for anything but nothing, or one map in which the known keys have values of their kinds.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard !bytes.isEmpty else {
            bundleVersion = nil
            category = nil
            return
        }
        guard let item = CBORItem(bytes), case .map = item else { return nil }
        let version = item.value(Self.versionKey)
        bundleVersion = version?.asText
        let number = item.value(Self.categoryKey)
        category = number.flatMap(Self.category)
        guard (version == nil) == (bundleVersion == nil), (number == nil) == (category == nil) else { return nil }
    }

    /// Apple's sample has four bytes, the lowest first. A number would be no surprise.
    private static func category(_ item: CBORItem) -> ValidationCategory? {
        switch item {
        case .unsigned(let number): UInt32(exactly: number).map { ValidationCategory(rawValue: $0) }
        case .bytes(let bytes) where bytes.count == 4:
            ValidationCategory(rawValue: bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) })
        case .bytes, .negative, .text, .array, .map: nil
        }
    }
}
