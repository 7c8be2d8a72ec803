/// Goes through a text in UTF-8 once. Each function returns false, or nil, for what isn't JSON.
///
/// It makes no values, because every request passes through it.
struct StrictJSONReader {
    /// How many arrays and objects at most stand one in another: as in the CBOR of published lists.
    static let deepest = 256

    /// Valid while the reader is used.
    private let bytes: UnsafeBufferPointer<UInt8>
    private var place = 0
    /// Those of the objects that haven't ended, the outermost's first.
    private var names: [Content] = []

    /// What stands between a string's quotation marks. It is plain if it is ASCII without backslashes.
    private struct Content {
        let range: Range<Int>
        let isPlain: Bool
    }

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

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
        let first = names.count
        defer { names.removeSubrange(first...) }
        place += 1
        skipWhiteSpace()
        if take(UInt8(ascii: "}")) { return true }
        repeat {
            skipWhiteSpace()
            guard let name = string() else { return false }
            names.append(name)
            skipWhiteSpace()
            guard take(UInt8(ascii: ":")), value(depth: depth) else { return false }
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "}")) && areDifferent(names[first...])
    }

    private func areDifferent(_ names: ArraySlice<Content>) -> Bool {
        guard names.count <= 16, names.allSatisfy(\.isPlain) else {
            // Swift's strings are equal as in the decoder's dictionary: also when only their normal form is.
            return Set(names.map(text(of:))).count == names.count
        }
        return names.indices.allSatisfy { place in
            names[..<place].allSatisfy { !bytes[$0.range].elementsEqual(bytes[names[place].range]) }
        }
    }

    private mutating func array(depth: Int) -> Bool {
        place += 1
        skipWhiteSpace()
        if take(UInt8(ascii: "]")) { return true }
        repeat {
            guard value(depth: depth) else { return false }
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "]"))
    }

    private mutating func string() -> Content? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        let start = place
        var isPlain = true
        while let byte = next {
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return Content(range: start..<place - 1, isPlain: isPlain)
            case UInt8(ascii: "\\"):
                isPlain = false
                guard escaped() != nil else { return nil }
            case 0..<0x20: return nil
            case 0x80...: isPlain = false
            default: break
            }
        }
        return nil
    }

    private func text(of content: Content) -> String {
        let content = UnsafeBufferPointer(rebasing: bytes[content.range])
        guard content.contains(UInt8(ascii: "\\")) else { return String(decoding: content, as: UTF8.self) }
        var reader = Self(content)
        var text: [UInt8] = []
        while let byte = reader.next {
            reader.place += 1
            if byte != UInt8(ascii: "\\") {
                text.append(byte)
            } else if let scalar = reader.escaped() {
                text += Array(String(scalar).utf8)
            }
        }
        return String(decoding: text, as: UTF8.self)
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
        _ = take(UInt8(ascii: "-"))
        guard take(UInt8(ascii: "0")) || digits() else { return false }
        if take(UInt8(ascii: ".")), !digits() { return false }
        guard take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) else { return true }
        _ = take(UInt8(ascii: "+")) || take(UInt8(ascii: "-"))
        return digits()
    }

    /// At least one digit.
    private mutating func digits() -> Bool {
        let start = place
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { place += 1 }
        return place > start
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        place += 1
        return true
    }

    private mutating func take(_ word: StaticString) -> Bool {
        let word = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard bytes[place...].starts(with: word) else { return false }
        place += word.count
        return true
    }

    private mutating func skipWhiteSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { place += 1 }
    }
}
