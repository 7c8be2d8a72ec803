import HTTPMessage
import HTTPTypes

@testable import HTTP2

/// RFC 9113, section 8: requests.
extension Rule {
    /// A request with a body, whose fields break a rule.
    static func bad(
        _ title: String, _ more: (String, String)..., without: [String] = [], changes: [String: String] = [:],
        is reaction: Reaction? = nil, licence: Licence? = nil, reports: [String] = []
    ) -> Case {
        let fields = request(without: without).map { ($0.0, changes[$0.0] ?? $0.1) } + more
        return Case(
            title, join(headers(1, fields), data(1, "rule")), is: reaction, licence: licence, reports: reports
        ) { stage in stage.requests[1]?.isComplete == true ? "a handler has it" : nil }
    }

    /// A request with a field that has any bytes.
    static func raw(_ title: String, _ name: [UInt8], _ value: [UInt8], reports: [String] = []) -> Case {
        Case(
            title, head(1, block(request()) + [0, UInt8(name.count)] + name + [UInt8(value.count)] + value),
            reports: reports
        ) { stage in stage.requests[1] == nil ? nil : "a handler has it" }
    }

    static let trailersCome = join(open, data(1, "rule", end: false))

    static let messages: [Rule] = [
        Rule(
            "8.1", "a message is HEADERS, DATA and trailers", .answered(201),
            [
                Case("with DATA", whole),
                Case("without", get(1)),
                Case("with empty DATA", open, data(1, [])),
                Case("with trailers", trailersCome, headers(1, [("foo", "bar")], end: true)),
                Case("with trailers, without DATA", open, headers(1, [("foo", "bar")], end: true)),
                Case("with DATA in crumbs", open, data(1, "ru", end: false), data(1, [], end: false), data(1, "le")),
            ]),
        Rule(
            "8.1", "trailers have no pseudo-fields", .reset(.protocolError),
            [
                Case("path", trailersCome, headers(1, [(":path", "/b")], end: true)),
                Case(
                    "method behind a field", trailersCome, headers(1, [("foo", "bar"), (":method", "GET")], end: true)),
                Case("status", trailersCome, headers(1, [(":status", "200")], end: true)),
                Case("an unknown one", trailersCome, headers(1, [(":foo", "bar")], end: true)),
            ]),
        Rule(
            "8.1", "the second HEADERS end the stream", .reset(.protocolError),
            [
                Case("behind DATA", trailersCome, headers(1, [("foo", "bar")])),
                Case("behind HEADERS", open, headers(1, [("foo", "bar")])),
                Case("a whole request", open, headers(1, request())),
            ]),
        Rule(
            "8.1", "fields of trailers obey the rules of fields", .reset(.protocolError),
            [
                Case("an upper-case name", trailersCome, headers(1, [("Foo", "bar")], end: true)),
                Case("a line break", trailersCome, headers(1, [("foo", "a\r\nb")], end: true)),
                Case("connection", trailersCome, headers(1, [("connection", "close")], end: true)),
            ]),
        Rule(
            "8.1.1", "content-length is the length of the content", .reset(.protocolError),
            [
                bad("above", ("content-length", "1000"), reports: ["CVE-2021-21295"]),
                bad("below", ("content-length", "1"), reports: ["CVE-2021-21295"]),
                bad("0", ("content-length", "0")),
                bad("with a sign", ("content-length", "+4")),
                bad("negative", ("content-length", "-4")),
                bad("not a number", ("content-length", "x")),
                bad("empty", ("content-length", "")),
                bad("hexadecimal", ("content-length", "0x4")),
                bad("larger than any integer", ("content-length", "18446744073709551620")),
                bad("two that differ", ("content-length", "4"), ("content-length", "1")),
                bad("two that don't differ", ("content-length", "4"), ("content-length", "4")),
                bad("a list", ("content-length", "4, 4")),
                Case(
                    "without DATA", headers(1, request(("content-length", "5")), end: true),
                    reports: ["CVE-2021-21409"]),
                Case(
                    "with trailers in the place of DATA", headers(1, request(("content-length", "5"))),
                    headers(1, [("foo", "bar")], end: true)),
                Case(
                    "below what two frames have", headers(1, request(("content-length", "5"))),
                    data(1, "abc", end: false), data(1, "def", end: false)),
            ]),
        Rule(
            "8.1.1", "content-length may be right, or missing", .answered(201),
            [
                Case("4 of 4", headers(1, request(("content-length", "4"))), data(1, "rule")),
                Case("0 of 0", headers(1, request(("content-length", "0")), end: true)),
                Case(
                    "4 in two frames, and trailers", headers(1, request(("content-length", "4"))),
                    data(1, "ru", end: false), data(1, "le", end: false), headers(1, [("foo", "bar")], end: true)),
            ]),
        Rule(
            "8.1", "each message has a stream of its own", .answered(201),
            [
                Case(
                    "fields and bodies of two that are sent at once",
                    join(headers(1, request(("x", "one"))), headers(3, request())),
                    join(data(3, "three", end: false), data(1, "one"), data(3, [])), reports: ["CVE-2020-17527"]
                ) { stage in
                    let (first, second) = (stage.requests[1], stage.requests[3])
                    let isRight =
                        first?.fields.values(name("x")) == ["one"] && second?.fields.values(name("x")) == []
                        && first?.body == Array("one".utf8) && second?.body == Array("three".utf8)
                    return isRight ? nil : "the messages are mixed"
                }
            ]),
        Rule(
            "8.2.3", "the crumbs of a cookie are joined with a semicolon and a space", .answered(201),
            [
                Case("three", headers(1, request(("cookie", "a=b"), ("x", "y"), ("cookie", "c=d; e=f")), end: true)) {
                    let seen = $0.requests[1]?.fields.values(.cookie) ?? []
                    return seen == ["a=b; c=d; e=f"] ? nil : "the cookies are \(seen)"
                }
            ]),
        Rule(
            "10.5.1", "a header over our limit is refused", .answered(431), level: .may,
            [
                Case(
                    "200 fields", headers(1, request() + (0..<200).map { ("foo-\($0)", "bar") }, end: true),
                    reports: ["CVE-2019-15226", "CVE-2024-24549"]),
                Case(
                    "a field of 16,150 bytes",
                    headers(1, request(("foo", String(repeating: "b", count: 16_150))), end: true)),
                Case(
                    "200 fields without names and values",
                    head(1, block(request()) + Array(repeatElement([0x00, 1, 97, 0], count: 200).joined())),
                    reports: ["CVE-2019-9516"]),
                Case(
                    "a hundred references to a field of 4,000 bytes",
                    head(1, block(request()) + large(4000) + [UInt8](repeating: 0xBE, count: 100)),
                    is: .goAway(.enhanceYourCalm), licence: .suspicious, reports: ["CVE-2016-6581"]),
                Case(
                    "2,000 references to an empty field",
                    head(1, block(request()) + [0x40, 1, 97, 0] + [UInt8](repeating: 0xBE, count: 2000)),
                    is: .goAway(.enhanceYourCalm), licence: .suspicious, reports: ["CVE-2026-49975"]),
            ]),
    ]

    /// Bytes that no name may have (section 8.2.1).
    static let nameless: [UInt8] = Array(0x00...0x20) + Array(0x41...0x5A) + Array(0x7F...0xFF)

    static let fields: [Rule] = [
        Rule(
            "8.2.1", "a name has no byte of 00-20, 41-5A and 7F-FF", .reset(.protocolError),
            nameless.map { raw("\($0)", [97, $0, 98], [120]) } + [
                raw(
                    "a line break, and what looks like a field", Array("foo: bar\r\nfoo".utf8), [120],
                    reports: ["CVE-2019-19330"]),
                raw("an upper-case letter at the beginning", [65], [120]),
                raw("a space at the end", [97, 32], [120]),
            ]),
        Rule(
            "8.2.1", "a name has no colon", .reset(.protocolError),
            [raw("within", Array("fo:o".utf8), [120]), raw("at the end", Array("foo:".utf8), [120])]),
        Rule(
            "8.2.1", "a name is a token", .reset(.protocolError), level: .should,
            Array("\"(),/;<=>?@[\\]{}".utf8).map { raw("\($0)", [97, $0, 98], [120]) } + [
                raw("an empty name", [], [120], reports: ["CVE-2019-9516", "CVE-2023-25725"]),
                raw("an empty name and value", [], [], reports: ["CVE-2019-9516"]),
            ]),
        Rule(
            "8.2.1", "a value has no NUL, CR and LF", .reset(.protocolError),
            [0, 10, 13].flatMap { (byte: UInt8) in
                [
                    raw("\(byte) within", [97], [120, byte, 121], reports: ["CVE-2019-19330"]),
                    raw("\(byte) at the beginning", [97], [byte, 121]), raw("\(byte) at the end", [97], [120, byte]),
                ]
            }),
        Rule(
            "8.2.1", "a value doesn't begin or end with a space or a tab", .reset(.protocolError),
            [9, 32].flatMap { (byte: UInt8) in
                [
                    raw("\(byte) at the beginning", [97], [byte, 121]), raw("\(byte) at the end", [97], [120, byte]),
                    raw("nothing but \(byte)", [97], [byte]),
                ]
            }),
        Rule(
            "8.2.1", "a value has no control characters", .reset(.protocolError), level: .should,
            [1, 8, 11, 31, 127].map { (byte: UInt8) in raw("\(byte)", [97], [120, byte, 121]) }),
        Rule(
            "8.2.1", "a value may have any other byte", .answered(201),
            [
                Case(
                    "tab within, and those above 7F",
                    head(1, block(request()) + [0, 1, 97, 3, 120, 9, 121] + [0, 1, 97, 2, 0x80, 0xFF])),
                Case("empty", head(1, block(request()) + [0, 1, 97, 0])),
            ]),
        Rule(
            "8.2.2", "fields of the connection don't come", .reset(.protocolError),
            [
                bad("connection", ("connection", "close")), bad("keep-alive", ("keep-alive", "1")),
                bad("proxy-connection", ("proxy-connection", "keep-alive")), bad("upgrade", ("upgrade", "h2c")),
                bad("transfer-encoding", ("transfer-encoding", "chunked"), reports: ["CVE-2021-21295"]),
            ]),
        Rule(
            "8.2.2", "te says trailers, or nothing", .reset(.protocolError),
            [
                bad("gzip", ("te", "gzip")), bad("trailers and gzip", ("te", "trailers, gzip")),
                bad("nothing", ("te", "")),
            ]),
        Rule(
            "8.2.2", "te says trailers", .answered(201),
            [Case("alone", headers(1, request(("te", "trailers")), end: true))]),
    ]

    static let control: [Rule] = [
        Rule(
            "8.3", "a pseudo-field is one of those of requests", .reset(.protocolError),
            [
                bad("an unknown one", (":foo", "bar")), bad("status", (":status", "200")),
                Case("an unknown one, first", headers(1, [(":foo", "bar")] + request(), end: true)),
                Case("status, first", headers(1, [(":status", "200")] + request(), end: true)),
                Case("a colon alone", headers(1, [(":", "bar")] + request(), end: true)),
            ]),
        Rule(
            "8.3", "pseudo-fields come first", .reset(.protocolError),
            [
                bad("path", (":path", "/a"), without: [":path"]),
                bad("authority", (":authority", "localhost"), without: [":authority"]),
                bad("method", (":method", "GET"), without: [":method"]),
                bad("scheme", (":scheme", "https"), without: [":scheme"]),
            ]),
        Rule(
            "8.3", "a pseudo-field comes once", .reset(.protocolError),
            [":method", ":scheme", ":authority", ":path"].map { name in
                let fields = request()
                let twice = fields.filter { $0.0 == name } + fields
                return Case(name, headers(1, twice, end: true))
            }),
        Rule(
            "8.3.1", "method, scheme and path come", .reset(.protocolError),
            [
                bad("no method", without: [":method"]), bad("no scheme", without: [":scheme"]),
                bad("no path", without: [":path"]),
                bad("nothing", without: [":method", ":scheme", ":path", ":authority"]),
                bad("an empty path", changes: [":path": ""]), bad("an empty method", changes: [":method": ""]),
                bad("an empty scheme", changes: [":scheme": ""]),
            ]),
        Rule(
            "8.3.1", "the path is a path, or * of OPTIONS", .reset(.protocolError),
            [
                bad("a URI", changes: [":path": "https://localhost/a"]), bad("*", changes: [":path": "*"]),
                bad("no slash", changes: [":path": "a"]),
                bad("a space", changes: [":path": "/a b"]),
                bad("a line break", changes: [":path": "/a HTTP/1.1\r\nfoo: bar"]),
                bad("a fragment", changes: [":path": "/a#b"], is: .answered(400), licence: .answered),
                bad("a byte that isn't ASCII", changes: [":path": "/tän"], is: .answered(400), licence: .answered),
            ]),
        Rule(
            "8.3.1", "the method is a token", .reset(.protocolError),
            [
                bad("a space", changes: [":method": "GET /b"], reports: ["CVE-2021-33193", "CVE-2021-39241"]),
                bad(
                    "a line break", changes: [":method": "GET / HTTP/1.1\r\nfoo: bar\r\n\r\nGET"],
                    reports: ["CVE-2021-33193"]),
            ]),
        Rule(
            "8.3.1", "the scheme is one that is served", .reset(.protocolError), level: .should,
            [
                bad("a URI", changes: [":scheme": "https://x/"], reports: ["CVE-2021-39240"]),
                bad("another", changes: [":scheme": "ftp"], is: .answered(400), licence: .answered),
            ]),
        Rule(
            "8.3.1", "the authority has host and port, without user", .reset(.protocolError),
            [
                bad("a user", changes: [":authority": "u@localhost"], is: .answered(400), licence: .answered),
                bad("a space", changes: [":authority": "local host"]),
                bad(
                    "a path", changes: [":authority": "localhost/b"], reports: ["haproxy/haproxy#2941"]),
                bad(
                    "no port behind a colon that isn't a number", changes: [":authority": "localhost:x"],
                    is: .answered(400), licence: .answered),
                bad("nothing", changes: [":authority": ""]),
                bad("neither authority nor Host", without: [":authority"]),
            ]),
        Rule(
            "8.3.1", "Host doesn't say something else than the authority", .reset(.protocolError), level: .should,
            [
                bad(
                    "another host", ("host", "evil"), is: .answered(400), licence: .answered,
                    reports: ["CVE-2021-39242", "nghttp2/nghttp2#2883"]),
                bad("another port", ("host", "localhost:444"), is: .answered(400), licence: .answered),
                bad("two", ("host", "localhost"), ("host", "localhost")),
            ]),
        Rule(
            "8.3.1", "Host may say the same, or stand alone", .answered(201),
            [
                Case("the same", headers(1, request(("host", "localhost")), end: true)),
                Case(
                    "the same, in capitals and with the scheme's port",
                    headers(1, request(("host", "LOCALHOST:443")), end: true)),
                Case("alone", headers(1, request(("host", "localhost"), without: [":authority"]), end: true)),
                Case(
                    "OPTIONS of the whole server",
                    headers(1, request(changes: [":method": "OPTIONS", ":path": "*"]), end: true)),
                Case("http", headers(1, request(changes: [":scheme": "http"]), end: true)),
            ]),
        Rule(
            "8.5", "CONNECT has an authority, and neither scheme nor path", .reset(.protocolError),
            [
                bad("scheme and path", changes: [":method": "CONNECT"], is: .reset(.protocolError)),
                bad("a path", without: [":scheme"], changes: [":method": "CONNECT"]),
                bad("a scheme", without: [":path"], changes: [":method": "CONNECT"]),
                bad("no authority", without: [":scheme", ":path", ":authority"], changes: [":method": "CONNECT"]),
            ]),
        Rule(
            "8.5", "CONNECT may be unsupported", .answered(501), level: .may,
            [Case("a tunnel", headers(1, [(":method", "CONNECT"), (":authority", "a:443")], end: true))]),
        Rule(
            "RFC 8441 3", "an extended CONNECT that wasn't offered is malformed", .reset(.protocolError),
            [
                Case(
                    "of websocket",
                    headers(1, [(":protocol", "websocket")] + request(changes: [":method": "CONNECT"]), end: true),
                    reports: ["CVE-2024-36387"])
            ]),
    ]
}
