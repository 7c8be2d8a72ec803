/// A token in its compact form: parts in Base64url with full stops between them, of which the first is the header
/// (RFC 7515, section 7.1; RFC 7516, section 7.1). Nothing in it has been verified.
package struct CompactToken: Sendable {
    /// The first part.
    package let header: JOSEHeader
    /// The parts after the header, decoded.
    package let parts: [[UInt8]]
    /// The header's text: what encryption authenticates.
    package let encodedHeader: [UInt8]

    /// Nil if the text is longer, has another number of parts, or a part isn't strict Base64url.
    /// - Parameters:
    ///   - count: of parts, the header included.
    ///   - longest: characters of the whole text.
    package init?(_ text: String, parts count: Int, longest: Int) {
        guard text.utf8.count <= longest else { return nil }
        let texts = text.split(separator: ".", maxSplits: count, omittingEmptySubsequences: false)
        guard texts.count == count, let first = texts.first else { return nil }
        var parts: [[UInt8]] = []
        for text in texts {
            guard let part = Base64URL.bytes(text) else { return nil }
            parts.append(part)
        }
        guard let header = JOSEHeader(json: parts.removeFirst()) else { return nil }
        self.header = header
        self.parts = parts
        encodedHeader = Array(first.utf8)
    }
}

/// A signed token: header, payload, signature (RFC 7515).
package struct CompactJWS: Sendable {
    /// What it says of its signature.
    package let header: JOSEHeader
    /// What is signed, decoded.
    package let payload: [UInt8]
    /// By the algorithm that the header names; it has yet to be verified.
    package let signature: [UInt8]
    /// The text that the signature covers.
    package let signedBytes: [UInt8]

    /// Nil unless the text is one of at most so many characters. See ``CompactToken``.
    package init?(_ text: String, longest: Int) {
        guard let token = CompactToken(text, parts: 3, longest: longest),
            let end = text.utf8.lastIndex(of: UInt8(ascii: "."))
        else { return nil }
        header = token.header
        payload = token.parts[0]
        signature = token.parts[1]
        signedBytes = Array(text.utf8[..<end])
    }

    /// The text of a token.
    /// - Parameter sign: gets what is signed, and returns the signature.
    package static func text(
        header: some Sequence<UInt8>, payload: some Sequence<UInt8>, sign: ([UInt8]) throws -> some Sequence<UInt8>
    ) rethrows -> String {
        let signed = "\(Base64URL.text(header)).\(Base64URL.text(payload))"
        return "\(signed).\(Base64URL.text(try sign(Array(signed.utf8))))"
    }
}
