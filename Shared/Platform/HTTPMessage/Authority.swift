import Glibc

/// The rules of a request's host and port: `Host`, `:authority`, and the authority of an absolute target.
package enum Authority {
    /// Whether bytes are `uri-host [ ":" port ]` (RFC 3986, sections 3.2.2 and 3.2.3; RFC 9110, section 4.2).
    ///
    /// The port may not exceed 65535. User information and address forms of the future are refused (RFC 9110, section
    /// 4.2.4), and so are names that no DNS can hold: empty labels, percent-encoding, and RFC 3986's sub-delimiters. It
    /// wants names to follow DNS syntax; and a proxy that takes a comma for a list reads another host than the next.
    package static func isValid(_ bytes: Span<UInt8>) -> Bool {
        guard let end = hostEnd(bytes) else { return false }
        return end == bytes.count
            || (bytes[end] == UInt8(ascii: ":") && isPort(bytes.extracting(droppingFirst: end + 1)))
    }

    /// Whether two valid authorities name the same host and port, without case and with the scheme's port added.
    package static func isSame(_ left: Span<UInt8>, _ right: Span<UInt8>, defaultPort: Int) -> Bool {
        guard let leftEnd = hostEnd(left), let rightEnd = hostEnd(right), leftEnd == rightEnd else { return false }
        for index in 0..<leftEnd where left[index].lowercased != right[index].lowercased { return false }
        return port(left, leftEnd, defaultPort) == port(right, rightEnd, defaultPort)
    }

    /// Where the host ends; nil if there is no valid one.
    private static func hostEnd(_ bytes: Span<UInt8>) -> Int? {
        guard !bytes.isEmpty else { return nil }
        if bytes[0] == UInt8(ascii: "[") { return addressEnd(bytes) }
        var index = 0
        var label = 0
        while index < bytes.count, bytes[index] != UInt8(ascii: ":") {
            if bytes[index] == UInt8(ascii: ".") {
                guard index > label else { return nil }
                label = index + 1
            } else {
                guard isLabelByte(bytes[index]) else { return nil }
            }
            index += 1
        }
        return index == 0 ? nil : index
    }

    /// Where an IPv6 address in brackets ends.
    private static func addressEnd(_ bytes: Span<UInt8>) -> Int? {
        var address: [CChar] = []
        var index = 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "]") {
            // "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255" is the longest.
            guard index <= 45 else { return nil }
            address.append(CChar(truncatingIfNeeded: bytes[index]))
            index += 1
        }
        var parsed = in6_addr()
        guard index < bytes.count, inet_pton(AF_INET6, address + [0], &parsed) == 1 else { return nil }
        return index + 1
    }

    private static func isPort(_ digits: Span<UInt8>) -> Bool {
        var port = 0
        for index in digits.indices {
            guard digits[index].isDigit else { return false }
            port = port * 10 + Int(digits[index] - UInt8(ascii: "0"))
            guard port <= 65535 else { return false }
        }
        return true
    }

    private static func port(_ bytes: Span<UInt8>, _ hostEnd: Int, _ defaultPort: Int) -> Int {
        guard hostEnd + 1 < bytes.count else { return defaultPort }
        var port = 0
        for index in hostEnd + 1..<bytes.count { port = port * 10 + Int(bytes[index] & 0x0F) }
        return port
    }

    /// Letters, digits, hyphen, and the underscore that some local names have.
    private static func isLabelByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
