/// One name or a list of names, at least one (RFC 7519, section 4.1.3).
package struct Audience: Decodable, Sendable {
    /// The names, in the token's order.
    package let names: [String]

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        names = try (try? [container.decode(String.self)]) ?? container.decode([String].self)
        guard !names.isEmpty else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "a token for nobody")
        }
    }
}
