/// A media type, optionally with parameters that belong to it (RFC 9110, section 8.3.1).
package struct MediaType: Hashable, Sendable {
    /// Type and subtype in lower case, such as `application/json`.
    package let name: String
    /// A second name for the same type. We accept it but never send it.
    package let alias: String?
    /// Parameters that are part of the type, such as `version`; names in lower case.
    package let parameters: [String: String]
    /// The values of `Content-Type`, one for each name.
    package let contentTypes: [String]
    /// The value for `Content-Type` and `Accept`.
    package var text: String { contentTypes[0] }

    /// - Parameters:
    ///   - name: in lower case and without parameters.
    ///   - alias: a second name, in the same form.
    ///   - parameters: what a `Content-Type` must contain in addition; values are tokens. Further parameters are allowed.
    package init(_ name: StaticString, alias: StaticString? = nil, parameters: [String: String] = [:]) {
        self.name = name.description
        self.alias = alias?.description
        self.parameters = parameters
        let suffix = parameters.sorted { $0.key < $1.key }.map { "; \($0.key)=\($0.value)" }.joined()
        contentTypes = [self.name, self.alias].compactMap(\.self).map { $0 + suffix }
    }

    /// The type for apps, laboratories and our own services, except for uploads.
    package static let json = MediaType("application/json")
    /// The type of the apps' uploads to the submission server (cwa-server, `SubmissionController`).
    package static let protobuf = MediaType("application/x-protobuf")
    /// The type of phones' requests to the push dispatcher (swisscovid-cn-backend).
    package static let protobufOfEitherName = MediaType("application/x-protobuf", alias: "application/protobuf")
    /// The type of a form submitted by a browser.
    package static let form = MediaType("application/x-www-form-urlencoded")
    /// An HTML page.
    package static let html = MediaType("text/html", parameters: ["charset": "utf-8"])
    /// A style sheet.
    package static let css = MediaType("text/css", parameters: ["charset": "utf-8"])
    /// A script of a page.
    package static let javaScript = MediaType("text/javascript", parameters: ["charset": "utf-8"])
    /// A table for a spreadsheet program (RFC 4180).
    package static let csv = MediaType("text/csv", parameters: ["charset": "utf-8"])
    /// A drawing.
    package static let svg = MediaType("image/svg+xml")

    /// Whether a `Content-Type` value names this type, ignoring case.
    package func matches(contentType: String) -> Bool {
        // Nearly every request.
        if contentType == text { return true }
        let parts = contentType.split(separator: ";", omittingEmptySubsequences: false).map(Self.trimmed)
        let type = parts[0].lowercased()
        guard type == name || type == alias else { return false }
        return parameters.allSatisfy { name, value in
            // A repeated parameter is ambiguous, so it doesn't match.
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
