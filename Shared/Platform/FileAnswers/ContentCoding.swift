/// The header field `Accept-Encoding` (RFC 9110, section 12.5.3).
package enum ContentCoding {
    /// Whether a caller takes gzip. As nginx reads it: the name must be there, and `*` doesn't stand for it.
    package static func acceptsGzip(_ field: String?) -> Bool {
        guard let field else { return false }
        return field.lowercased().split(separator: ",").contains { entry in
            let parts = entry.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard parts.first == "gzip" else { return false }
            guard let weight = parts.dropFirst().first(where: { $0.hasPrefix("q=") }) else { return true }
            return Double(weight.dropFirst(2)).map { $0 > 0 } ?? false
        }
    }
}
