import FoundationEssentials

/// CBOR (RFC 8949), as far as it has the values of JSON.
enum CBOR {
    /// How deeply values may nest, against input that is made to exhaust the stack.
    static let maximumDepth = 256

    // MARK: Encoding

    /// The deterministic encoding (section 4.2.1), except that all fractions have 64 bits.
    static func encode(_ value: JSONValue) -> [UInt8] {
        switch value {
        case .bool(false): return [0xF4]
        case .bool(true): return [0xF5]
        case .null: return [0xF6]
        case .integer(let value):
            return value < 0 ? head(1, UInt64(bitPattern: ~value)) : head(0, UInt64(value))
        case .number(let value): return [0xFB] + bigEndian(value.bitPattern, bytes: 8)
        case .text(let text): return head(3, UInt64(text.utf8.count)) + Array(text.utf8)
        case .array(let elements): return head(4, UInt64(elements.count)) + elements.flatMap(encode)
        case .object(let members):
            let encoded = members.map { (key: encode(.text($0)), value: encode($1)) }
                .sorted { $0.key.lexicographicallyPrecedes($1.key) }
            return head(5, UInt64(members.count)) + encoded.flatMap { $0.key + $0.value }
        }
    }

    private static func head(_ major: UInt8, _ argument: UInt64) -> [UInt8] {
        switch argument {
        case 0..<24: [major << 5 | UInt8(argument)]
        case 0...0xFF: [major << 5 | 24] + bigEndian(argument, bytes: 1)
        case 0...0xFFFF: [major << 5 | 25] + bigEndian(argument, bytes: 2)
        case 0...0xFFFF_FFFF: [major << 5 | 26] + bigEndian(argument, bytes: 4)
        default: [major << 5 | 27] + bigEndian(argument, bytes: 8)
        }
    }

    private static func bigEndian(_ value: UInt64, bytes: Int) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }

    // MARK: Decoding

    /// The value of an encoding; nil if it isn't well-formed, has more after its end, nests too deeply, or has maps with other
    /// keys than texts.
    ///
    /// Tags are ignored, bytes become Base64, and undefined becomes null (section 6.1).
    static func decode(_ bytes: [UInt8]) -> JSONValue? {
        var reader = Reader(bytes: bytes)
        guard let value = try? reader.value(depth: 0), reader.position == bytes.count else { return nil }
        return value
    }

    private struct Malformed: Error {}

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        mutating func value(depth: Int) throws(Malformed) -> JSONValue {
            guard depth < CBOR.maximumDepth else { throw Malformed() }
            let (major, info) = try initial()
            switch major {
            case 0: return Self.number(try argument(info))
            case 1:
                let offset = try argument(info)
                return Int64(exactly: offset).map { .integer(~$0) } ?? .number(-1 - Double(offset))
            case 2: return .text(Data(try string(major, info)).base64EncodedString())
            case 3:
                guard let text = String(validating: try string(major, info), as: UTF8.self) else { throw Malformed() }
                return .text(text)
            case 4: return .array(try elements(info, depth))
            case 5: return .object(try members(info, depth))
            case 6:
                _ = try argument(info)
                return try value(depth: depth + 1)
            default: return try simple(info)
            }
        }

        private static func number(_ value: UInt64) -> JSONValue {
            Int64(exactly: value).map { .integer($0) } ?? .number(Double(value))
        }

        private mutating func elements(_ info: UInt8, _ depth: Int) throws(Malformed) -> [JSONValue] {
            var elements: [JSONValue] = []
            if info == 31 {
                while try !takeBreak() { elements.append(try value(depth: depth + 1)) }
            } else {
                // Not reserved: the count may be a lie. Each element takes a byte at least.
                for _ in 0..<(try count(info)) { elements.append(try value(depth: depth + 1)) }
            }
            return elements
        }

        private mutating func members(_ info: UInt8, _ depth: Int) throws(Malformed) -> [String: JSONValue] {
            var members: [String: JSONValue] = [:]
            var rest = info == 31 ? Int.max : try count(info)
            while rest > 0 {
                if info == 31, try takeBreak() { break }
                guard case .text(let key) = try value(depth: depth + 1) else { throw Malformed() }
                guard members.updateValue(try value(depth: depth + 1), forKey: key) == nil else { throw Malformed() }
                rest -= 1
            }
            return members
        }

        /// A string of bytes or text, perhaps in parts.
        private mutating func string(_ major: UInt8, _ info: UInt8) throws(Malformed) -> [UInt8] {
            guard info == 31 else { return Array(try take(try count(info))) }
            var string: [UInt8] = []
            while try !takeBreak() {
                let (part, info) = try initial()
                guard part == major, info != 31 else { throw Malformed() }
                string += try take(try count(info))
            }
            return string
        }

        private mutating func simple(_ info: UInt8) throws(Malformed) -> JSONValue {
            switch info {
            case 20: return .bool(false)
            case 21: return .bool(true)
            case 22, 23: return .null
            case 25: return .number(Double(Self.half(UInt16(try argument(info)))))
            case 26: return .number(Double(Float(bitPattern: UInt32(try argument(info)))))
            case 27: return .number(Double(bitPattern: try argument(info)))
            default: throw Malformed()
            }
        }

        /// A number of 16 bits (RFC 8949, appendix D); `Float16` isn't there on every machine.
        private static func half(_ bits: UInt16) -> Float {
            let exponent = Int(bits >> 10 & 0x1F)
            let mantissa = Float(bits & 0x3FF)
            let magnitude: Float =
                switch exponent {
                case 0: mantissa / Float(1 << 24)
                case 31: mantissa == 0 ? .infinity : .nan
                default: (mantissa + 1024) * Float(sign: .plus, exponent: exponent - 25, significand: 1)
                }
            return bits & 0x8000 == 0 ? magnitude : -magnitude
        }

        // MARK: Bytes

        private mutating func initial() throws(Malformed) -> (major: UInt8, info: UInt8) {
            guard position < bytes.count else { throw Malformed() }
            let byte = bytes[position]
            position += 1
            return (byte >> 5, byte & 0x1F)
        }

        private mutating func argument(_ info: UInt8) throws(Malformed) -> UInt64 {
            switch info {
            case 0..<24: return UInt64(info)
            case 24...27: return try take(1 << (Int(info) - 24)).reduce(0) { $0 << 8 | UInt64($1) }
            default: throw Malformed()
            }
        }

        /// A length, which can't exceed what is left.
        private mutating func count(_ info: UInt8) throws(Malformed) -> Int {
            guard let count = Int(exactly: try argument(info)), count <= bytes.count - position else {
                throw Malformed()
            }
            return count
        }

        private mutating func take(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
            guard count <= bytes.count - position else { throw Malformed() }
            defer { position += count }
            return bytes[position..<position + count]
        }

        private mutating func takeBreak() throws(Malformed) -> Bool {
            guard position < bytes.count else { throw Malformed() }
            guard bytes[position] == 0xFF else { return false }
            position += 1
            return true
        }
    }
}
