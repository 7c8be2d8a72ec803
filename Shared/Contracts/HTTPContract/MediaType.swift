/// A media type without parameters, such as `application/json`; comparison ignores case and parameters.
package struct MediaType: Hashable, Sendable {
    /// Type and subtype in lower case, such as `application/json`.
    package let name: String

    /// - Parameter name: in lower case and without parameters, else it matches nothing.
    package init(_ name: StaticString) {
        self.name = name.description
    }

    /// What apps, laboratories and our own services exchange, uploads excepted.
    package static let json = MediaType("application/json")
    /// What the apps send to the submission server (Corona-Warn-App sheet, 4.1).
    package static let protobuf = MediaType("application/x-protobuf")

    /// Whether a `Content-Type` value names this type.
    package func matches(contentType: String) -> Bool {
        let essence = contentType.prefix { $0 != ";" }
        var trimmed = Substring(essence)
        while trimmed.last == " " { trimmed.removeLast() }
        return trimmed.lowercased() == name
    }
}
