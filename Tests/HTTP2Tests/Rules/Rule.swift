import Testing

@testable import HTTP2

/// One requirement of RFC 9113 or RFC 7541 on a server, and frames that try it.
struct Rule: Sendable {
    enum Level: Sendable { case must, should, may }

    /// What a server does.
    enum Reaction: Hashable, Sendable {
        /// It answers with this status, and the connection goes on.
        case answered(Int)
        /// It resets the stream, and the connection goes on.
        case reset(HTTP2Code)
        /// It sends GOAWAY and closes; the handler never gets the whole of the stream's request.
        case goAway(HTTP2Code)
        /// It neither answers nor objects, and the connection goes on.
        case nothing
    }

    /// Why a server does something else than the section says first, and may.
    enum Licence: Sendable {
        /// RFC 9113, section 5.4.1: an error of a stream may be treated as one of the connection.
        case connectionInstead
        /// Section 5.4: any code that applies may be used, and a generic one always.
        case otherCode
        /// Section 8.1.1: a malformed request may be answered before.
        case answered
        /// Section 5.1: on a stream that we have ended, frames may be processed minimally.
        case minimal
        /// Section 10.5: use that is suspicious may end a connection.
        case suspicious
        /// It may not.
        case deviation(String)
    }

    struct Case: Sendable {
        let title: String
        /// Sent one after the other, each when the server has reacted to the one before.
        let parts: [[UInt8]]
        let stream: Int32
        let start: [UInt8]
        let settings: [UInt8]
        let reaction: Reaction?
        let licence: Licence?
        /// Whether no request can follow: the client has sent GOAWAY, or used the last number.
        let isLast: Bool
        /// Public reports of servers that failed here.
        let reports: [String]
        /// What else is to be looked at, before the handlers of `/later` answer; what is wrong, or nil.
        let look: @Sendable (RuleStage) -> String?

        init(
            _ title: String, _ parts: [UInt8]..., on stream: Int32 = 1, start: [UInt8] = preface,
            settings: [UInt8] = HTTP2Tests.settings(), is reaction: Reaction? = nil, licence: Licence? = nil,
            isLast: Bool = false,
            reports: [String] = [], look: @escaping @Sendable (RuleStage) -> String? = { _ in nil }
        ) {
            self.title = title
            self.parts = parts
            self.stream = stream
            self.start = start
            self.settings = settings
            self.reaction = reaction
            self.licence = licence
            self.isLast = isLast
            self.reports = reports
            self.look = look
        }
    }

    let section: String
    /// In our words.
    let text: String
    let level: Level
    /// What the section says first.
    let demands: Reaction
    let cases: [Case]

    init(_ section: String, _ text: String, _ demands: Reaction, level: Level = .must, _ cases: [Case]) {
        self.section = section
        self.text = text
        self.demands = demands
        self.level = level
        self.cases = cases
    }

    /// Requirements that frames of one connection can't try, each with the file that does, or why nothing can.
    static let elsewhere: [(section: String, text: String, file: String?, reason: String)] = [
        ("3.2", "HTTP/2 is agreed on in the handshake", "Tests/TLSTests/HandshakeTests.swift", ""),
        (
            "4.3.1", "a block behind the acknowledgement of a smaller table begins with its size", nil,
            "our SETTINGS leave the table as it is"
        ),
        (
            "5.2.2", "frames are read as soon as they are there", "Tests/HTTP2Tests/ReportTests.swift",
            "a deviation: nothing is read while 64 KiB of answers wait for a client that doesn't read them, because its frames "
                + "would only ask for more (CVE-2019-9517); a client that waits to read until it has written loses its "
                + "connection when the time for its answers is over"
        ),
        (
            "6.8", "streams above GOAWAY's last one are ignored, their state kept",
            "Tests/HTTP2Tests/ReportTests.swift", ""
        ),
        ("6.9.3", "data beyond a window that was made smaller is taken", nil, "we make no window smaller"),
        ("8.1.1", "a malformed request isn't forwarded", "Tests/Live/hostile/http2.py", ""),
        ("8.2.1", "a field that is forbidden isn't forwarded", "Tests/Live/hostile/http2.py", ""),
        ("8.3.1", "Host is made from the authority", "Tests/Live/hostile/smuggling.py", ""),
        ("8.4", "what is pushed is safe, and ours", nil, "nothing is pushed, which `Conduct` watches"),
        ("8.5", "an error of a tunnel resets its TCP connection", nil, "there is no tunnel"),
        ("9.2", "TLS has version 1.2 or above, and names of servers", "Tests/Live/hostile/tls.py", ""),
        ("9.2.1", "TLS 1.2 has no compression and no renegotiation", "Tests/TLSTests/StreamTests.swift", ""),
        ("9.2.2", "TLS 1.2 has suites that aren't prohibited", "Tests/Live/hostile/tls.py", ""),
        ("9.2.3", "certificates aren't asked for behind the handshake", "Tests/TLSTests/HandshakeTests.swift", ""),
        ("10.3", "fields are validated before they are translated", "Tests/Live/hostile/http2.py", ""),
        (
            "RFC 7541 4.2", "two changes of a table's size are said at the beginning of a block",
            "Tests/HTTP2Tests/PaddingTests.swift", ""
        ),
        (
            "RFC 7541 7.1.3", "a field that is never indexed stays so when it is forwarded", nil,
            "the proxy forwards no field lines, but makes its requests anew"
        ),
    ]

    static let all: [Rule] =
        connection + framing + blocks + streams + frames + settingsRules + windows + messages
        + fields + control + compression
}

/// A case beside its rule, as an argument of a test.
struct Trial: CustomTestStringConvertible, CustomStringConvertible, Sendable {
    let rule: Rule
    let trial: Rule.Case

    var expected: Rule.Reaction { trial.reaction ?? rule.demands }
    var description: String { "\(rule.section), \(rule.text): \(trial.title)" }
    var testDescription: String {
        trial.reports.isEmpty ? description : "\(description) (\(trial.reports.joined(separator: ", ")))"
    }

    static let all = Rule.all.flatMap { rule in rule.cases.map { Trial(rule: rule, trial: $0) } }

    /// A stream that no case uses.
    static let later: Int32 = 0x4001

    /// Plays the case; what is wrong if the server should react so.
    func objections(to expected: Rule.Reaction) -> [String] {
        let stage = RuleStage()
        stage.send(trial.start + trial.settings)
        for part in trial.parts { stage.send(part) }
        var objections: [String] = []
        if let text = trial.look(stage) { objections.append(text) }
        stage.answerNow()
        let seen = Self.reaction(stage, trial.stream)
        if seen != expected { objections.append("the server's reaction is \(seen), not \(expected)") }
        objections += Conduct.objections(to: stage.frames)
        if case .goAway = seen {
            objections += Self.end(stage, trial.stream)
        } else if !trial.isLast {
            objections += Self.goesOn(stage)
        }
        return objections
    }

    private static func reaction(_ stage: RuleStage, _ stream: Int32) -> Rule.Reaction {
        for frame in stage.frames where frame.type == Frame.goAway && frame.code != 0 {
            return .goAway(HTTP2Code(rawValue: frame.code))
        }
        for frame in stage.frames where frame.type == Frame.reset && frame.stream == stream && frame.code != 0 {
            return .reset(HTTP2Code(rawValue: frame.code))
        }
        return stage.status(stream).flatMap { Int($0) }.map { .answered($0) } ?? .nothing
    }

    /// What is wrong with the end of a connection (RFC 9113, sections 5.4.1, 6.8 and 8.7).
    private static func end(_ stage: RuleStage, _ stream: Int32) -> [String] {
        var objections: [String] = []
        if !stage.isClosed { objections.append("the connection stays open behind GOAWAY") }
        guard let last = stage.frames.last, last.type == Frame.goAway else {
            return objections + ["something is sent behind GOAWAY"]
        }
        if let highest = stage.requests.keys.max(), last.number(at: 0) < UInt32(highest) {
            objections.append("GOAWAY says that stream \(highest) wasn't processed, but a handler has it")
        }
        return objections
    }

    /// What is wrong with a connection that should go on.
    private static func goesOn(_ stage: RuleStage) -> [String] {
        let payload = Array("it lives!".utf8.prefix(8))
        let ping = Frame(type: Frame.ping, payload: payload).bytes
        stage.send(ping + headers(later, request(changes: [":method": "GET", ":path": "/goes-on"]), end: true))
        var objections: [String] = []
        if !stage.frames.contains(where: { $0.type == Frame.ping && $0.payload == payload }) {
            objections.append("PING isn't answered any more")
        }
        if stage.status(later) != "201" { objections.append("the next request isn't answered any more") }
        return objections
    }
}

/// What a server itself may send.
enum Conduct {
    /// The sections of the rules, each with what breaks it.
    static let rules: [(section: String, text: String, breach: [Frame])] = [
        ("3.4", "SETTINGS come first", [Frame(type: Frame.ping, payload: zeros)]),
        (
            "4.1", "a flag without meaning isn't set",
            [preface, Frame(type: Frame.reset, flags: 1, stream: 1, payload: four)]
        ),
        ("4.1", "the reserved bit isn't set", [preface, Frame(type: Frame.reset, stream: .min + 1, payload: four)]),
        (
            "4.2", "a frame has 2^14 bytes at most",
            [preface, Frame(type: Frame.data, stream: 1, payload: [UInt8](repeating: 0, count: 16_385))]
        ),
        ("5.1", "nothing follows the end of a stream", [preface, ended, Frame(type: Frame.data, stream: 1)]),
        (
            "6.5.2", "SETTINGS_ENABLE_PUSH isn't 1",
            [Frame(type: Frame.settings, payload: [0, 2, 0, 0, 0, 1])]
        ),
        ("6.6", "nothing is pushed", [preface, Frame(type: Frame.promise, stream: 1, payload: four)]),
        (
            "6.8", "the last stream of GOAWAY doesn't grow",
            [
                preface, Frame(type: Frame.goAway, payload: UInt32(1).big + four),
                Frame(type: Frame.goAway, payload: UInt32(3).big + four),
            ]
        ),
        ("8.1", "an interim answer doesn't end a stream", [preface, interim]),
        ("8.2", "names are in lower case", [preface, answer([(":status", "200"), ("Server", "x")])]),
        (
            "8.2.2", "fields of the connection aren't sent",
            [preface, answer([(":status", "200"), ("connection", "x")])]
        ),
        ("8.3", "pseudo-fields come first", [preface, answer([("server", "x"), (":status", "200")])]),
        ("8.3.2", "there is one status", [preface, answer([("server", "x")])]),
        ("8.6", "the status isn't 101", [preface, answer([(":status", "101")])]),
    ]

    private static let zeros = [UInt8](repeating: 0, count: 8)
    private static let four: [UInt8] = [0, 0, 0, 0]
    private static let preface = Frame(type: Frame.settings)
    private static let ended = Frame(
        type: Frame.headers, flags: Frame.endHeaders | Frame.endStream, stream: 1, payload: block([(":status", "200")]))
    private static let interim = Frame(
        type: Frame.headers, flags: Frame.endHeaders | Frame.endStream, stream: 1, payload: block([(":status", "100")]))
    private static func answer(_ fields: Pairs) -> Frame {
        Frame(type: Frame.headers, flags: Frame.endHeaders, stream: 1, payload: block(fields))
    }

    private static let meanings: [UInt8: UInt8] = [
        Frame.data: 0x09, Frame.headers: 0x2D, Frame.settings: 1, Frame.ping: 1, Frame.continuation: 4,
    ]

    static func objections(to frames: [Frame]) -> [String] {
        var found: [String] = []
        let decoder = Decoder()
        var ended: Set<Int32> = []
        var reset: Set<Int32> = []
        var last = UInt32.max
        if let first = frames.first, first.type != Frame.settings || first.flags != 0 || first.stream != 0 {
            found.append("3.4: SETTINGS don't come first")
        }
        for frame in frames {
            if frame.flags & ~(meanings[frame.type] ?? 0) != 0 { found.append("4.1: a flag without meaning") }
            if frame.stream < 0 { found.append("4.1: the reserved bit") }
            if frame.payload.count > 16_384 { found.append("4.2: a frame of \(frame.payload.count) bytes") }
            if frame.type == Frame.promise { found.append("6.6: a push") }
            // Behind END_STREAM the stream may still be reset, and its window opened.
            let isMessage = frame.type == Frame.data || frame.type == Frame.headers
            if reset.contains(frame.stream) || (isMessage && ended.contains(frame.stream)) {
                found.append("5.1: a frame of type \(frame.type) behind the end of stream \(frame.stream)")
            }
            if frame.endsStream { ended.insert(frame.stream) }
            if frame.type == Frame.reset { reset.insert(frame.stream) }
            if frame.type == Frame.settings {
                for start in stride(from: 0, to: frame.payload.count, by: 6) where frame.payload[start + 1] == 2 {
                    if frame.number(at: start + 2) != 0 { found.append("6.5.2: SETTINGS_ENABLE_PUSH") }
                }
            }
            if frame.type == Frame.goAway {
                if frame.number(at: 0) > last { found.append("6.8: GOAWAY's last stream grows") }
                last = frame.number(at: 0)
            }
            if frame.type == Frame.headers { found += objections(to: decoder.fields(frame.payload), frame) }
        }
        return found
    }

    private static func objections(to fields: Pairs, _ frame: Frame) -> [String] {
        var found: [String] = []
        let statuses = fields.filter { $0.0 == ":status" }.map(\.1)
        if statuses.count != 1 { found.append("8.3.2: \(statuses.count) statuses") }
        if statuses.first == "101" { found.append("8.6: status 101") }
        if statuses.first?.first == "1", frame.endsStream { found.append("8.1: an interim answer ends the stream") }
        if fields.first?.0 != ":status" { found.append("8.3: the status isn't first") }
        let connection = ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]
        for (name, _) in fields {
            if name.utf8.contains(where: { (0x41...0x5A).contains($0) }) { found.append("8.2: the name \(name)") }
            if connection.contains(name) { found.append("8.2.2: the field \(name)") }
        }
        return found
    }
}
