/// What phones expect in the archive at a path of the tree.
package protocol StaticContent: Sendable {
    /// In `distribution check` and `vigil inspect`.
    var name: String { get }

    /// Encodes the content of a JSON file after checking all its rules: the same bytes for the same content.
    func encode(json: [UInt8]) throws(InvalidMessage) -> [UInt8]

    /// Refuses content that was encoded elsewhere if it breaks a rule.
    func review(encoded bytes: [UInt8]) throws(InvalidMessage)

    /// What encoded content says, as an operator would write it; unknown fields are left out.
    func json(encoded bytes: [UInt8]) throws(InvalidMessage) -> JSONValue
}

/// The content that phones expect at a path of the tree; nil if that isn't known here.
package func staticContent(at path: String) -> (any StaticContent)? {
    StaticMessage(path: path) ?? StaticList(path: path)
}
