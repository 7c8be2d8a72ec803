/// A media type without parameters, such as `application/json`; comparison ignores case and parameters.
package struct MediaType: Hashable, Sendable {
    /// Type and subtype in lower case, such as `application/json`.
    package let name: String
    /// A second name that others use for the same; we never send it.
    package let alias: String?

    /// - Parameters:
    ///   - name: in lower case and without parameters, else it matches nothing.
    ///   - alias: the same of a second name.
    package init(_ name: StaticString, alias: StaticString? = nil) {
        self.name = name.description
        self.alias = alias?.description
    }

    /// What apps, laboratories and our own services exchange, uploads excepted.
    package static let json = MediaType("application/json")
    /// What the apps send to the submission server (cwa-server, `SubmissionController`).
    package static let protobuf = MediaType("application/x-protobuf")
    /// What phones send to the push dispatcher (swisscovid-cn-backend).
    package static let protobufOfEitherName = MediaType("application/x-protobuf", alias: "application/protobuf")

    /// All its names.
    package var names: [String] { [name] + (alias.map { [$0] } ?? []) }

    /// Whether a `Content-Type` value names this type.
    package func matches(contentType: String) -> Bool {
        let essence = contentType.prefix { $0 != ";" }
        var trimmed = Substring(essence)
        while trimmed.last == " " { trimmed.removeLast() }
        return names.contains(trimmed.lowercased())
    }
}
