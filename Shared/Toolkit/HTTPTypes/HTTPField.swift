/// A header field: a name and a value that can't break the message it is written into (RFC 9110, section 5).
package struct HTTPField: Hashable, Sendable {
    /// The name, compared without case.
    package var name: Name

    /// The value. What isn't a valid value becomes one when it is set: spaces and tabs around it are dropped, and CR,
    /// LF and NUL become spaces (RFC 9110, section 5.5), so that no value can start another field or message.
    package var value: String {
        didSet { value = Self.legalized(value) }
    }

    /// A field; an invalid value is changed as `value` says.
    package init(name: Name, value: String) {
        self.name = name
        self.value = Self.legalized(value)
    }

    /// Whether a text is a value as it is: without CR, LF and NUL, and without spaces or tabs around it.
    package static func isValidValue(_ value: String) -> Bool {
        let bytes = value.utf8
        guard let first = bytes.first, let last = bytes.last else { return true }
        return !isBlank(first) && !isBlank(last) && !bytes.contains(where: breaksMessage)
    }

    private static func legalized(_ value: String) -> String {
        if isValidValue(value) { return value }
        let clean = value.utf8.map { breaksMessage($0) ? UInt8(ascii: " ") : $0 }
        guard let start = clean.firstIndex(where: { !isBlank($0) }), let end = clean.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(decoding: clean[start...end], as: UTF8.self)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    private static func breaksMessage(_ byte: UInt8) -> Bool {
        byte == 0 || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }
}

extension HTTPField: CustomStringConvertible {
    package var description: String { "\(name): \(value)" }
}
