/// The positions of the values in a JSON text, without their meaning.
///
/// SwiftProtobuf reports what is wrong with a document but not where; the outline finds the position.
struct JSONOutline {
    indirect enum Content {
        case object([Member])
        case array([JSONOutline])
        case scalar
    }

    struct Member {
        let name: String
        /// The name with its quotation marks.
        let nameBytes: Range<Int>
        let value: JSONOutline
    }

    /// The value's position in the text.
    let bytes: Range<Int>
    let content: Content

    /// - Throws: ``InvalidMessage`` with the line, if the text isn't JSON, nests deeper than any message, or has a duplicate name.
    init(_ text: [UInt8], maximumDepth: Int = 32) throws(InvalidMessage) {
        var scanner = Scanner(text: text, maximumDepth: maximumDepth)
        self = try scanner.value(depth: 0)
        try scanner.end()
    }

    private init(bytes: Range<Int>, content: Content) {
        self.bytes = bytes
        self.content = content
    }

    /// The line of a position, counted from 1.
    static func line(of position: Int, in text: [UInt8]) -> Int {
        text.prefix(position).count { $0 == UInt8(ascii: "\n") } + 1
    }

    private struct Scanner {
        let text: [UInt8]
        let maximumDepth: Int
        var position = 0

        mutating func value(depth: Int) throws(InvalidMessage) -> JSONOutline {
            guard depth < maximumDepth else { throw failure("is nested too deeply") }
            skipSpace()
            let start = position
            let content: Content =
                switch next {
                case UInt8(ascii: "{"): .object(try members(depth: depth))
                case UInt8(ascii: "["): .array(try elements(depth: depth))
                case UInt8(ascii: "\""): try string()
                default: try word()
                }
            return JSONOutline(bytes: start..<position, content: content)
        }

        mutating func end() throws(InvalidMessage) {
            skipSpace()
            guard position == text.count else { throw failure("has text after its end") }
        }

        private mutating func members(depth: Int) throws(InvalidMessage) -> [Member] {
            var members: [Member] = []
            var names: Set<String> = []
            position += 1
            skipSpace()
            if take("}") { return [] }
            repeat {
                skipSpace()
                let start = position
                guard next == UInt8(ascii: "\"") else { throw failure("lacks a name in quotation marks") }
                _ = try string()
                let quoted = start..<position
                let name = String(decoding: text[quoted].dropFirst().dropLast(), as: UTF8.self)
                guard names.insert(name).inserted else { throw failure("has \"\(name)\" twice in the same object") }
                skipSpace()
                guard take(":") else { throw failure("lacks a colon") }
                members.append(Member(name: name, nameBytes: quoted, value: try value(depth: depth + 1)))
                skipSpace()
            } while take(",")
            guard take("}") else { throw failure("lacks a comma or a closing brace") }
            return members
        }

        private mutating func elements(depth: Int) throws(InvalidMessage) -> [JSONOutline] {
            var elements: [JSONOutline] = []
            position += 1
            skipSpace()
            if take("]") { return [] }
            repeat {
                elements.append(try value(depth: depth + 1))
                skipSpace()
            } while take(",")
            guard take("]") else { throw failure("lacks a comma or a closing bracket") }
            return elements
        }

        /// The content is checked by SwiftProtobuf.
        private mutating func string() throws(InvalidMessage) -> Content {
            let start = position
            position += 1
            while let byte = next, byte != UInt8(ascii: "\"") {
                guard byte >= 0x20 else { throw failure("has a control character in a string") }
                position += byte == UInt8(ascii: "\\") ? 2 : 1
            }
            guard position < text.count else {
                position = start
                throw failure("lacks a closing quotation mark")
            }
            position += 1
            return .scalar
        }

        /// A number, true, false or null; SwiftProtobuf checks which.
        private mutating func word() throws(InvalidMessage) -> Content {
            let start = position
            while let byte = next, Self.isWord(byte) { position += 1 }
            guard position > start else { throw failure("lacks a value") }
            return .scalar
        }

        private static func isWord(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }

        private var next: UInt8? { position < text.count ? text[position] : nil }

        private mutating func skipSpace() {
            while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
        }

        private mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard next == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        private func failure(_ what: String) -> InvalidMessage {
            InvalidMessage(["The JSON \(what) (line \(JSONOutline.line(of: position, in: text)))."])
        }
    }
}
