import Testing

@testable import HTTP2

/// Each rule of RFC 9113 and RFC 7541 broken once by a client, as the live check of hostile clients breaks them.
@Suite("A server and the rules of HTTP/2")
struct RuleTests {
    struct Rule: CustomTestStringConvertible, CustomStringConvertible, Sendable {
        let section: String
        let title: String
        let allowed: Set<String>
        var stream: Int32 = 1
        var start = preface
        /// Each part is taken and answered before the next.
        let parts: [[UInt8]]

        init(
            _ section: String, _ title: String, _ allowed: Set<String>, stream: Int32 = 1,
            preface start: [UInt8] = preface,
            _ parts: [UInt8]...
        ) {
            self.section = section
            self.title = title
            self.allowed = allowed
            self.stream = stream
            self.start = start
            self.parts = parts
        }

        var testDescription: String { "\(section), \(title)" }
        var description: String { testDescription }
    }

    @Test("a rule that is broken ends the stream or the connection, and one that is kept doesn't", arguments: rules)
    func rule(_ rule: Rule) throws {
        let server = try Endpoint.server(preface: rule.start)
        for part in rule.parts.dropLast() { server.take(part) }
        server.frames = server.frames.filter { $0.type == Frame.goAway }
        server.recorder.events = []
        server.take(rule.parts.last ?? [])
        let outcome = Self.outcome(server, rule.stream)
        #expect(rule.allowed.contains(outcome), "\(outcome)")
        let isAnswered = server.recorder.events.contains { event in
            if case .end(let stream) = event { stream == rule.stream } else { false }
        }
        if !rule.allowed.contains("201"), !rule.allowed.contains("400") { #expect(!isAnswered) }
        if outcome.hasPrefix("goaway") { #expect(server.session.isFinished) }
    }

    static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
    ]

    /// What a server did, in one word.
    static func outcome(_ server: Endpoint, _ stream: Int32) -> String {
        for frame in server.frames where frame.type == Frame.goAway && frame.code != 0 {
            return "goaway:\(names[Int(frame.code)])"
        }
        for frame in server.frames where frame.type == Frame.reset && frame.stream == stream {
            return "reset:\(names[Int(frame.code)])"
        }
        return server.status(stream) ?? (server.session.isFinished ? "closed" : "nothing")
    }

    static let malformed: Set = ["reset:PROTOCOL_ERROR", "goaway:PROTOCOL_ERROR", "400"]
    static func fatal(_ codes: String...) -> Set<String> {
        Set((codes.isEmpty ? ["PROTOCOL_ERROR"] : codes).map { "goaway:\($0)" })
    }
    static let afterTheEnd = fatal("STREAM_CLOSED", "PROTOCOL_ERROR").union(["reset:STREAM_CLOSED"])
    static let tooLarge = malformed.union(["431", "reset:ENHANCE_YOUR_CALM", "goaway:ENHANCE_YOUR_CALM"])

    /// A request whose fields break a rule.
    static func bad(
        _ section: String, _ title: String, _ more: (String, String)..., without: [String] = [],
        changes: [String: String] = [:], allowed: Set<String> = malformed
    ) -> Rule {
        let fields =
            request(without: without).map { ($0.0, changes[$0.0] ?? $0.1) } + more
        return Rule(section, title, allowed, headers(1, fields) + data(1, "rule"))
    }

    static func frame(
        _ type: UInt8, _ flags: UInt8 = 0, _ stream: Int32 = 0, _ payload: [UInt8] = []
    ) -> [UInt8] { Frame(type: type, flags: flags, stream: stream, payload: payload).bytes }

    static let open = headers(1, request())
    static let whole = headers(1, request()) + data(1, "rule")
    static func before(_ stream: Int32) -> [UInt8] { headers(stream, request()) + data(stream, "before") }
    static let rules: [Rule] = kept + fields + paths + connectionErrors + streamErrors

    static let kept: [Rule] = [
        Rule("8.1", "a plain request", ["201"], whole),
        Rule("8.1", "trailers", ["201"], open + data(1, "rule", end: false) + headers(1, [("foo", "bar")], end: true)),
        Rule(
            "6.10", "a header in three frames", ["201"],
            frame(Frame.headers, 0, 1, Array(block(request()).prefix(20)))
                + frame(Frame.continuation, 0, 1, Array(block(request()).dropFirst(20).prefix(20)))
                + frame(Frame.continuation, Frame.endHeaders, 1, Array(block(request()).dropFirst(40)))
                + data(1, "rule")),
        Rule(
            "6.1", "padding", ["201"],
            frame(
                Frame.headers, Frame.endHeaders | Frame.padded, 1,
                [5] + block(request()) + [UInt8](repeating: 0, count: 5))
                + frame(
                    Frame.data, Frame.endStream | Frame.padded, 1,
                    [255] + Array("rule".utf8) + [UInt8](repeating: 0, count: 255))),
        Rule(
            "6.3", "PRIORITY, in a frame and in a header", ["201"],
            frame(Frame.priority, 0, 7, [0, 0, 0, 1, 16])
                + frame(Frame.headers, Frame.endHeaders | Frame.withPriority, 1, [0, 0, 0, 0, 16] + block(request()))
                + data(1, "rule")),
        Rule(
            "4.1", "a frame of an unknown type", ["201"],
            frame(0x42, 255, 0, [UInt8](repeating: 63, count: 100)) + frame(0x43, 0, 3, [63]) + whole),
        Rule("6.5.2", "an unknown setting", ["201"], settings((0x4242, 1)) + whole),
        Rule(
            "8.1", "a stream that is reset in the middle of its body", ["nothing"],
            open + data(1, "rule", end: false), reset(1)),
        Rule(
            "8.3.1", "Host that says the same as the authority", ["201"],
            headers(1, request(("host", "LOCALHOST:443"))) + data(1, "rule")),
        Rule(
            "8.3.1", "Host instead of the authority", ["201"],
            headers(1, request(("host", "localhost"), without: [":authority"])) + data(1, "rule")),
        Rule(
            "8.3.1", "OPTIONS of the whole server", ["201"],
            headers(1, request(changes: [":method": "OPTIONS", ":path": "*"]), end: true)),
        Rule("8.2.2", "te with trailers", ["201"], headers(1, request(("te", "trailers"))) + data(1, "rule")),
    ]

    static let fields: [Rule] = [
        bad("8.2.1", "an upper-case name", ("Foo", "bar")),
        bad("8.2.1", "a space in a name", ("fo o", "bar")),
        bad("8.2.1", "a colon in a name", ("fo:o", "bar")),
        bad("8.2.1", "a control character in a name", ("fo\u{1}o", "bar")),
        bad("8.2.1", "a name that isn't ASCII", ("foö", "bar")),
        bad("8.2.1", "an empty name", ("", "bar"), allowed: malformed.union(["goaway:COMPRESSION_ERROR"])),
        bad("8.2.1", "a line break in a name", ("foo: bar\r\nfoo", "bar")),
        bad("8.2.1", "a line break in a value", ("foo", "bar\r\ncontent-length: 0")),
        bad("8.2.1", "a CR in a value", ("foo", "bar\rbaz")),
        bad("8.2.1", "an LF in a value", ("foo", "bar\nbaz")),
        bad("8.2.1", "a NUL in a value", ("foo", "bar\0baz")),
        bad("8.2.1", "a space before a value", ("foo", " bar")),
        bad("8.2.2", "connection", ("connection", "close")),
        bad("8.2.2", "keep-alive", ("keep-alive", "1")),
        bad("8.2.2", "proxy-connection", ("proxy-connection", "keep-alive")),
        bad("8.2.2", "upgrade", ("upgrade", "h2c")),
        bad("8.2.2", "transfer-encoding", ("transfer-encoding", "chunked")),
        bad("8.2.2", "te with another value than trailers", ("te", "gzip")),
        bad("8.3", "an unknown pseudo-field", (":foo", "bar")),
        bad("8.3", "a pseudo-field of answers", (":status", "200")),
        bad("8.3", "a pseudo-field behind the others", (":path", "/version/v1/tan"), without: [":path"]),
        bad("8.3.1", "no method", without: [":method"]),
        bad("8.3.1", "no scheme", without: [":scheme"]),
        bad("8.3.1", "no path", without: [":path"]),
        bad("8.3.1", "neither authority nor Host", without: [":authority"]),
        bad("8.3.1", "an empty path", changes: [":path": ""]),
        bad("8.3.1", "an empty method", changes: [":method": ""]),
        bad("8.3.1", "an odd scheme", changes: [":scheme": "https://x/"]),
        bad("8.3.1", "another scheme", changes: [":scheme": "ftp"]),
        bad("8.3.1", "a method twice", (":method", "POST")),
        bad("8.3.1", "a path twice", (":path", "/version/v1/tan")),
        bad("8.3.1", "Host that differs from the authority", ("host", "evil")),
        bad("8.3.1", "Host with another port than the authority", ("host", "localhost:444")),
        bad("8.3.1", "Host twice", ("host", "localhost"), ("host", "localhost")),
        bad("8.3.1", "a user in the authority", changes: [":authority": "u@localhost"]),
        bad("8.3.1", "a space in the authority", changes: [":authority": "local host"]),
        bad("8.3.1", "an empty authority", changes: [":authority": ""]),
        bad("8.1.1", "a line break in the method", changes: [":method": "POST /tan HTTP/1.1\r\nfoo: bar\r\n\r\nPOST"]),
        bad("8.1.1", "a space in the method", changes: [":method": "POST /version/v1/tan"]),
        bad("8.1.1", "content-length above the data", ("content-length", "1000")),
        bad("8.1.1", "content-length below the data", ("content-length", "1")),
        bad("8.1.1", "two content-lengths that differ", ("content-length", "4"), ("content-length", "1")),
        bad("8.1.1", "two content-lengths that don't differ", ("content-length", "4"), ("content-length", "4")),
        bad("8.1.1", "a list of content-lengths", ("content-length", "4, 4")),
        bad("8.1.1", "content-length with a sign", ("content-length", "+4")),
        bad("8.1.1", "content-length that isn't a number", ("content-length", "x")),
        Rule(
            "8.1.1", "content-length above zero, and no data", malformed,
            headers(1, request(("content-length", "5")), end: true)),
        Rule(
            "8.1", "pseudo-fields in the trailers", malformed,
            open + data(1, "rule", end: false) + headers(1, [(":path", "/version/v1/tan")], end: true)),
        Rule(
            "8.1", "trailers that don't end the stream", malformed,
            open + data(1, "rule", end: false) + headers(1, [("foo", "bar")])),
        Rule(
            "8.5", "CONNECT with a path", malformed.union(["501"]),
            headers(1, request(changes: [":method": "CONNECT"]), end: true)),
        Rule(
            "RFC 8441, 3", "an extended CONNECT that wasn't offered", malformed,
            headers(1, [(":protocol", "websocket")] + request(changes: [":method": "CONNECT"]), end: true)),
        Rule(
            "10.5.1", "a header of 200 fields", tooLarge,
            headers(1, request() + (0..<200).map { ("foo-\($0)", "bar") }) + data(1, "rule")),
        Rule(
            "10.5.1", "a field of 15,000 bytes", tooLarge,
            headers(1, request(("foo", String(repeating: "b", count: 15_000)))) + data(1, "rule")),
    ]

    static let paths: [Rule] = [
        "https://localhost/version/v1/tan", "*", "version/v1/tan", "/version/v1/tan foo", "/version/v1/tan#foo",
        "/version/v1/tan HTTP/1.1\r\nfoo: bar", "/tän",
    ].map { bad("8.3.1", "the path \($0)", changes: [":path": $0]) }

    static let connectionErrors: [Rule] = [
        Rule("3.4", "another preface", fatal(), preface: Array("PRI * HTTP/2.0\r\n\r\nSX\r\n\r\n".utf8), whole),
        Rule(
            "3.4", "HTTP/1.1 where HTTP/2 was agreed", fatal(),
            preface: Array("POST /version/v1/tan HTTP/1.1\r\n\r\n".utf8), whole),
        Rule(
            "4.2", "a frame over SETTINGS_MAX_FRAME_SIZE", fatal("FRAME_SIZE_ERROR"),
            open + data(1, [UInt8](repeating: 0, count: 20_000))),
        Rule(
            "4.3", "a header block that can't be decoded", fatal("COMPRESSION_ERROR"),
            frame(Frame.headers, 5, 1, [UInt8](repeating: 255, count: 10))),
        Rule(
            "RFC 7541 2.3.3", "an index that the tables don't have", fatal("COMPRESSION_ERROR"),
            frame(Frame.headers, 5, 1, block(request()) + [0xFE])),
        Rule("RFC 7541 6.1", "index 0", fatal("COMPRESSION_ERROR"), frame(Frame.headers, 5, 1, [0x80])),
        Rule(
            "RFC 7541 4.2", "a larger dynamic table than was allowed", fatal("COMPRESSION_ERROR"),
            frame(Frame.headers, 5, 1, [0x3F, 0xE1, 0xFF, 0xFF, 7] + block(request()))),
        Rule("5.1", "DATA on an idle stream", fatal("PROTOCOL_ERROR", "STREAM_CLOSED"), data(1, "rule")),
        Rule("5.1", "WINDOW_UPDATE on an idle stream", fatal(), window(1, 1)),
        Rule("5.1", "RST_STREAM on an idle stream", fatal(), reset(1, 0)),
        Rule(
            "5.1", "CONTINUATION on an idle stream", fatal(),
            frame(Frame.continuation, Frame.endHeaders, 1, block(request()))),
        Rule("5.1.1", "an even stream", fatal(), stream: 2, headers(2, request()) + data(2, "rule")),
        Rule(
            "5.1.1", "a stream below an earlier one", fatal("PROTOCOL_ERROR", "STREAM_CLOSED"), stream: 3,
            before(5), headers(3, request()) + data(3, "rule")),
        Rule("5.1.1", "stream 0", fatal(), stream: 0, headers(0, request()) + data(0, "rule")),
        Rule(
            "6.1", "more padding than payload", fatal(),
            open + frame(Frame.data, Frame.endStream | Frame.padded, 1, [255, 1, 2])),
        Rule(
            "6.2", "more padding than a header", fatal(),
            frame(Frame.headers, Frame.endHeaders | Frame.padded, 1, [255] + block(request()))),
        Rule(
            "6.2", "another frame inside of a header", fatal(),
            frame(Frame.headers, 0, 1, block(request())) + frame(Frame.ping, 0, 0, [UInt8](repeating: 0, count: 8))),
        Rule(
            "6.2", "another stream's CONTINUATION inside of a header", fatal(),
            frame(Frame.headers, 0, 1, block(request()))
                + frame(Frame.continuation, Frame.endHeaders, 3, block(request()))),
        Rule(
            "6.4", "RST_STREAM of a wrong length", fatal("FRAME_SIZE_ERROR"),
            open + frame(Frame.reset, 0, 1, [0, 0, 0])),
        Rule("6.5", "SETTINGS of a wrong length", fatal("FRAME_SIZE_ERROR"), frame(Frame.settings, 0, 0, [0, 0, 0])),
        Rule("6.5", "SETTINGS on a stream", fatal(), frame(Frame.settings, 0, 1, [0, 3, 0, 0, 0, 1])),
        Rule(
            "6.5", "an acknowledgement with settings", fatal("FRAME_SIZE_ERROR"),
            frame(Frame.settings, Frame.acknowledgement, 0, [0, 3, 0, 0, 0, 1])),
        Rule("6.5.2", "SETTINGS_ENABLE_PUSH 2", fatal(), settings((2, 2))),
        Rule("6.5.2", "SETTINGS_INITIAL_WINDOW_SIZE 2^31", fatal("FLOW_CONTROL_ERROR"), settings((4, 1 << 31))),
        Rule("6.5.2", "SETTINGS_MAX_FRAME_SIZE 1", fatal(), settings((5, 1))),
        Rule("6.5.2", "SETTINGS_MAX_FRAME_SIZE 2^24", fatal(), settings((5, 1 << 24))),
        Rule(
            "6.6", "PUSH_PROMISE from a client", fatal(),
            open + frame(Frame.promise, Frame.endHeaders, 1, [0, 0, 0, 2] + block(request()))),
        Rule(
            "6.7", "PING of a wrong length", fatal("FRAME_SIZE_ERROR"),
            frame(Frame.ping, 0, 0, [UInt8](repeating: 0, count: 7))),
        Rule("6.7", "PING on a stream", fatal(), frame(Frame.ping, 0, 1, [UInt8](repeating: 0, count: 8))),
        Rule("6.8", "GOAWAY on a stream", fatal(), frame(Frame.goAway, 0, 1, [UInt8](repeating: 0, count: 8))),
        Rule("6.9", "a WINDOW_UPDATE of nothing", fatal(), window(0, 0)),
        Rule(
            "6.9", "WINDOW_UPDATE of a wrong length", fatal("FRAME_SIZE_ERROR"), frame(Frame.window, 0, 0, [0, 0, 0])),
        Rule(
            "6.9.1", "the connection's window beyond 2^31 - 1", fatal("FLOW_CONTROL_ERROR"),
            window(0, 0x7FFF_FFFF) + window(0, 0x7FFF_FFFF)),
        Rule(
            "8.1", "a rule broken in the middle of another stream's body", fatal(),
            open + data(1, "rule", end: false), window(0, 0)),
        Rule(
            "5.4.1", "frames of all kinds behind an error", fatal(), stream: 3,
            window(0, 0) + frame(Frame.priority, 0, 1, [0]) + frame(0x10) + frame(0x0A, 0, 0, [255])
                + frame(Frame.headers, 0x2D, 3) + frame(Frame.data, 8, 3) + frame(Frame.settings, 0, 0, [1])),
    ]

    static let streamErrors: [Rule] = [
        Rule("5.1", "DATA on a stream that is closed", afterTheEnd, stream: 3, before(3), data(3, "rule")),
        Rule(
            "5.1", "HEADERS on a stream that is closed", afterTheEnd, stream: 3, before(3),
            headers(3, request()) + data(3, "rule")),
        Rule(
            "5.1", "DATA behind the end of the stream", afterTheEnd.union(["201"]),
            headers(1, request(), end: true) + data(1, "rule")),
        Rule(
            "6.3", "PRIORITY of a wrong length", fatal("FRAME_SIZE_ERROR").union(["reset:FRAME_SIZE_ERROR"]),
            frame(Frame.priority, 0, 1, [0, 0, 0, 0])),
        Rule(
            "6.9", "a WINDOW_UPDATE of nothing for a stream", fatal().union(["reset:PROTOCOL_ERROR"]),
            open + window(1, 0)),
        Rule(
            "6.9.1", "a stream's window beyond 2^31 - 1",
            fatal("FLOW_CONTROL_ERROR").union(["reset:FLOW_CONTROL_ERROR"]),
            open + window(1, 0x7FFF_FFFF) + window(1, 0x7FFF_FFFF)),
        Rule(
            "6.9.1", "more data than the window has room for",
            fatal("FLOW_CONTROL_ERROR").union(["reset:FLOW_CONTROL_ERROR"]),
            open + (0..<200).flatMap { _ in data(1, [UInt8](repeating: 0, count: 16_384), end: false) }),
        Rule(
            "5.1.2", "more streams than SETTINGS_MAX_CONCURRENT_STREAMS",
            fatal("PROTOCOL_ERROR", "ENHANCE_YOUR_CALM").union(["reset:REFUSED_STREAM"]), stream: 203,
            (0..<150).flatMap { headers(2 * $0 + 1, request()) }),
    ]
}
