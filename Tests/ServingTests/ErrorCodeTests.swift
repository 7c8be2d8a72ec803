import HTTPContract
import HTTPTypes
import Running
import Serving
import TestSupport
import Testing

/// What the body of a refusal says, and answers whose content decides about their status.
@Suite(.timeLimit(.minutes(5))) struct ErrorCodeTests {
    private static let listed = ErrorCode(rawValue: "TOO_OLD")
    private static let unlisted = ErrorCode(rawValue: "CANARY")

    /// An answer whose text decides about its status.
    private struct Verdict: JSONMessage {
        let text: String

        static let schema = JSONSchema.object(["text": .text()])

        func encoded() throws -> EncodedMessage {
            var message = EncodedMessage(body: try encodedBody())
            if text == "used" { message.status = .badRequest }
            return message
        }
    }

    private static let coded = Endpoint<Greeting, Welcome>(
        .post, "/coded", callers: [], bodyLimit: 64, summary: "Refuses with a code.", errorCodes: [listed],
        refusals: [
            .badRequest: "It is malformed.", .unauthorized: "Nobody is known.", .forbidden: "It is too old.",
            .tooManyRequests: "It is too much.", .serviceUnavailable: "It is too early.",
        ])
    private static let plain = Endpoint<Greeting, Welcome>(
        .post, "/plain", callers: [], bodyLimit: 64, summary: "Refuses without a code.",
        refusals: [.forbidden: "It is too old."])
    private static let verdict = Endpoint<Greeting, Verdict>(
        .post, "/verdict", callers: [], bodyLimit: 64, success: .created, summary: "Decides about its status.",
        refusals: [.badRequest: "It was used before, as the body says."])

    private static func listener(refusing problem: Problem = Problem(.forbidden)) -> Listener {
        Listener.plain { routes in
            routes.on(coded) { _, _ in throw problem }
            routes.on(plain) { _, _ in throw problem }
            routes.on(verdict) { request, _ in Verdict(text: request.name) }
        }
    }

    private static func answer(
        to path: String, _ listener: Listener, body: String = #"{"name":"Ada"}"#, logger: CapturedLog? = nil
    ) async throws -> Answer {
        let log = logger ?? CapturedLog()
        return try await withService(listeners: [listener], logger: log.logger()) { _ in
            try await post("http://127.0.0.1:\(try await listener.boundPort)\(path)", body)
        }
    }

    @Test(
        "a code that the route lists is the body of the refusal",
        arguments: [HTTPResponse.Status.badRequest, .unauthorized, .forbidden, .tooManyRequests])
    func written(status: HTTPResponse.Status) async throws {
        let log = CapturedLog()
        let answer = try await Self.answer(
            to: "/coded", Self.listener(refusing: Problem(status, code: Self.listed)), logger: log)
        #expect(answer.status == status.code)
        #expect(answer.body == #"{"errorCode":"TOO_OLD"}"#)
        #expect(answer.fields["content-type"] == ["application/json"])
        #expect(answer.fields["cache-control"] == ["no-store"])
        #expect(answer.fields["www-authenticate"] == (status == .unauthorized ? ["Bearer"] : []))
        #expect(log.lines.allSatisfy { !$0.contains("TOO_OLD") && !$0.contains("not in the contract") })
    }

    @Test("a code that the route doesn't list is not written", arguments: ["/coded", "/plain"])
    func unlisted(path: String) async throws {
        let answer = try await Self.answer(
            to: path, Self.listener(refusing: Problem(.forbidden, code: Self.unlisted)))
        #expect(answer.status == 403)
        #expect(answer.body.isEmpty)
        #expect(answer.fields["content-type"].isEmpty)
    }

    @Test("a code is not written on a route that lists none")
    func noneListed() async throws {
        let answer = try await Self.answer(
            to: "/plain", Self.listener(refusing: Problem(.forbidden, code: Self.listed)))
        #expect(answer.status == 403)
        #expect(answer.body.isEmpty)
    }

    @Test(
        "what the listener refuses by itself has no body",
        arguments: [("{", 400), (String(repeating: "x", count: 65), 413)])
    func byListener(body: String, status: Int) async throws {
        let answer = try await Self.answer(to: "/coded", Self.listener(), body: body)
        #expect(answer.status == status)
        #expect(answer.body.isEmpty)
    }

    @Test("a code doesn't displace the time to wait")
    func retryAfter() async throws {
        let problem = Problem(.serviceUnavailable, code: Self.listed, retryAfter: 7)
        let answer = try await Self.answer(to: "/coded", Self.listener(refusing: problem))
        #expect(answer.status == 503)
        #expect(answer.fields["retry-after"] == ["7"])
    }

    @Test(
        "an answer's content may demand another status than its endpoint's", arguments: [("valid", 201), ("used", 400)])
    func status(text: String, status: Int) async throws {
        let log = CapturedLog()
        let answer = try await Self.answer(
            to: "/verdict", Self.listener(), body: #"{"name":"\#(text)"}"#, logger: log)
        #expect(answer.status == status)
        #expect(answer.body == #"{"text":"\#(text)"}"#)
        #expect(answer.fields["content-type"] == ["application/json"])
        #expect(log.lines.allSatisfy { !$0.contains("not in the contract") })
    }

    @Test("an answer is counted with the status that it has")
    func counted() async throws {
        let listener = Self.listener()
        let metrics = try await withService(listeners: [listener]) { runtime in
            _ = try await post("http://127.0.0.1:\(try await listener.boundPort)/verdict", #"{"name":"used"}"#)
            return runtime.metrics
        }
        // Counted after the answer, but before the service ends.
        #expect(metrics.text.contains(#"route="/verdict",status="400"} 1"#))
    }
}
