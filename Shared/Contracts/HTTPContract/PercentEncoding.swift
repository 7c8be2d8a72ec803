/// Percent-encoding of one name or value (RFC 3986, section 2.1).
enum PercentEncoding {
    /// Keeps the unreserved characters of RFC 3986 (2.3), and encodes every other byte.
    static func encode(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return encoded
    }

    /// Decodes once.
    ///
    /// - Parameters:
    ///   - plusIsSpace: true in queries and forms.
    ///   - allowsLines: whether the result may have ends of lines (CR and LF).
    /// - Throws: ``MalformedMessage`` for a `%` without two digits, for bytes that no URL may contain, and for a result that
    ///   isn't UTF-8 or has control characters.
    static func decode(
        _ text: some StringProtocol, plusIsSpace: Bool, allowsLines: Bool = false
    ) throws(MalformedMessage) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    throw MalformedMessage()
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            case 0x21...0x7E: bytes.append(byte)
            default: throw MalformedMessage()
            }
        }
        guard let decoded = String(validating: bytes, as: UTF8.self),
            // C0, DEL and C1.
            !decoded.unicodeScalars.contains(where: {
                $0.properties.generalCategory == .control && !(allowsLines && ["\r", "\n"].contains($0))
            })
        else { throw MalformedMessage() }
        return decoded
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
