@testable import HTTP2

/// RFC 9113, section 6, but for settings and windows: each type of frame.
extension Rule {
    /// A field block that has begun, and what must not follow it.
    static let interruptions: [Case] = [
        Case("DATA", frame(Frame.headers, 0, 1, block(request())), data(1, "rule")),
        Case("HEADERS of the same stream", frame(Frame.headers, 0, 1, block(request())), open),
        Case("HEADERS of another stream", frame(Frame.headers, 0, 1, block(request())), get(3)),
        Case("PRIORITY", frame(Frame.headers, 0, 1, block(request())), frame(Frame.priority, 0, 1, zeros(5))),
        Case("RST_STREAM", frame(Frame.headers, 0, 1, block(request())), reset(1)),
        Case("SETTINGS", frame(Frame.headers, 0, 1, block(request())), settings()),
        Case("PUSH_PROMISE", frame(Frame.headers, 0, 1, block(request())), frame(Frame.promise, 4, 1, zeros(4))),
        Case("PING", frame(Frame.headers, 0, 1, block(request())), ping),
        Case("GOAWAY", frame(Frame.headers, 0, 1, block(request())), frame(Frame.goAway, 0, 0, zeros(8))),
        Case("WINDOW_UPDATE", frame(Frame.headers, 0, 1, block(request())), window(0, 1)),
        Case(
            "CONTINUATION of another stream", frame(Frame.headers, 0, 1, block(request())),
            frame(Frame.continuation, 4, 3, block(request()))),
        Case("DATA within trailers", join(open, frame(Frame.headers, 1, 1)), data(1, "rule")),
    ]

    static let frames: [Rule] = [
        Rule(
            "6.1", "DATA belongs to a stream", .goAway(.protocolError),
            [Case("stream 0", data(0, "rule")), Case("stream 0, without payload", data(0, []))]),
        Rule(
            "6.1", "DATA comes on an open stream", .reset(.streamClosed),
            [
                Case(
                    "a half-closed one", halfClosed, data(1, "rule"), is: .goAway(.streamClosed),
                    licence: .connectionInstead),
                Case(
                    "a half-closed one, without payload", halfClosed, data(1, []), is: .goAway(.streamClosed),
                    licence: .connectionInstead),
                Case(
                    "a closed one", whole, data(1, "rule"), is: .goAway(.streamClosed), licence: .connectionInstead),
            ]),
        Rule(
            "6.1", "padding is shorter than the payload", .goAway(.protocolError),
            [
                Case("as long", open, frame(Frame.data, 9, 1, [4, 0, 0, 0])),
                Case("longer", open, frame(Frame.data, 9, 1, [255, 1, 2])),
                Case("nothing but its length, 1", open, frame(Frame.data, 9, 1, [1])),
            ]),
        Rule(
            "6.1", "padding is left out", .answered(201),
            [
                Case("255 bytes", open, frame(Frame.data, 9, 1, [255] + Array("rule".utf8) + zeros(255))) {
                    body($0, "rule")
                },
                Case("none", open, frame(Frame.data, 9, 1, [0] + Array("rule".utf8))) { body($0, "rule") },
                Case("nothing else", open, frame(Frame.data, 9, 1, [3, 0, 0, 0])) { body($0, "") },
                Case(
                    "with a length that the content has", headers(1, request(("content-length", "4"))),
                    frame(Frame.data, 9, 1, [9] + Array("rule".utf8) + zeros(9))
                ) { body($0, "rule") },
            ]),
        Rule("6.2", "a field block isn't interrupted", .goAway(.protocolError), interruptions),
        Rule(
            "6.2", "HEADERS belong to a stream", .goAway(.protocolError),
            [Case("stream 0", headers(0, request(), end: true), on: 0)]),
        Rule(
            "6.2", "padding is shorter than the payload", .goAway(.protocolError),
            [
                Case(
                    "longer", frame(Frame.headers, 0x0C, 1, [255] + block(request())), reports: ["CVE-2022-0618"]),
                Case(
                    "as long as all", frame(Frame.headers, 0x0D, 1, [4, 0x82, 0x87, 0x84]),
                    reports: ["CVE-2022-0618"]),
                Case("as long as what priority leaves", frame(Frame.headers, 0x2D, 1, [1, 0, 0, 0, 0, 16])),
            ]),
        Rule(
            "6.2", "padding and priority are left out", .answered(201),
            [
                Case("padding", frame(Frame.headers, 0x0D, 1, [5] + block(request()) + zeros(5))),
                Case("priority", frame(Frame.headers, 0x25, 1, [0, 0, 0, 0, 16] + block(request()))),
                Case("both", frame(Frame.headers, 0x2D, 1, [2, 0x80, 0, 0, 9, 16] + block(request()) + zeros(2))),
                Case(
                    "a stream that depends on itself",
                    frame(Frame.headers, 0x25, 1, [0, 0, 0, 1, 16] + block(request())),
                    is: .goAway(.protocolError),
                    licence: .deviation(
                        "nghttp2 keeps this rule of RFC 7540, section 5.3.1, whatever else of priorities it ignores"),
                    reports: ["CVE-2015-8659"]),
            ]),
        Rule(
            "6.3", "PRIORITY belongs to a stream", .goAway(.protocolError),
            [Case("stream 0", frame(Frame.priority, 0, 0, zeros(5)))]),
        Rule(
            "6.3", "PRIORITY has five bytes", .reset(.frameSizeError),
            [
                Case(
                    "four, on an idle stream", frame(Frame.priority, 0, 1, zeros(4)), is: .goAway(.frameSizeError),
                    licence: .connectionInstead),
                Case(
                    "six, on an open stream", open, frame(Frame.priority, 0, 1, zeros(6)), is: .goAway(.frameSizeError),
                    licence: .connectionInstead),
                Case(
                    "none", open, frame(Frame.priority, 0, 1), is: .goAway(.frameSizeError),
                    licence: .connectionInstead),
            ]),
        Rule(
            "6.3", "PRIORITY changes no state", .answered(201),
            [
                Case("of a closed stream", whole, frame(Frame.priority, 0, 1, zeros(5))),
                Case(
                    "in a circle",
                    join(
                        frame(Frame.priority, 0, 1, [0, 0, 0, 3, 16]), frame(Frame.priority, 0, 3, [0, 0, 0, 1, 16]),
                        frame(Frame.priority, 0, 1, [0, 0, 0, 1, 16])), whole,
                    reports: ["CVE-2015-8659", "CVE-2019-9513"]),
            ]),
        Rule(
            "6.4", "RST_STREAM belongs to a stream", .goAway(.protocolError), [Case("stream 0", reset(0))]),
        Rule(
            "6.4", "RST_STREAM comes on a stream that has begun", .goAway(.protocolError),
            [Case("an idle one", reset(1)), Case("one above", whole, reset(7))]),
        Rule(
            "6.4", "RST_STREAM has four bytes", .goAway(.frameSizeError),
            [
                Case("three", open, frame(Frame.reset, 0, 1, zeros(3))),
                Case("five", open, frame(Frame.reset, 0, 1, zeros(5))),
                Case("none", open, frame(Frame.reset, 0, 1)),
            ]),
        Rule(
            "6.4", "nothing is sent behind a client's RST_STREAM", .nothing,
            [
                Case("before the answer", halfClosed, reset(1), look: silent(1)),
                Case(
                    "in one piece with the request", join(get(1), reset(1)), reports: ["CVE-2026-23918"],
                    look: silent(1)),
            ]),
        Rule(
            "6.4", "nothing is sent behind a client's RST_STREAM within an answer", .answered(200),
            [
                Case("a long one", get(1, "/large"), reset(1), window(0, 1 << 20)) { stage in
                    let count = stage.received(1)
                    return count <= 65_535 ? nil : "\(count) bytes come"
                }
            ]),
        Rule(
            "6.6", "a client doesn't push", .goAway(.protocolError),
            [
                Case("on an open stream", open, frame(Frame.promise, 4, 1, [0, 0, 0, 2] + block(request()))),
                Case(
                    "on a half-closed stream", halfClosed, frame(Frame.promise, 4, 1, [0, 0, 0, 2] + block(request()))),
                Case("on stream 0", frame(Frame.promise, 4, 0, [0, 0, 0, 2] + block(request()))),
                Case("on an idle stream", frame(Frame.promise, 4, 1, [0, 0, 0, 2] + block(request()))),
                Case("of a stream of its own", open, frame(Frame.promise, 4, 1, [0, 0, 0, 3] + block(request()))),
                Case(
                    "without payload", open, frame(Frame.promise, 4, 1), is: .goAway(.frameSizeError),
                    licence: .otherCode),
            ]),
        Rule(
            "6.7", "PING is answered with its payload", .nothing,
            [
                Case("any", frame(Frame.ping, 0, 0, Array("12345678".utf8))) { stage in
                    let answers = stage.frames.filter { $0.type == Frame.ping }
                    let right =
                        answers.count == 1 && answers[0].flags == 1 && answers[0].payload == Array("12345678".utf8)
                    return right ? nil : "the answers are \(answers.map(\.payload))"
                }
            ]),
        Rule(
            "6.7", "an answer to PING isn't answered", .nothing,
            [
                Case("that nobody asked for", frame(Frame.ping, 1, 0, zeros(8))) { stage in
                    stage.frames.contains { $0.type == Frame.ping } ? "it is" : nil
                }
            ]),
        Rule(
            "6.7", "PING belongs to the connection", .goAway(.protocolError),
            [
                Case("an idle stream", frame(Frame.ping, 0, 1, zeros(8))),
                Case("an open stream", open, frame(Frame.ping, 0, 1, zeros(8))),
                Case("an answer", open, frame(Frame.ping, 1, 1, zeros(8))),
            ]),
        Rule(
            "6.7", "PING has eight bytes", .goAway(.frameSizeError),
            [0, 7, 9].map { Case("\($0)", frame(Frame.ping, 0, 0, zeros($0))) }),
        Rule(
            "6.8", "GOAWAY belongs to the connection", .goAway(.protocolError),
            [
                Case("an idle stream", frame(Frame.goAway, 0, 1, zeros(8))),
                Case("an open stream", open, frame(Frame.goAway, 0, 1, zeros(8))),
            ]),
        Rule(
            "6.8", "streams that are open when GOAWAY comes are answered", .answered(201),
            [
                Case(
                    "with data for debugging", open, frame(Frame.goAway, 0, 0, zeros(8) + Array("bye".utf8)),
                    data(1, "rule"), isLast: true)
            ]),
        Rule(
            "6.10", "CONTINUATION follows a block that isn't complete", .goAway(.protocolError),
            [
                Case("behind nothing", frame(Frame.continuation, 4, 1, block(request()))),
                Case("behind a block that is complete", open, frame(Frame.continuation, 4, 1, [])),
                Case("behind DATA", join(open, data(1, "rule", end: false)), frame(Frame.continuation, 4, 1)),
                Case("behind the end of a request", halfClosed, frame(Frame.continuation, 4, 1)),
                Case("on stream 0", frame(Frame.continuation, 4, 0, block(request()))),
                Case(
                    "on stream 0, within a block", frame(Frame.headers, 1, 1, block(request())),
                    frame(Frame.continuation, 4, 0)),
            ]),
        Rule(
            "6.10", "a block may have several frames", .answered(201),
            [
                Case(
                    "three",
                    join(
                        frame(Frame.headers, 0, 1, Array(block(request()).prefix(20))),
                        frame(Frame.continuation, 0, 1, Array(block(request()).dropFirst(20).prefix(20))),
                        frame(Frame.continuation, 4, 1, Array(block(request()).dropFirst(40)))), data(1, "rule")),
                Case(
                    "an empty one at the end", frame(Frame.headers, 1, 1, block(request())),
                    frame(Frame.continuation, 4, 1)),
                Case(
                    "nothing in the first", frame(Frame.headers, 1, 1),
                    frame(Frame.continuation, 4, 1, block(request()))),
            ]),
        Rule(
            "6.10", "a block may have any number of frames", .answered(201),
            [
                Case(
                    "seven", frame(Frame.headers, 1, 1, block(request())),
                    Array((0..<6).flatMap { _ in frame(Frame.continuation, 0, 1) }), frame(Frame.continuation, 4, 1),
                    is: .goAway(.enhanceYourCalm), licence: .suspicious, reports: ["CVE-2024-28182", "CVE-2024-27316"])
            ]),
        Rule(
            "7", "an unknown code changes nothing", .answered(201),
            [
                Case("of RST_STREAM", join(open, reset(1, 0xDEAD_BEEF)), get(3), on: 3),
                Case(
                    "of GOAWAY", join(open, frame(Frame.goAway, 0, 0, zeros(4) + [0xDE, 0xAD, 0xBE, 0xEF])),
                    data(1, "rule"), isLast: true),
            ]),
    ]

    static func body(_ stage: RuleStage, _ text: String) -> String? {
        let body = stage.requests[1]?.body ?? []
        return body == Array(text.utf8) ? nil : "the body is \(body)"
    }
}
