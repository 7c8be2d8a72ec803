/// The strict reading of JSON that tokens need, beside Foundation's decoder.
///
/// The decoder takes the first of two members with one name, where readers of tokens have to refuse both or to take the last
/// (RFC 7515, section 4; RFC 7519, section 4), and a comma that nothing follows. Whoever signs one text must not mean another
/// than who reads it.
package enum StrictJSON {
    /// How many arrays and objects at most stand one in another.
    private static let deepest = 64

    /// Whether bytes are exactly one text of JSON (RFC 8259) in UTF-8, in which no object has a name twice.
    package static func holds(_ bytes: [UInt8]) -> Bool {
        guard String(validating: bytes, as: UTF8.self) != nil else { return false }
        var reader = JSONReader(bytes: bytes)
        return reader.value(depth: deepest) && reader.isAtEnd
    }
}

/// Goes through a text once. Each function returns false, or nil, for what isn't JSON.
private struct JSONReader {
    let bytes: [UInt8]
    private var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    var isAtEnd: Bool { place == bytes.count }

    /// A value with the white space around it.
    mutating func value(depth: Int) -> Bool {
        skipWhiteSpace()
        defer { skipWhiteSpace() }
        switch next {
        case UInt8(ascii: "{"): return depth > 0 && object(depth: depth - 1)
        case UInt8(ascii: "["): return depth > 0 && array(depth: depth - 1)
        case UInt8(ascii: "\""): return string() != nil
        case UInt8(ascii: "t"): return take("true")
        case UInt8(ascii: "f"): return take("false")
        case UInt8(ascii: "n"): return take("null")
        default: return number()
        }
    }

    private mutating func object(depth: Int) -> Bool {
        var names: Set<[UInt8]> = []
        return list(from: "{", to: "}") { reader in
            reader.skipWhiteSpace()
            guard let name = reader.string(), names.insert(name).inserted else { return false }
            reader.skipWhiteSpace()
            return reader.take(":") && reader.value(depth: depth)
        }
    }

    private mutating func array(depth: Int) -> Bool {
        list(from: "[", to: "]") { $0.value(depth: depth) }
    }

    /// Elements with commas between them, each with the white space around it.
    private mutating func list(from start: String, to end: String, _ element: (inout Self) -> Bool) -> Bool {
        guard take(start) else { return false }
        skipWhiteSpace()
        if take(end) { return true }
        repeat {
            guard element(&self) else { return false }
        } while take(",")
        return take(end)
    }

    /// What a string says, in UTF-8.
    private mutating func string() -> [UInt8]? {
        guard take("\"") else { return nil }
        var content: [UInt8] = []
        while let byte = next {
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return content
            case UInt8(ascii: "\\"):
                guard let scalar = escaped() else { return nil }
                content += Array(String(scalar).utf8)
            case 0..<0x20: return nil
            default: content.append(byte)
            }
        }
        return nil
    }

    /// The character behind a backslash. Half of a pair of surrogates is none.
    private mutating func escaped() -> Unicode.Scalar? {
        guard let byte = next else { return nil }
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: return nil
        }
        guard let first = unit() else { return nil }
        guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(first) }
        guard take("\\u"), let second = unit(), UTF16.isTrailSurrogate(second) else { return nil }
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
    }

    /// Four hexadecimal digits.
    private mutating func unit() -> UInt16? {
        guard bytes.count - place >= 4 else { return nil }
        defer { place += 4 }
        let digits = bytes[place..<place + 4]
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
        return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    private mutating func number() -> Bool {
        _ = take("-")
        guard take("0") || digits() else { return false }
        if take("."), !digits() { return false }
        guard take("e") || take("E") else { return true }
        _ = take("+") || take("-")
        return digits()
    }

    /// At least one digit.
    private mutating func digits() -> Bool {
        let start = place
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { place += 1 }
        return place > start
    }

    private mutating func take(_ text: String) -> Bool {
        guard bytes[place...].starts(with: text.utf8) else { return false }
        place += text.utf8.count
        return true
    }

    private mutating func skipWhiteSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { place += 1 }
    }
}
