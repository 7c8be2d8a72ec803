/// The rules of a request's target: of the start line, and of `:path`.
package enum RequestTarget {
    /// Whether bytes are a path with an optional query, as requests send them (RFC 9112, section 3.2.1).
    ///
    /// The path begins with a slash. A fragment has no place in a target, nor have spaces, control bytes and what isn't
    /// ASCII. Other characters that a URI would have to encode are let through, since clients send them.
    package static func isOriginForm(_ bytes: Span<UInt8>) -> Bool {
        guard !bytes.isEmpty, bytes[0] == UInt8(ascii: "/") else { return false }
        return isPathAndQuery(bytes)
    }

    /// Whether bytes are `*`, the server as a whole, which only OPTIONS may ask (RFC 9112, section 3.2.4).
    package static func isAsterisk(_ bytes: Span<UInt8>) -> Bool { bytes.count == 1 && bytes[0] == UInt8(ascii: "*") }

    /// Whether all bytes are visible ASCII, and none is `#`.
    package static func isPathAndQuery(_ bytes: Span<UInt8>) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }
        }
    }
}
