package import HTTPContract

/// The target of a redirect or a link. It has only characters that are valid in a URL, so it can't end a header field.
package struct Location: Hashable, Sendable, ExpressibleByStringLiteral {
    let text: String

    /// A path of this host, as a literal.
    package init(stringLiteral path: StaticString) {
        guard let location = try? Location(path: path.description) else { preconditionFailure("not a path") }
        self = location
    }

    /// A path of this host, with a query.
    ///
    /// - Parameter path: from a literal or a fixed list, never from a request.
    /// - Throws: ``MalformedMessage`` unless it begins with exactly one slash and has segments only.
    package init(path: String, query: URLEncodedValues = [:]) throws(MalformedMessage) {
        guard path.first == "/", !path.hasPrefix("//") else { throw MalformedMessage() }
        try self.init(path, query)
    }

    /// An address of another server, such as an identity provider's, with a query.
    ///
    /// - Parameter base: from the configuration; `https`, without query and fragment.
    /// - Throws: ``MalformedMessage`` for any other.
    package init(https base: String, query: URLEncodedValues = [:]) throws(MalformedMessage) {
        guard base.hasPrefix("https://"), let first = base.dropFirst("https://".count).first, first != "/" else {
            throw MalformedMessage()
        }
        try self.init(base, query)
    }

    private init(_ base: String, _ query: URLEncodedValues) throws(MalformedMessage) {
        guard base.utf8.allSatisfy(Self.isPathByte) else { throw MalformedMessage() }
        text = query.names.isEmpty ? base : "\(base)?\(query.encoded)"
    }

    /// Whether a path may contain this byte: unreserved characters, slashes, and the separator of host and port.
    private static func isPathByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: ":"):
            true
        default: false
        }
    }
}
