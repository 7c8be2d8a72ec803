import HTTPMessage
import HTTPTypes

@testable import HTTP2

/// RFC 9113, sections 3 and 4: the beginning of a connection, frames and field blocks.
extension Rule {
    static func join(_ parts: [UInt8]...) -> [UInt8] { Array(parts.joined()) }

    static func frame(
        _ type: UInt8, _ flags: UInt8 = 0, _ stream: Int32 = 0, _ payload: [UInt8] = [], length: Int? = nil
    ) -> [UInt8] { Frame(type: type, flags: flags, stream: stream, payload: payload, length: length).bytes }

    static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    static let ping = frame(Frame.ping, 0, 0, zeros(8))
    static let acknowledgement = frame(Frame.settings, Frame.acknowledgement)
    /// A request whose body is still to come, and one that is complete.
    static let open = headers(1, request())
    static let whole = join(open, data(1, "rule"))
    static func get(_ stream: Int32, _ path: String = "/a") -> [UInt8] {
        headers(stream, request(changes: [":method": "GET", ":path": path]), end: true)
    }
    /// A request that stays unanswered for a while, so that its stream is half-closed.
    static let halfClosed = get(1, "/later")

    /// A field that enters the peer's table (RFC 7541, section 6.2.1), and the reference to the table's first entry.
    static let indexed = [0x40, 7] + Array("x-state".utf8) + [4] + Array("kept".utf8)
    static let reference: [UInt8] = [0xBE]

    static func head(_ stream: Int32, _ block: [UInt8], end: Bool = true) -> [UInt8] {
        frame(Frame.headers, Frame.endHeaders | (end ? Frame.endStream : 0), stream, block)
    }

    /// Whether the field that entered the table on one stream is read on another.
    static func keeps(_ stream: Int32) -> @Sendable (RuleStage) -> String? {
        { $0.requests[stream]?.fields.values(name("x-state")) == ["kept"] ? nil : "the table isn't kept" }
    }

    static let connection: [Rule] = [
        Rule(
            "3.4", "a client's SETTINGS are acknowledged", .answered(201),
            [
                Case("at once, and once", whole) { stage in
                    let count = stage.frames.count { $0.type == Frame.settings && $0.flags == 1 }
                    return count == 1 ? nil : "there are \(count) acknowledgements"
                }
            ]),
        Rule(
            "3.4", "SETTINGS follow the client's 24 bytes", .goAway(.protocolError),
            [
                Case("PING in their place", ping, settings: []),
                Case("HEADERS in their place", whole, settings: []),
                Case("an acknowledgement in their place", acknowledgement, settings: []),
                Case("an unknown frame in their place", frame(0x42), settings: []),
            ]),
        Rule(
            "3.4", "an invalid preface ends the connection", .goAway(.protocolError),
            [
                Case("another end", whole, start: Array("PRI * HTTP/2.0\r\n\r\nSX\r\n\r\n".utf8)),
                Case("another version", whole, start: Array("PRI * HTTP/2.1\r\n\r\nSM\r\n\r\n".utf8)),
                Case("HTTP/1.1", whole, start: Array("POST /version/v1/tan HTTP/1.1\r\n\r\n".utf8)),
                Case("nothing", whole, start: []),
                Case("a record of TLS", whole, start: [22, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3] + zeros(64)),
            ]),
    ]

    /// ALTSVC, ORIGIN, PRIORITY_UPDATE and types that nobody knows (RFC 7838, RFC 8336, RFC 9218).
    static let strange: [UInt8] = [0x0A, 0x0C, 0x10, 0x42, 0xFF]

    static let framing: [Rule] = [
        Rule(
            "4.1", "frames of unknown types are ignored", .answered(201),
            strange.map { type in
                Case(
                    "type \(type) on the connection, on an idle stream, and within a body",
                    join(frame(type, 255, 0, zeros(100)), frame(type, 0, 3, [63]), open, frame(type, 1, 1, zeros(9))),
                    data(1, "rule"), reports: type < 0x10 ? ["CVE-2022-24668"] : [])
            } + [
                Case(
                    "without payload", join(frame(0x0A), frame(0x0C), frame(0x10), frame(0x42), whole),
                    reports: ["CVE-2026-27135"])
            ]),
        Rule(
            "4.1", "flags without meaning are ignored", .answered(201),
            [
                Case(
                    "on HEADERS and DATA",
                    join(
                        frame(Frame.headers, Frame.endHeaders | 0xD2, 1, block(request())),
                        frame(Frame.data, Frame.endStream | 0xF6, 1, [1]))),
                Case(
                    "on CONTINUATION",
                    join(
                        frame(Frame.headers, Frame.endStream, 1, block(request())),
                        frame(Frame.continuation, Frame.endHeaders | 0xFB, 1))),
                Case(
                    "on PRIORITY, SETTINGS, PING, GOAWAY and WINDOW_UPDATE",
                    join(
                        frame(Frame.priority, 255, 3, zeros(5)), frame(Frame.settings, 0xFE),
                        frame(Frame.ping, 0xFE, 0, zeros(8))),
                    join(frame(Frame.window, 255, 0, [0, 0, 0, 1]), whole, frame(Frame.goAway, 255, 0, zeros(8))),
                    isLast: true),
                Case(
                    "on RST_STREAM", join(open, frame(Frame.reset, 255, 1, [0, 0, 0, 8])), get(3), on: 3),
            ]),
        Rule(
            "4.1", "the reserved bit is ignored", .answered(201),
            [
                Case(
                    "of a stream's number",
                    join(
                        frame(Frame.headers, Frame.endHeaders, .min | 1, block(request())),
                        frame(Frame.data, Frame.endStream, .min | 1, [1]))),
                Case("of the connection's number", join(frame(Frame.ping, 0, .min, zeros(8)), whole)),
                Case(
                    "of a window's increment",
                    join(open, frame(Frame.window, 0, 1, [0x80, 0, 0, 1]), data(1, "rule"))),
                Case(
                    "of a number in GOAWAY", join(whole, frame(Frame.goAway, 0, 0, [0x80, 0, 0, 0, 0, 0, 0, 0])),
                    isLast: true),
            ]),
        Rule(
            "4.2", "frames of 2^14 bytes are taken", .answered(201),
            [
                Case("DATA", open, data(1, zeros(16_384))),
                Case(
                    "DATA with padding", open,
                    frame(Frame.data, Frame.padded | Frame.endStream, 1, [255] + zeros(16_383))),
                Case("an unknown type", join(frame(0x42, 0, 0, zeros(16_384)), whole)),
                Case("GOAWAY", join(open, frame(Frame.goAway, 0, 0, zeros(16_384)), data(1, "rule")), isLast: true),
                Case(
                    "HEADERS, whose fields exceed another limit",
                    frame(
                        Frame.headers, Frame.endHeaders | Frame.endStream, 1,
                        filled(block(request()), 16_384)),
                    is: .answered(431), licence: .suspicious),
            ]),
        Rule(
            "4.2", "a longer frame is an error of size, and of the connection if it could alter its state",
            .goAway(.frameSizeError),
            [
                Case("HEADERS", frame(Frame.headers, 5, 1, filled(block(request()), 16_385))),
                Case(
                    "CONTINUATION", frame(Frame.headers, 1, 1, block(request())),
                    frame(Frame.continuation, 4, 1, filled([], 16_385))),
                Case("SETTINGS", frame(Frame.settings, 0, 0, zeros(16_386))),
                Case("an unknown type on the connection", frame(0x42, 0, 0, zeros(16_385))),
                Case("WINDOW_UPDATE", frame(Frame.window, 0, 0, zeros(16_385))),
                Case("only said to be so long", frame(Frame.ping, 0, 0, zeros(8), length: 0xFF_FFFF)),
            ]),
        Rule(
            "4.2", "a longer frame on a stream is an error of size", .reset(.frameSizeError),
            [
                Case("DATA", open, data(1, zeros(16_385)), is: .goAway(.frameSizeError), licence: .connectionInstead),
                Case(
                    "RST_STREAM", open, frame(Frame.reset, 0, 1, zeros(16_385)), is: .goAway(.frameSizeError),
                    licence: .connectionInstead),
            ]),
        Rule(
            "4.2", "a frame too short for what it must hold is an error of size", .goAway(.frameSizeError),
            [
                Case(
                    "HEADERS without the length of its padding", frame(Frame.headers, 0x0D, 1),
                    is: .goAway(.protocolError), licence: .otherCode),
                Case(
                    "HEADERS without the rest of its priority", frame(Frame.headers, 0x25, 1, zeros(4)),
                    reports: ["CVE-2018-20615", "CVE-2022-24666"]),
                Case(
                    "HEADERS with nothing behind padding that leaves no room for its priority",
                    frame(Frame.headers, 0x2D, 1, [0, 0, 0]), is: .goAway(.protocolError), licence: .otherCode),
                Case(
                    "DATA without the length of its padding", open, frame(Frame.data, 9, 1),
                    is: .goAway(.protocolError), licence: .otherCode),
                Case("GOAWAY", frame(Frame.goAway, 0, 0, zeros(7))),
            ]),
    ]

    /// A field block filled up with one more field.
    static func filled(_ block: [UInt8], _ count: Int) -> [UInt8] {
        let size = count - block.count - 8
        // A literal without indexing: `foo`, and a length of three bytes behind the prefix.
        let rest = size - 127
        return block + [0, 3] + Array("foo".utf8) + [127, UInt8(rest & 127 | 128), UInt8(rest >> 7)]
            + [UInt8](repeating: 98, count: size)
    }

    static let blocks: [Rule] = [
        Rule(
            "4.3", "a field block is decoded even if its message isn't wanted", .answered(201),
            [
                Case(
                    "a malformed one", head(1, block(request(("Upper", "x"))) + indexed),
                    head(3, block(request()) + reference), on: 3, look: keeps(3)),
                Case(
                    "one over the limit, behind the limit",
                    head(1, block(request(("foo", String(repeating: "b", count: 16_000)))) + indexed),
                    head(3, block(request()) + reference), on: 3, reports: ["CVE-2023-32731"], look: keeps(3)),
                Case(
                    "one on a stream over the limit",
                    Array((0..<100).flatMap { get(2 * $0 + 1, "/later") }),
                    head(201, block(request(changes: [":path": "/later"])) + indexed), reset(1),
                    head(203, block(request()) + reference), on: 203, look: keeps(203)),
                Case(
                    "trailers of a stream that the client has reset", join(open, reset(1)),
                    head(3, block(request()) + indexed), head(5, block(request()) + reference), on: 5, look: keeps(5)),
                Case(
                    "trailers of a stream that the server has reset", join(open, window(1, 0x7FFF_FFFF)),
                    head(1, indexed), head(3, block(request()) + reference), on: 3, look: keeps(3)),
                Case(
                    "trailers", join(open, data(1, "rule", end: false), head(1, indexed)),
                    head(3, block(request()) + reference), on: 3, look: keeps(3)),
                Case(
                    "a method that isn't served",
                    head(1, block([(":method", "CONNECT"), (":authority", "a:443")]) + indexed),
                    head(3, block(request()) + reference), on: 3, look: keeps(3)),
            ]),
        Rule(
            "4.3", "a block that can't be decoded ends the connection", .goAway(.compressionError),
            [
                Case("noise", frame(Frame.headers, 5, 1, [UInt8](repeating: 255, count: 10))),
                Case("cut within a name", head(1, block(request()) + [0x40, 7, 120])),
                Case("cut within a length", head(1, block(request()) + [0x40, 0x7F])),
                Case("cut behind a name", head(1, block(request()) + [0x40, 1, 120])),
                Case(
                    "cut at the end of the last CONTINUATION", frame(Frame.headers, 1, 1, block(request())),
                    frame(Frame.continuation, 4, 1, [0x40, 7])),
                Case("in trailers", join(open, data(1, "rule", end: false)), head(1, [0xFF, 0xFF])),
            ]),
        Rule(
            "4.3.1", "the first block behind a smaller table's acknowledgement says the new size", .answered(201),
            [
                Case("nothing", settings((1, 0)), whole) { first($0, is: [0x20]) },
                Case("100 bytes", settings((1, 100)), whole) { first($0, is: [0x3F, 69]) },
                Case("in the first SETTINGS", whole, settings: settings((1, 0))) { first($0, is: [0x20]) },
                Case("behind an answer", get(3), settings((1, 0)), get(5), on: 5) { first($0, 5, is: [0x20]) },
                Case("smaller, then larger", settings((1, 0), (1, 4096)), whole) {
                    first($0, is: [0x20, 0x3F, 0xE1, 0x1F])
                },
            ]),
    ]

    private static func first(_ stage: RuleStage, _ stream: Int32 = 1, is bytes: [UInt8]) -> String? {
        let block = stage.frames.first { $0.type == Frame.headers && $0.stream == stream }?.payload ?? []
        return block.starts(with: bytes) ? nil : "the block begins with \(Array(block.prefix(4)))"
    }
}
