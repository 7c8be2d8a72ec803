extension UInt8 {
    /// For each character of ASCII, itself in lower case if it may stand in a token, otherwise NUL (RFC 9110, section
    /// 5.6.2). A constant needs no initialisation.
    private static var tokenBytes: StaticString {
        """
        \0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\
        \0!\0#$%&'\0\0*+\0-.\00123456789\0\0\0\0\0\0\
        \0abcdefghijklmnopqrstuvwxyz\0\0\0^_\
        `abcdefghijklmnopqrstuvwxyz\0|\0~\0
        """
    }

    /// The byte in lower case, if it may stand in a token: a method, a field's name.
    @inline(__always)
    package var lowercasedTokenByte: UInt8? {
        guard self < 128 else { return nil }
        let byte = Self.tokenBytes.utf8Start[Int(self)]
        return byte == 0 ? nil : byte
    }

    /// Whether the byte may stand in a token.
    package var isTokenByte: Bool { lowercasedTokenByte != nil }

    /// Whether the byte may stand in a field's value: visible or not ASCII, space, and tab (RFC 9110, section 5.5).
    @inline(__always)
    package var isFieldValueByte: Bool { (self >= 0x20 && self != 0x7F) || self == 0x09 }

    /// Whether the byte is optional whitespace: space or tab (RFC 9110, section 5.6.3).
    @inline(__always)
    package var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// Whether the byte is a decimal digit.
    @inline(__always)
    package var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

    /// The value of a hexadecimal digit; nil for other bytes.
    package var hexDigit: Int? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(self - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): Int(self | 0x20) - 87
        default: nil
        }
    }

    /// A letter of ASCII in lower case; other bytes as they are.
    @inline(__always)
    package var lowercased: UInt8 { self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self }
}

extension Span where Element == UInt8 {
    /// Whether all bytes may stand in a token, and there is one at least.
    package var isToken: Bool {
        withUnsafeBufferPointer { bytes in !bytes.isEmpty && bytes.allSatisfy(\.isTokenByte) }
    }

    /// Whether all bytes may stand in a field's value.
    package var isFieldValue: Bool { withUnsafeBytes { $0.isFieldValue } }

    /// Whether the bytes are a constant in lower case, whatever the case of their ASCII letters.
    package func isSame(as constant: StaticString) -> Bool {
        guard count == constant.utf8CodeUnitCount else { return false }
        return constant.withUTF8Buffer { expected in
            for index in indices where self[index].lowercased != expected[index] { return false }
            return true
        }
    }

    /// A part without the blanks around it.
    package func trimmed(_ part: Range<Int>) -> Range<Int> {
        var start = part.lowerBound
        var end = part.upperBound
        while start < end, self[start].isBlank { start += 1 }
        while start < end, self[end - 1].isBlank { end -= 1 }
        return start..<end
    }

    /// The bytes as text; what isn't UTF-8 becomes U+FFFD.
    package var text: String { withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }
}

extension UnsafeRawBufferPointer {
    /// Whether all bytes may stand in a field's value. Eight of them are looked at at once, which is what values are long
    /// enough for.
    var isFieldValue: Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        var index = 0
        while index + 8 <= count {
            let word = loadUnaligned(fromByteOffset: index, as: UInt64.self)
            // A byte's top bit is set in the first if it is below 0x20, in the second if it is 0x7F. Both may err behind
            // such a byte, and a tab is right nevertheless: then each byte is looked at.
            let deletes = word ^ (ones &* 0x7F)
            let marks = ((word &- ones &* 0x20) & ~word | (deletes &- ones) & ~deletes) & tops
            if marks != 0, !self[index..<index + 8].allSatisfy(\.isFieldValueByte) { return false }
            index += 8
        }
        return self[index...].allSatisfy(\.isFieldValueByte)
    }
}
