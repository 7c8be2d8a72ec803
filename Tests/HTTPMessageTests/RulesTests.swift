import HTTPMessage
import Testing

@Suite("Rules of both versions")
struct RulesTests {
    @Test(
        "a host with an optional port is an authority",
        arguments: [
            "a", "localhost", "example.org:443", "EXAMPLE.org", "127.0.0.1:8080", "[::1]", "[2001:db8::1]:443",
            "[::ffff:192.0.2.1]", "a_b", "a.", "a:", "a:0", "a:65535", "xn--bcher-kva.example",
        ])
    func validAuthorities(_ text: String) {
        let isValid = Authority.isValid(text.utf8Span.span)
        #expect(isValid)
    }

    @Test(
        "what isn't a host with an optional port is refused",
        arguments: [
            "", ":80", "a b", "a/b", "u@a", "a:bc", "a:65536", "a:99999999999999999999", "a:-1", "a:+1", "a, b", "ä",
            "a#b", "a?b", "a\\b", "[::1", "[]", "[::1]x", "[::g]", "[v1.a]", "[fe80::1%25eth0]", "::1", "a:1:2", "a%2",
            "a%zz", "<a>", ".", "..", "a..b", ".a", "a..", "a,b", "a%20b", "a%41", "(a)", "a;b", "a'b", "a$b", "a&b",
            "a=b", "a+b", "a!", "a~b", "*", "a\0", "a\r\nb: c", "[1:2:3:4:5:6:7:8:9]",
            "[" + String(repeating: "0", count: 100) + "]",
        ])
    func invalidAuthorities(_ text: String) {
        let isValid = Authority.isValid(text.utf8Span.span)
        #expect(!isValid)
    }

    @Test("authorities are compared without case and with the scheme's port added")
    func sameAuthorities() {
        func isSame(_ left: String, _ right: String) -> Bool {
            Authority.isSame(left.utf8Span.span, right.utf8Span.span, defaultPort: 443)
        }
        #expect(isSame("a.example", "A.Example:443"))
        #expect(isSame("a.example:", "a.example"))
        #expect(isSame("[::1]:0443", "[::1]"))
        #expect(!isSame("a.example", "b.example"))
        #expect(!isSame("a.example:80", "a.example"))
        #expect(!isSame("a.example", "a.exampl"))
        #expect(!isSame("", ""))
    }

    @Test(
        "a path with an optional query is an origin form",
        arguments: ["/", "//a", "/a?b=c", "/%00", "/a|b\\c{}\"<>", "/?"])
    func originForms(_ target: String) {
        let isValid = RequestTarget.isOriginForm(target.utf8Span.span)
        #expect(isValid)
    }

    @Test(
        "other targets are none",
        arguments: ["", "*", "a", "?a", "/a#b", "/a b", "/ä", "/a\r\n", "/\0", "/\u{7F}", "/\t"])
    func otherForms(_ target: String) {
        let isValid = RequestTarget.isOriginForm(target.utf8Span.span)
        #expect(!isValid)
    }

    @Test(
        "close wins over all lines of a list, and HTTP/1.0 has to be asked to keep the connection",
        arguments: [
            ([], true, false), (["close"], false, false), (["Close"], false, false), (["close, TE"], false, false),
            (["x , close"], false, false), (["keep-alive", "close"], false, false),
            (["close", "keep-alive"], false, false),
            (["keep-alive"], true, true), (["TE, Keep-Alive"], true, true), ([",,foo,\t,bar"], true, false),
            (["closed", "clos", "\"close\""], true, false), (["", ","], true, false), ([",close,"], false, false),
        ] as [([String], Bool, Bool)])
    func connections(_ lines: [String], _ keeps: Bool, _ keepsOld: Bool) {
        var options = ConnectionOptions()
        for line in lines { options.add(line.utf8Span.span) }
        #expect(options.keepsAlive(.http1_1) == keeps)
        #expect(options.keepsAlive(.http1_0) == keepsOld)
    }
}
