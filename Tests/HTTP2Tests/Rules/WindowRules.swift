@testable import HTTP2

/// RFC 9113, sections 6.5 and 6.9: settings and windows.
extension Rule {
    /// Whether so many bytes of a body have come by now.
    static func came(_ count: Int, on stream: Int32 = 1) -> @Sendable (RuleStage) -> String? {
        { stage in
            let seen = stage.received(stream)
            return seen == count ? nil : "\(seen) bytes of the body come, not \(count)"
        }
    }

    static let settingsRules: [Rule] = [
        Rule(
            "6.5", "an acknowledgement has no payload", .goAway(.frameSizeError),
            [
                Case("a setting", frame(Frame.settings, 1, 0, [0, 3, 0, 0, 0, 1])),
                Case("a byte", frame(Frame.settings, 1, 0, [0])),
            ]),
        Rule(
            "6.5", "SETTINGS belong to the connection", .goAway(.protocolError),
            [
                Case("an idle stream", frame(Frame.settings, 0, 1)),
                Case("an open stream", open, frame(Frame.settings, 0, 1, [0, 3, 0, 0, 0, 1])),
                Case("an acknowledgement", open, frame(Frame.settings, 1, 1)),
            ]),
        Rule(
            "6.5", "SETTINGS have a multiple of six bytes", .goAway(.frameSizeError),
            [1, 5, 7].map { Case("\($0)", frame(Frame.settings, 0, 0, zeros($0))) }),
        Rule(
            "6.5", "all settings are supported", .answered(201),
            [
                Case(
                    "each", settings((1, 8192), (2, 0), (3, 50), (4, 70_000), (5, 20_000), (6, 10_000)), whole),
                Case(
                    "at their limits", settings((1, 0), (2, 1), (3, 0), (4, 0x7FFF_FFFF), (5, 0xFF_FFFF), (6, 0)), whole
                ),
                Case("the largest", settings((1, .max), (3, .max), (6, .max)), whole, reports: ["CVE-2025-1948"]),
                Case("the smallest frame", settings((5, 16_384)), whole),
            ]),
        Rule(
            "6.5.2", "SETTINGS_ENABLE_PUSH is 0 or 1", .goAway(.protocolError),
            [Case("2", settings((2, 2))), Case("the largest", settings((2, .max)))]),
        Rule(
            "6.5.2", "SETTINGS_INITIAL_WINDOW_SIZE is 2^31 - 1 at most", .goAway(.flowControlError),
            [Case("2^31", settings((4, 1 << 31))), Case("the largest", settings((4, .max)))]),
        Rule(
            "6.5.2", "SETTINGS_MAX_FRAME_SIZE is between 2^14 and 2^24 - 1", .goAway(.protocolError),
            [
                Case("0", settings((5, 0))), Case("2^14 - 1", settings((5, 16_383))),
                Case("2^24", settings((5, 1 << 24))), Case("the largest", settings((5, .max))),
            ]),
        Rule(
            "6.5.2", "an unknown setting is ignored", .answered(201),
            [
                Case("among known ones", settings((0x4242, 1), (4, 100), (0x4243, 2)), whole),
                Case("NO_RFC7540_PRIORITIES, and ENABLE_CONNECT_PROTOCOL", whole, settings: settings((9, 1), (8, 1))),
            ]),
        Rule(
            "6.5.3", "settings are applied in their order, then acknowledged", .answered(200),
            [
                Case("the last of one kind counts", settings((4, 9), (4, 0), (4, 7)), get(1, "/large"), look: came(7)),
                Case("two frames", join(settings((4, 9)), settings((4, 5)), get(1, "/large"))) { stage in
                    let count = stage.frames.count { $0.type == Frame.settings && $0.flags == 1 }
                    return count == 3 ? came(5)(stage) : "there are \(count) acknowledgements"
                },
                Case("before the frames that follow", join(settings((4, 3)), get(1, "/large")), look: came(3)),
            ]),
        Rule(
            "6.5.3", "settings may be many", .answered(201), level: .may,
            [
                Case("32 in a frame", settings(Array(repeating: (0x4242, 1), count: 32)), whole),
                Case(
                    "2,400 in a frame", settings(Array(repeating: (3, 1), count: 2400)), is: .goAway(.enhanceYourCalm),
                    licence: .suspicious, reports: ["CVE-2020-11080"]),
            ]),
    ]

    static func settings(_ values: (UInt16, UInt32)...) -> [UInt8] { settings(values) }

    static func settings(_ values: [(UInt16, UInt32)]) -> [UInt8] {
        frame(Frame.settings, 0, 0, values.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 255)] + $0.1.big })
    }

    static let windows: [Rule] = [
        Rule(
            "6.9", "an increment isn't 0", .reset(.protocolError),
            [
                Case(
                    "of a stream", open, window(1, 0), is: .goAway(.protocolError), licence: .connectionInstead,
                    reports: ["CVE-2025-8671"]),
                Case(
                    "of a half-closed stream", halfClosed, window(1, 0), is: .goAway(.protocolError),
                    licence: .connectionInstead),
                Case(
                    "of a stream, but for the reserved bit", open, frame(Frame.window, 0, 1, [0x80, 0, 0, 0]),
                    is: .goAway(.protocolError), licence: .connectionInstead),
            ]),
        Rule(
            "6.9", "an increment of the connection isn't 0", .goAway(.protocolError),
            [Case("alone", window(0, 0)), Case("beside an open stream", open, window(0, 0))]),
        Rule(
            "6.9", "WINDOW_UPDATE on a closed stream is no error", .answered(201),
            [
                Case("behind the answer", whole, window(1, 1)),
                Case("again and again", whole, window(1, 9), window(1, 0x7FFF_FFFF), window(1, 0x7FFF_FFFF)),
            ]),
        Rule(
            "6.9", "WINDOW_UPDATE has four bytes", .goAway(.frameSizeError),
            [0, 3, 5].map { Case("\($0), of the connection", frame(Frame.window, 0, 0, zeros($0))) } + [
                Case("3, of a stream", open, frame(Frame.window, 0, 1, zeros(3)))
            ]),
        Rule(
            "6.9", "DATA that is in error counts for the connection's window", .nothing,
            [
                Case(
                    "of a stream that the client has reset", join(open, reset(1)),
                    Array((0..<60).flatMap { _ in data(1, zeros(16_384), end: false) })
                ) { stage in
                    let given = stage.frames.filter { $0.type == Frame.window && $0.stream == 0 }
                        .map { Int($0.number(at: 0)) }.reduce(65_535, +)
                    return given >= (1 << 20) + 16_384 ? nil : "only \(given) bytes are given"
                }
            ]),
        Rule(
            "6.9.1", "no more is sent than the stream's window takes", .answered(200),
            [
                Case("nothing", settings((4, 0)), get(1, "/large"), look: came(0)),
                Case("ten bytes", settings((4, 0)), get(1, "/large"), window(1, 10), look: came(10)),
                Case("the initial window", get(1, "/large"), look: came(65_535)),
                Case("all", settings((4, 1 << 20)), window(0, 1 << 20), get(1, "/large"), look: came(200_000)),
            ]),
        Rule(
            "6.9.1", "no more is sent than the connection's window takes", .answered(200),
            [
                Case("the initial one", settings((4, 1 << 20)), get(1, "/large"), look: came(65_535)),
                Case("one byte more", settings((4, 1 << 20)), get(1, "/large"), window(0, 1), look: came(65_536)),
                Case(
                    "for all streams together", settings((4, 1 << 20)), get(1, "/large"), get(3, "/large"), on: 3
                ) { stage in
                    let sum = stage.received(1) + stage.received(3)
                    return sum == 65_535 ? nil : "\(sum) bytes come"
                },
            ]),
        Rule(
            "6.9.1", "a stream's window is 2^31 - 1 at most", .reset(.flowControlError),
            [
                Case("one increment", open, window(1, 0x7FFF_FFFF), reports: ["CVE-2025-8671"]),
                Case("two", open, window(1, 0x7FFF_0000), window(1, 1)),
                Case("of a half-closed stream", halfClosed, window(1, 0x7FFF_FFFF)),
            ]),
        Rule(
            "6.9.1", "the connection's window is 2^31 - 1 at most", .goAway(.flowControlError),
            [Case("one increment", window(0, 0x7FFF_FFFF)), Case("two", window(0, 0x7FFF_0000), window(0, 1))]),
        Rule(
            "6.9.1", "a window may be 2^31 - 1", .answered(201),
            [
                Case("of a stream", open, window(1, 0x7FFF_0000), data(1, "rule")),
                Case("of the connection", window(0, 0x7FFF_0000), whole),
            ]),
        Rule(
            "6.9.1", "a client sends no more than it was given", .reset(.flowControlError), level: .may,
            [
                Case(
                    "while an older stream's body comes first, and the connection's budget is used up",
                    join(open, headers(3, request())),
                    Array((0..<200).flatMap { _ in data(3, zeros(16_384), end: false) }), on: 3)
            ]),
        Rule(
            "6.9.2", "the window of a stream changes with the initial window", .answered(200),
            [
                Case("more", settings((4, 10)), get(1, "/large"), settings((4, 15)), look: came(15)),
                Case(
                    "less, while nothing was sent", settings((4, 0)), get(1, "/large"), settings((4, 5)), look: came(5)),
            ]),
        Rule(
            "6.9.2", "a negative window is filled before anything is sent", .answered(200),
            [
                Case(
                    "not filled", settings((4, 10)), get(1, "/large"), settings((4, 0)), window(1, 10), look: came(10)),
                Case("filled", settings((4, 10)), get(1, "/large"), settings((4, 0)), window(1, 13), look: came(13)),
                Case(
                    "by the settings", settings((4, 10)), get(1, "/large"), settings((4, 0)), settings((4, 12)),
                    look: came(12)),
            ]),
        Rule(
            "6.9.2", "a setting doesn't push a window over its maximum", .goAway(.flowControlError),
            [
                Case(
                    "of a stream that waits", settings((4, 0)), get(1, "/large"), window(1, 0x7FFF_FFFF),
                    settings((4, 0x7FFF_FFFF))),
                Case(
                    "of one whose body arrives", settings((4, 0)), open, window(1, 1), settings((4, 0x7FFF_FFFF))),
            ]),
        Rule(
            "6.9.2", "settings don't change the connection's window", .answered(200),
            [Case("more", settings((4, 1 << 20)), get(1, "/large"), settings((4, 1 << 21)), look: came(65_535))]),
    ]
}
