/// One name or a list of names (RFC 7519, section 4.1.3). The list may be empty.
package struct Audience: Codable, Sendable {
    /// The names, in the token's order.
    package let names: [String]

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        names = try (try? [container.decode(String.self)]) ?? container.decode([String].self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(names)
    }
}
