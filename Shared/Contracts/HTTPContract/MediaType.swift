/// A media type, perhaps with parameters that belong to it (RFC 9110, section 8.3.1).
package struct MediaType: Hashable, Sendable {
    /// Type and subtype in lower case, such as `application/json`.
    package let name: String
    /// A second name that others use for the same; we never send it.
    package let alias: String?
    /// Parameters without which a content is of another type, such as `version`; names in lower case.
    package let parameters: [String: String]

    /// - Parameters:
    ///   - name: in lower case and without parameters, else it matches nothing.
    ///   - alias: the same of a second name.
    ///   - parameters: what a `Content-Type` must name besides; values are tokens. A content with further ones matches, too.
    package init(_ name: StaticString, alias: StaticString? = nil, parameters: [String: String] = [:]) {
        self.name = name.description
        self.alias = alias?.description
        self.parameters = parameters
    }

    /// What apps, laboratories and our own services exchange, uploads excepted.
    package static let json = MediaType("application/json")
    /// What the apps send to the submission server (cwa-server, `SubmissionController`).
    package static let protobuf = MediaType("application/x-protobuf")
    /// What phones send to the push dispatcher (swisscovid-cn-backend).
    package static let protobufOfEitherName = MediaType("application/x-protobuf", alias: "application/protobuf")
    /// What browsers send when a form is submitted.
    package static let form = MediaType("application/x-www-form-urlencoded")
    /// A page.
    package static let html = MediaType("text/html", parameters: ["charset": "utf-8"])

    private var names: [String] { [name] + (alias.map { [$0] } ?? []) }

    /// As a `Content-Type` says it, under each of its names.
    package var contentTypes: [String] {
        let parameters = parameters.sorted { $0.key < $1.key }.map { "; \($0.key)=\($0.value)" }.joined()
        return names.map { $0 + parameters }
    }

    /// As it stands in `Content-Type` and `Accept`.
    package var text: String { contentTypes[0] }

    /// Whether a `Content-Type` value names this type. Case doesn't count.
    package func matches(contentType: String) -> Bool {
        let parts = contentType.split(separator: ";", omittingEmptySubsequences: false).map(Self.trimmed)
        guard names.contains(parts[0].lowercased()) else { return false }
        return parameters.allSatisfy { name, value in
            // One that is named twice is not what anybody agreed on.
            let given = parts.dropFirst().compactMap { Self.value(of: name, in: $0) }
            return given.count == 1 && given[0].lowercased() == value.lowercased()
        }
    }

    /// The value of `name=value` or `name="value"`; nil for another name.
    private static func value(of name: String, in parameter: Substring) -> Substring? {
        let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == name else { return nil }
        let value = parts[1]
        return value.count > 1 && value.first == "\"" && value.last == "\"" ? value.dropFirst().dropLast() : value
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
