import FoundationEssentials

/// Base64 with the letters for URLs, without padding (RFC 7515, section 2).
package enum Base64URL {
    /// In the only form that ``bytes(_:)`` reads.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Nil for padding, for other letters, and for a last letter with bits that belong to no byte: nothing has two
    /// texts.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 4 * 3 + 2)
        var pending: UInt32 = 0
        var count: UInt32 = 0
        for letter in text.utf8 {
            guard let value = value(of: letter) else { return nil }
            pending = pending << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> count))
            }
        }
        guard count < 6, pending & (1 << count - 1) == 0 else { return nil }
        return bytes
    }

    private static func value(of letter: UInt8) -> UInt32? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}

/// Base64 with padding (RFC 4648, section 4), in which nothing has two texts.
package enum PaddedBase64 {
    /// Nil for line breaks, for missing padding, and for a last letter with bits that belong to no byte.
    package static func bytes(_ text: String) -> [UInt8]? {
        guard let bytes = Data(base64Encoded: text), bytes.base64EncodedString().utf8.elementsEqual(text.utf8) else {
            return nil
        }
        return Array(bytes)
    }
}
