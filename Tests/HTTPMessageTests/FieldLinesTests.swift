import HTTPMessage
import HTTPTypes
import Testing

@Suite("Field lines")
struct FieldLinesTests {
    private func lines(_ pairs: [(String, String)]) throws -> FieldLines {
        var lines = FieldLines()
        for (name, value) in pairs { try lines.append(name: name.utf8Span.span, value: value.utf8Span.span) }
        return lines
    }

    @Test("names become lower case and values stay as they are")
    func lowerCase() throws {
        let lines = try lines([("Content-TYPE", "Text/Plain"), ("x-a", "")])
        var seen: [String] = []
        lines.forEach { seen.append("\($0)=\($1)") }
        #expect(seen == ["content-type=Text/Plain", "x-a="])
        #expect(lines.count == 2)
    }

    @Test("values are found by name, and only a single one is the only one")
    func lookUp() throws {
        let lines = try lines([("Accept", "a"), ("X-Long-Name-Of-A-Field", "b"), ("ACCEPT", "c")])
        let long = try #require(HTTPField.Name("x-long-name-of-a-field"))
        #expect(lines.first(.accept) == "a")
        #expect(lines.only(.accept) == nil)
        #expect(lines.values(.accept) == ["a", "c"])
        #expect(lines.only(long) == "b")
        #expect(lines.only(.host) == nil)
        #expect(lines.first(.host) == nil)
        #expect(lines.contains(.accept))
        #expect(!lines.contains(.acceptEncoding))
    }

    @Test(
        "a name that isn't a token is refused", arguments: ["", "a b", "a:", "a\r", "ä", "a(", "a\0", " a", "a\u{7F}"])
    func invalidNames(_ name: String) throws {
        var lines = FieldLines()
        #expect(throws: InvalidField.self) { try lines.append(name: name.utf8Span.span, value: "b".utf8Span.span) }
        #expect(lines.count == 0 && lines.bytes.isEmpty)
    }

    @Test(
        "a value with a control byte is refused",
        arguments: ["a\r\nSet-Cookie: b", "a\rb", "a\nb", "a\0b", "\u{1}", "\u{1F}", "a\u{7F}"])
    func invalidValues(_ value: String) throws {
        var lines = FieldLines()
        #expect(throws: InvalidField.self) { try lines.append(name: "a".utf8Span.span, value: value.utf8Span.span) }
        #expect(lines.count == 0 && lines.bytes.isEmpty)
    }

    @Test("control bytes in a value given as text become spaces")
    func replaced() {
        var lines = FieldLines()
        lines.append(.eTag, "a\r\nb: c\0\u{7F}\td")
        #expect(lines.only(.eTag) == "a  b: c  \td")
    }

    @Test("fields for services have the same names and values, and come back")
    func fields() throws {
        let lines = try lines([("Accept", "a"), ("accept", "b"), ("x-b", "ä")])
        #expect(lines.fields[values: .accept] == ["a", "b"])
        #expect(lines.fields.count == 3)
        #expect(FieldLines(lines.fields).fields == lines.fields)
    }

    @Test("a byte is allowed in tokens and values exactly where RFC 9110 says so")
    func bytes() {
        let tokens = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        for byte in UInt8.min...UInt8.max {
            #expect(byte.isTokenByte == tokens.contains(byte))
            #expect(byte.isFieldValueByte == (byte == 9 || (byte >= 32 && byte != 127)))
        }
    }

    @Test("a byte that no value may have is found at every place, and no other is refused")
    func everyPlace() {
        for byte in UInt8.min...UInt8.max {
            for count in 1...17 {
                for place in 0..<count {
                    for other in [0x20, 0x7E, 0x80, 0xFF, 0x09] as [UInt8] {
                        var value = [UInt8](repeating: other, count: count)
                        value[place] = byte
                        let isValid = value.span.isFieldValue
                        if isValid != byte.isFieldValueByte { Issue.record("\(byte) at \(place) of \(count)") }
                    }
                }
            }
        }
    }

    @Test("a line of HTTP/1.1 is taken apart, or refused without a trace")
    func wholeLines() throws {
        var lines = FieldLines()
        for text in ["Host:h", "X-A: \t b c \t", "x:", "x: \t "] { _ = try lines.append(line: text.utf8Span.span) }
        #expect(lines.values(.host) == ["h"])
        #expect(lines.values(try #require(HTTPField.Name("x-a"))) == ["b c"])
        #expect(lines.values(try #require(HTTPField.Name("x"))) == ["", ""])
        let bytes = lines.bytes
        for text in ["", ":", ": a", "a", "a b: c", "a : c", " a: b", "a: \0", "ä: b", "a: b\r"] {
            #expect(throws: InvalidField.self) { _ = try lines.append(line: text.utf8Span.span) }
        }
        #expect(lines.bytes == bytes && lines.count == 4)
        lines.removeLast()
        lines.removeLast()
        #expect(lines.count == 2)
        lines.append(.host, "i")
        #expect(lines.values(.host) == ["h", "i"])
    }

    @Test("hexadecimal digits have their values")
    func hexDigits() {
        for byte in UInt8.min...UInt8.max {
            #expect(byte.hexDigit == Int(String(UnicodeScalar(byte)), radix: 16))
        }
    }
}
