import FoundationEssentials
import StrictJSON
import Testing

/// Texts of JSON over which readers differ.
@Suite struct StrictJSONTests {
    @Test(
        arguments: [
            "{}", "[]", "null", "true", "false", "0", "-0", "1.5e-7", "10E+2", "\"\"", " \t\r\n{ } \n",
            "[1,[2],{\"a\":[]}]",
            #"{"a":1,"b":{"a":2},"A":3}"#, #"[{"a":1},{"a":2}]"#, #""\"\\\/\b\f\n\r\té😀""#, "\"ä😀\u{7F}\"",
            #"{"a":{"b":1},"c":{"b":1}}"#, #"{"":1}"#, #""\u0000""#,
        ])
    func `a text is accepted`(_ text: String) {
        #expect(StrictJSON.holds(Array(text.utf8)))
    }

    @Test(
        arguments: [
            #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, #"{"x":{"a":1,"b":2,"a":3}}"#, #"[{"😀":1,"\ud83d\ude00":2}]"#,
            #"{"":1,"":2}"#, #"{"K":1,"\u212a":2}"#,
            "{\((0..<40).map { "\"n\($0)\":0" }.joined(separator: ",")),\"n7\":1}",
        ])
    func `a name that stands twice in an object is refused`(_ text: String) {
        #expect(!StrictJSON.holds(Array(text.utf8)))
    }

    @Test(
        arguments: [
            "", " ", "{", "}", "[", "[1", "[1,]", "[,1]", "[1 2]", "{\"a\":1,}", "{\"a\"}", "{\"a\":}", "{a:1}",
            "{'a':1}", "{1:1}",
            "{\"a\" 1}", "{}{}", "{} x", "nul", "NULL", "NaN", "Infinity", "+1", "01", "-", "1.", ".5", "1e", "1e+",
            "0x1", "\"", "\"a",
            "\"\n\"", "\"\t\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\udc00\"",
            "\"\\ud800\\u0041\"", "\u{FEFF}{}",
            "{}\u{0}", "// a\n{}", "\u{A0}{}", "[1]]",
        ])
    func `what is no text of JSON is refused`(_ text: String) {
        #expect(!StrictJSON.holds(Array(text.utf8)))
    }

    @Test func `bytes that are no text, and what is nested without end, are refused`() {
        for bytes in [[0xFF], [0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xC0, 0x80, 0x22]] as [[UInt8]]
        {
            #expect(!StrictJSON.holds(bytes))
        }
        func nested(_ count: Int) -> [UInt8] {
            Array((String(repeating: "[", count: count) + String(repeating: "]", count: count)).utf8)
        }
        #expect(StrictJSON.holds(nested(256)))
        #expect(!StrictJSON.holds(nested(257)))
        #expect(!StrictJSON.holds(nested(100_000)))
    }

    @Test func `a value is read from a text that is accepted, and from no other`() throws {
        let read = try StrictJSON.decode([String: Int].self, from: Data(#"{"a":1,"b":2}"#.utf8))
        #expect(read == ["a": 1, "b": 2])
        let date = try StrictJSON.decode([Date].self, from: Data("[60]".utf8), dates: .secondsSince1970)
        #expect(date == [Date(timeIntervalSince1970: 60)])
        for text in [#"{"a":1,"a":2}"#, #"{"a":1,}"#, "", "\u{FEFF}{}"] {
            #expect(throws: StrictJSON.Malformed.self) {
                try StrictJSON.decode([String: Int].self, from: Data(text.utf8))
            }
        }
    }

    @Test func `names that differ are told apart, however many there are, and after an inner object has ended`() {
        let many = (0..<40).map { "\"n\($0)\":{\"n\($0)\":{}}" }.joined(separator: ",")
        #expect(StrictJSON.holds(Array("{\(many)}".utf8)))
        #expect(!StrictJSON.holds(Array(#"{"a":{"b":1,"c":2},"a":3}"#.utf8)))
    }
}
