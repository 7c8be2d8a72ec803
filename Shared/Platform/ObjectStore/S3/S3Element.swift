/// An element of the XML that S3 stores answer with, and its content.
///
/// This parser reads a small part of XML: elements, text and character references. It skips attributes and the declaration
/// at the start. It refuses everything else: document types, so that nothing is expanded or fetched, and CDATA sections,
/// comments and processing instructions, which no store sends. XMLCoder isn't used: it parses with FoundationXML, and would
/// load libxml2 into the process that holds the signing keys.
struct S3Element: Sendable {
    let name: String
    /// Without the text of child elements.
    fileprivate(set) var text = ""
    fileprivate(set) var children: [S3Element] = []

    /// The text of the first child with this name.
    subscript(_ name: String) -> String? { children.first { $0.name == name }?.text }

    /// Nil unless the bytes are one element, apart from the declaration and white space.
    init?(parsing bytes: some Sequence<UInt8>) {
        var reader = Reader(bytes: Array(bytes))
        guard let element = reader.document() else { return nil }
        self = element
    }

    fileprivate init(name: String) { self.name = name }
}

/// Reads from the start; nil from any of its functions means that S3 doesn't send such a document.
private struct Reader {
    let bytes: [UInt8]
    var position = 0

    /// S3's answers have four levels.
    private static let maximumDepth = 8
    private static let whiteSpace = Array(" \t\r\n".utf8)

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() -> S3Element? {
        // The byte order mark and the declaration.
        _ = take([0xEF, 0xBB, 0xBF])
        if take("<?xml ") {
            guard skip(past: "?>") else { return nil }
        }
        skipWhiteSpace()
        guard take("<"), let root = element(depth: 1) else { return nil }
        skipWhiteSpace()
        return position == bytes.count ? root : nil
    }

    /// After its `<`.
    private mutating func element(depth: Int) -> S3Element? {
        guard depth <= Self.maximumDepth, let name = name(), let isEmpty = restOfTag() else { return nil }
        var element = S3Element(name: name)
        if isEmpty { return element }
        var text: [UInt8] = []
        while let byte = next() {
            switch byte {
            case UInt8(ascii: "<") where take("/"):
                guard self.name() == name else { return nil }
                skipWhiteSpace()
                guard take(">"), let valid = String(validating: text, as: UTF8.self) else { return nil }
                element.text = valid
                return element
            case UInt8(ascii: "<"):
                guard let child = self.element(depth: depth + 1) else { return nil }
                element.children.append(child)
            case UInt8(ascii: "&"):
                guard let character = escaped() else { return nil }
                text += Array(String(character).utf8)
            default:
                text.append(byte)
            }
        }
        return nil
    }

    private mutating func name() -> String? {
        let start = position
        while let byte = peek, Self.isNameByte(byte) { position += 1 }
        return start == position ? nil : String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// - Returns: whether the tag is self-closing; nil if it is malformed.
    private mutating func restOfTag() -> Bool? {
        while true {
            skipWhiteSpace()
            if take("/>") { return true }
            if take(">") { return false }
            guard name() != nil else { return nil }
            skipWhiteSpace()
            guard take("=") else { return nil }
            skipWhiteSpace()
            guard take("\"") ? skip(past: "\"") : take("'") && skip(past: "'") else { return nil }
        }
    }

    /// After its `&`.
    private mutating func escaped() -> Unicode.Scalar? {
        let start = position
        // The longest is `#x10FFFF`.
        guard let end = bytes[start...].prefix(9).firstIndex(of: UInt8(ascii: ";")) else { return nil }
        position = end + 1
        let entity = String(decoding: bytes[start..<end], as: UTF8.self)
        switch entity {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            let number =
                entity.hasPrefix("#x")
                ? UInt32(entity.dropFirst(2), radix: 16)
                : entity.hasPrefix("#") ? UInt32(entity.dropFirst()) : nil
            return number.flatMap(Unicode.Scalar.init)
        }
    }

    // MARK: Bytes

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func next() -> UInt8? {
        guard let byte = peek else { return nil }
        position += 1
        return byte
    }

    private mutating func skipWhiteSpace() {
        while let byte = peek, Self.whiteSpace.contains(byte) { position += 1 }
    }

    /// - Returns: false, with nothing consumed, if something else follows.
    private mutating func take(_ text: StaticString) -> Bool {
        take(text.withUTF8Buffer(Array.init))
    }

    private mutating func take(_ expected: [UInt8]) -> Bool {
        guard bytes[position...].starts(with: expected) else { return false }
        position += expected.count
        return true
    }

    /// - Returns: false if the text doesn't occur in the rest.
    private mutating func skip(past text: StaticString) -> Bool {
        while position < bytes.count {
            if take(text) { return true }
            position += 1
        }
        return false
    }
}
