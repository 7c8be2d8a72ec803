import HTTPTypes

@testable import HTTP2

/// RFC 9113, section 5: streams, and errors.
extension Rule {
    static func name(_ text: String) -> HTTPField.Name { HTTPField.Name(text) ?? .cookie }

    /// So many streams from number 1 on, none of which is answered.
    static func many(_ count: Int32) -> [UInt8] { (0..<count).flatMap { get(2 * $0 + 1, "/later") } }

    /// What the server sends on a stream.
    static func silent(_ stream: Int32) -> @Sendable (RuleStage) -> String? {
        { stage in stage.frames.contains { $0.stream == stream } ? "there is a frame on stream \(stream)" : nil }
    }

    static let streams: [Rule] = [
        Rule(
            "5.1", "an idle stream takes HEADERS and PRIORITY only", .goAway(.protocolError),
            [
                Case("DATA", data(1, "rule")),
                Case("DATA above a stream that is open", whole, data(5, "rule"), on: 5),
                Case("RST_STREAM", reset(1, 0)),
                Case("WINDOW_UPDATE", window(1, 1)),
                Case("WINDOW_UPDATE above a stream that is open", whole, window(5, 1)),
                Case("CONTINUATION", frame(Frame.continuation, Frame.endHeaders, 1, block(request()))),
                Case("DATA on a stream of the server's", data(2, "rule"), on: 2),
                Case("RST_STREAM on a stream of the server's", reset(2), on: 2),
                Case("WINDOW_UPDATE on a stream of the server's", window(2, 1), on: 2),
            ]),
        Rule(
            "5.1", "an idle stream takes PRIORITY", .answered(201),
            [Case("above, and before its HEADERS", frame(Frame.priority, 0, 9, zeros(5)), get(9), on: 9)]),
        Rule(
            "5.1", "a half-closed stream takes no more of a message", .reset(.streamClosed),
            [
                Case("DATA", halfClosed, data(1, "rule"), is: .goAway(.streamClosed), licence: .connectionInstead),
                Case(
                    "DATA in one piece with its HEADERS", join(halfClosed, data(1, "rule")), is: .goAway(.streamClosed),
                    licence: .connectionInstead),
                Case(
                    "HEADERS", halfClosed, head(1, block(request())), is: .goAway(.streamClosed),
                    licence: .connectionInstead, reports: ["CVE-2016-0150"]),
                Case(
                    "HEADERS in one piece", join(halfClosed, head(1, block(request()))), is: .goAway(.streamClosed),
                    licence: .connectionInstead),
                Case(
                    "trailers", halfClosed, head(1, block([("foo", "bar")])), is: .goAway(.streamClosed),
                    licence: .connectionInstead),
            ]),
        Rule(
            "5.1", "a half-closed stream takes WINDOW_UPDATE and PRIORITY", .answered(202),
            [
                Case("both", halfClosed, window(1, 9), frame(Frame.priority, 0, 1, zeros(5))),
                Case("in one piece", join(halfClosed, window(1, 9), frame(Frame.priority, 0, 1, zeros(5)))),
            ]),
        Rule(
            "5.1", "a half-closed stream takes RST_STREAM", .nothing,
            [Case("while it waits", halfClosed, reset(1), look: silent(1))]),
        Rule(
            "5.1", "a closed stream takes no more of a message", .goAway(.streamClosed), level: .may,
            [
                Case("DATA", whole, data(1, "rule")),
                Case("HEADERS", whole, join(open, data(1, "rule")), reports: ["CVE-2016-0150"]),
                Case(
                    "DATA on one that the client has reset", join(open, reset(1)), data(1, "rule"), is: .nothing,
                    licence: .minimal),
                Case(
                    "HEADERS on one that the client has reset", join(open, reset(1)), head(1, block(request())),
                    is: .nothing, licence: .minimal),
            ]),
        Rule(
            "5.1", "a stream that the server has ended takes what may be on its way", .reset(.flowControlError),
            [
                Case("DATA", join(open, window(1, 0x7FFF_FFFF)), data(1, "rule", end: false), data(1, "rule")),
                Case(
                    "WINDOW_UPDATE, PRIORITY and RST_STREAM", join(open, window(1, 0x7FFF_FFFF)),
                    join(window(1, 1), frame(Frame.priority, 0, 1, zeros(5)), reset(1))),
                Case("trailers", join(open, window(1, 0x7FFF_FFFF)), head(1, block([("foo", "bar")]))),
                Case(
                    "more DATA than the connection's window has room for, unless it is given back",
                    join(open, window(1, 0x7FFF_FFFF)),
                    Array((0..<40).flatMap { _ in data(1, zeros(16_384), end: false) }),
                    Array((0..<40).flatMap { _ in data(1, zeros(16_384), end: false) })),
            ]),
        Rule(
            "5.1.1", "clients use odd numbers", .goAway(.protocolError),
            [
                Case("an even one", headers(2, request()), on: 2),
                Case("an even one, ended", get(2), on: 2),
                Case("0", headers(0, request()), on: 0),
                Case("an even one behind a request", whole, get(2), on: 2),
            ]),
        Rule(
            "5.1.1", "numbers grow", .goAway(.protocolError),
            [
                Case(
                    "one that was passed over", get(5), get(3), on: 3, is: .goAway(.streamClosed), licence: .otherCode),
                Case(
                    "one that was passed over, in one piece", join(get(5), get(3)), on: 3, is: .goAway(.streamClosed),
                    licence: .otherCode),
                Case(
                    "one that was passed over, while the higher one waits", get(5, "/later"), get(3), on: 3,
                    is: .goAway(.streamClosed), licence: .otherCode),
                Case(
                    "one that has been used", get(3), get(3), on: 3, is: .goAway(.streamClosed), licence: .otherCode,
                    reports: ["CVE-2016-0150"]),
            ]),
        Rule(
            "5.1.1", "numbers may be passed over", .answered(201),
            [Case("up to the last", get(3), get(9), get(.max), on: .max, isLast: true)]),
        Rule(
            "5.1.2", "a stream over the limit is refused, or an error", .reset(.refusedStream),
            [
                Case("before the limit is acknowledged", many(100), get(201), on: 201),
                Case(
                    "behind it", acknowledgement, many(100), get(201), on: 201, is: .goAway(.protocolError),
                    licence: .connectionInstead),
            ]),
        Rule(
            "5.1.2", "as many streams as are allowed are served", .answered(202),
            [Case("the last of a hundred", acknowledgement, many(100), on: 199)]),
        Rule(
            "5.2.2", "frames are read as soon as they are there", .answered(200),
            [
                Case("PING beside an answer that waits for a window", get(1, "/large"), ping) { stage in
                    stage.frames.contains { $0.type == Frame.ping } ? nil : "PING waits"
                }
            ]),
        Rule(
            "5.4.1", "the connection is closed behind GOAWAY, whatever follows", .goAway(.protocolError),
            [
                Case(
                    "frames of all kinds",
                    join(
                        window(0, 0), frame(Frame.priority, 0, 1, [0]), frame(0x10), frame(0x0A, 0, 0, [255]),
                        frame(Frame.headers, 0x2D, 3), frame(Frame.data, 8, 3), frame(Frame.settings, 0, 0, [1])),
                    get(5), on: 5, reports: ["CVE-2026-27135"]),
                Case(
                    "while handlers work", many(50), window(0, 0), on: 201,
                    reports: ["CVE-2022-27664", "CVE-2022-2048"]),
            ]),
        Rule(
            "5.4.2", "RST_STREAM isn't answered with RST_STREAM", .nothing,
            [
                Case("on an open stream", join(open, reset(1)), look: silent(1)),
                Case("twice", join(open, reset(1)), reset(1), look: silent(1)),
                Case("within a body", join(open, data(1, "rule", end: false)), reset(1), look: silent(1)),
                Case("with NO_ERROR", open, reset(1, 0), look: silent(1)),
                Case("in one piece with its stream", join(get(1), reset(1)), look: silent(1)),
            ]),
        Rule(
            "5.4.2", "RST_STREAM isn't answered on a stream that has ended", .answered(201),
            [
                Case("behind the answer", whole, reset(1)) { stage in
                    stage.frames.contains { $0.type == Frame.reset } ? "there is a reset" : nil
                }
            ]),
        Rule(
            "5.5", "a frame of an extension within a field block ends the connection", .goAway(.protocolError),
            strange.map { type in
                Case("type \(type)", frame(Frame.headers, 1, 1, block(request())), frame(type, 0, 1))
            }),
        Rule(
            "5.5", "unknown values are ignored", .answered(201),
            [
                Case("settings", join(settings((0x4242, 1), (0, 9), (0xFFFF, .max)), whole)),
                Case(
                    "the code of GOAWAY",
                    join(open, frame(Frame.goAway, 0, 0, zeros(4) + [255, 255, 255, 255]), data(1, "rule")),
                    isLast: true),
            ]),
    ]
}
