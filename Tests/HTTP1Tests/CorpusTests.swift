import HTTP1
import HTTPMessage
import Testing

/// The corpus of the live check, read by the parser with a model of the proxy behind it.
@Suite("Hostile requests")
struct CorpusTests {
    /// The most bytes of a body on each path, and its media type.
    private static let routes: [String: (limit: Int, media: String)] = [
        "/version/v1/tan": (10_000, "application/json"), "/version/v1/registrationToken": (10_000, "application/json"),
        "/version/v1/diagnosis-keys": (100_000, "application/x-protobuf"), "/health": (4096, "application/json"),
        "/health/batch": (4096, "application/json"), "/keys": (32768, "application/json"),
    ]

    /// What a client gets, and what a service sees.
    private struct Outcome: Equatable {
        var answers: [String] = []
        var forwarded: [[UInt8]] = []
        var isClosed = false
    }

    private static func run(_ pieces: [[UInt8]]) -> Outcome {
        var outcome = Outcome()
        let reading = readRequests(pieces)
        for message in reading.messages where message.isComplete {
            let parts = message.head.split(separator: " ")
            let route = routes[String(parts[1].prefix { $0 != "?" })]
            let media = parts.first { $0.hasPrefix("content-type=") }?.dropFirst("content-type=".count)
            if let status = status(parts[0], route, media, message.body.count) {
                outcome.answers.append(status)
            } else {
                outcome.answers.append("forwarded")
                outcome.forwarded.append(message.body)
            }
            outcome.isClosed = parts.contains("close")
        }
        if let violation = reading.violation {
            outcome.answers.append(String(violation))
            outcome.isClosed = true
        } else if let last = reading.messages.last, !last.isComplete {
            // A service refuses a length over its limit at once; else the connection's time ends.
            outcome.answers.append(last.head.contains("length(4294967304)") ? "413" : "408")
            outcome.isClosed = true
        }
        return outcome
    }

    private static func status(
        _ method: Substring, _ route: (limit: Int, media: String)?, _ media: Substring?, _ size: Int
    ) -> String? {
        guard let route else { return "404" }
        if method != "POST" { return "405" }
        if media.map({ $0 != route.media }) ?? true { return "415" }
        return size > route.limit ? "413" : nil
    }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        String(decoding: bytes, as: UTF8.self).contains(String(decoding: part, as: UTF8.self))
    }

    @Test("only well-formed requests get through, and all is answered in order")
    func corpus() throws {
        let cases = try CorpusCase.all()
        #expect(cases.count >= 223)
        for one in cases {
            let isProbed = one.then == "probe" || one.then == "close"
            let probe =
                Array(
                    "POST /version/v1/tan HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n".utf8)
                + Array("Content-Length: 8\r\n\r\n".utf8) + one.probe
            let bytes = one.raw + (isProbed ? probe : [])
            let outcome = Self.run([bytes])
            if bytes.count < 50_000 { #expect(outcome == Self.run(single(bytes)), "\(one)") }
            Self.judge(one, outcome, isProbed: isProbed)
        }
    }

    private static func judge(_ one: CorpusCase, _ outcome: Outcome, isProbed: Bool) {
        var answers = outcome.answers[...]
        var forwarded = outcome.forwarded[...]
        for (allowed, body) in zip(one.answers, one.bodies) {
            guard isProbed else {
                #expect(outcome.forwarded.isEmpty, "\(one): what was never finished gets through")
                // Its end, or 408, comes from the connection.
                return
            }
            guard let answer = answers.popFirst() else {
                #expect(outcome.isClosed && allowed.contains("close"), "\(one): neither an answer nor an end")
                break
            }
            #expect(allowed.contains(answer), "\(one): \(answer)")
            if answer == "forwarded" {
                let got = forwarded.popFirst()
                #expect(got == body, "\(one): another body gets through")
                #expect(body.starts(with: one.hidden) == false)
            }
        }
        if one.then == "close" {
            #expect(outcome.isClosed && answers.isEmpty, "\(one): the connection goes on")
        } else if let answer = answers.popFirst() {
            // The request behind it, or the refusal of bytes that had seemed to belong to the request before.
            #expect(
                (answer == "forwarded" && forwarded.popFirst() == one.probe) || answer == "400", "\(one): \(answer)")
        } else {
            #expect(outcome.isClosed, "\(one): the request behind it is neither answered nor refused")
        }
        #expect(answers.isEmpty && forwarded.isEmpty, "\(one): more answers than requests")
    }
}
