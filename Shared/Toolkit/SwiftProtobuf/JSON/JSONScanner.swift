/// Reads JSON text (RFC 8259) from the front.
struct JSONScanner {
    private let text: [UInt8]
    private var position = 0

    init(_ text: [UInt8]) { self.text = text }

    /// The next byte behind white space; nil at the end.
    mutating func next() -> UInt8? {
        while let byte = current, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
        return current
    }

    private var current: UInt8? { position < text.count ? text[position] : nil }

    /// Takes a character, if it is the next one behind white space.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next() == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Takes a word, if it stands next.
    mutating func take(word: StaticString) -> Bool {
        guard next() != nil else { return false }
        let isNext = word.withUTF8Buffer { text[position...].starts(with: $0) }
        if isNext { position += word.utf8CodeUnitCount }
        return isNext
    }

    /// Takes a character that has to be there.
    mutating func expect(
        _ character: Unicode.Scalar, otherwise error: JSONDecodingError = .malformed
    ) throws(JSONDecodingError) {
        guard take(character) else { throw next() == nil ? .truncated : error }
    }

    // MARK: Words and numbers

    mutating func bool() throws(JSONDecodingError) -> Bool {
        if take(word: "true") { return true }
        guard take(word: "false") else { throw .malformedBool }
        return false
    }

    /// An integer, in quotation marks or without. `1.0` and `1e3` are integers too.
    mutating func integer<Number: FixedWidthInteger>() throws(JSONDecodingError) -> Number {
        let text = try maybeQuoted { (scanner) throws(JSONDecodingError) in try scanner.number() }
        if let number = Number(text) { return number }
        guard text.utf8.contains(where: { [UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E")].contains($0) }),
            let real = Double(text)
        else { throw .numberRange }
        // Beyond that, a Double skips integers.
        guard real.magnitude < 0x1p53 else { throw .numberRange }
        guard real.rounded() == real else { throw .malformedNumber }
        guard let number = Number(exactly: real) else { throw .numberRange }
        return number
    }

    /// A number, in quotation marks or without; `"NaN"`, `"Infinity"` or `"-Infinity"`.
    mutating func floatingPoint<Number: BinaryFloatingPoint & LosslessStringConvertible>()
        throws(JSONDecodingError) -> Number
    {
        if take(word: #""NaN""#) { return .nan }
        if take(word: #""Infinity""#) { return .infinity }
        if take(word: #""-Infinity""#) { return -.infinity }
        let text = try maybeQuoted { (scanner) throws(JSONDecodingError) in try scanner.number() }
        guard let number = Number(text) else { throw .malformedNumber }
        guard number.isFinite else { throw .numberRange }
        return number
    }

    private mutating func maybeQuoted(
        _ read: (inout JSONScanner) throws(JSONDecodingError) -> String
    ) throws(JSONDecodingError) -> String {
        guard take("\"") else { return try read(&self) }
        let text = try read(&self)
        guard current == UInt8(ascii: "\"") else { throw .malformedNumber }
        position += 1
        return text
    }

    /// The text of a number (RFC 8259, section 6).
    private mutating func number() throws(JSONDecodingError) -> String {
        guard next() != nil else { throw .truncated }
        let start = position
        skip("-")
        let whole = position
        guard digits() > 0 else { throw .malformedNumber }
        guard position == whole + 1 || text[whole] != UInt8(ascii: "0") else { throw .leadingZero }
        if skip(".") {
            guard digits() > 0 else { throw .malformedNumber }
        }
        if skip("e") || skip("E") {
            if !skip("+") { skip("-") }
            guard digits() > 0 else { throw .malformedNumber }
        }
        return String(decoding: text[start..<position], as: UTF8.self)
    }

    @discardableResult
    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func digits() -> Int {
        let start = position
        while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        return position - start
    }

    // MARK: Strings

    /// The bytes between quotation marks, escapes resolved.
    private mutating func quotedBytes() throws(JSONDecodingError) -> [UInt8] {
        try expect("\"", otherwise: .malformedString)
        var bytes: [UInt8] = []
        while let byte = current, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw .malformedString }
            position += 1
            if byte == UInt8(ascii: "\\") {
                bytes += String(try escaped()).utf8
            } else {
                bytes.append(byte)
            }
        }
        guard current != nil else { throw .truncated }
        position += 1
        return bytes
    }

    mutating func string() throws(JSONDecodingError) -> String {
        guard let string = String(validating: try quotedBytes(), as: UTF8.self) else { throw .invalidUTF8 }
        return string
    }

    /// The character behind a backslash (RFC 8259, section 7).
    private mutating func escaped() throws(JSONDecodingError) -> Unicode.Scalar {
        guard let byte = current else { throw .truncated }
        position += 1
        switch Unicode.Scalar(byte) {
        case "\"", "\\", "/": return Unicode.Scalar(byte)
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u": break
        default: throw .malformedString
        }
        var code = try hexadecimal()
        if (0xD800..<0xDC00).contains(code) {
            guard skip("\\"), skip("u") else { throw .malformedString }
            let low = try hexadecimal()
            guard (0xDC00..<0xE000).contains(low) else { throw .malformedString }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        // Half of a pair alone is none.
        guard let scalar = Unicode.Scalar(code) else { throw .malformedString }
        return scalar
    }

    private mutating func hexadecimal() throws(JSONDecodingError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = current else { throw .truncated }
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw .malformedString }
            position += 1
            code = code << 4 | UInt32(digit)
        }
        return code
    }
}
