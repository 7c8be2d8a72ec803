import Calling
import FoundationEssentials
import HTTPContract
import HTTPTypes
import Serving
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct MountingTests {
    private struct Secretive: Error {}
    private struct Overloaded: ProblemConvertible {
        var problem: Problem { Problem(.serviceUnavailable, retryAfter: 7) }
    }

    /// A request and the status it must get.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var method = "POST"
        var path = "/greet"
        var type: String? = "application/json"
        var body = #"{"name":"Ada"}"#
        let status: Int

        private static func greeting(bytes: Int) -> String {
            #"{"name":"\#(String(repeating: "x", count: bytes - 11))"}"#
        }

        static let all = [
            Case(testDescription: "a good request", status: 200),
            Case(testDescription: "a query changes nothing", path: "/greet?a=b", status: 200),
            Case(testDescription: "a body at the limit", body: greeting(bytes: 64), status: 200),
            Case(testDescription: "a body one byte over the limit", body: greeting(bytes: 65), status: 413),
            Case(testDescription: "an unknown path", path: "/nowhere", status: 404),
            Case(testDescription: "a path with a slash more", path: "/greet/", status: 404),
            Case(testDescription: "an encoded path", path: "/gree%74", status: 404),
            Case(testDescription: "another method", method: "PUT", status: 405),
            Case(testDescription: "a HEAD", method: "HEAD", body: "", status: 405),
            Case(testDescription: "another media type", type: "text/plain", status: 415),
            Case(testDescription: "no media type", type: nil, status: 415),
            Case(testDescription: "broken JSON", body: "{", status: 400),
            Case(testDescription: "no body", body: "", status: 400),
            Case(testDescription: "a handler's problem", path: "/problem", status: 429),
            Case(testDescription: "an error that knows its answer", path: "/overloaded", status: 503),
            Case(testDescription: "an unknown error", path: "/failing", status: 500),
            Case(testDescription: "a failed call", path: "/calling", status: 503),
        ]
    }

    private func listener() -> Listener {
        Listener.plain { routes in
            routes.on(TestAPI.greet) { request, _ in Welcome(text: request.name) }
            routes.on(endpoint("/problem")) { _, _ in throw Problem.tooManyRequests }
            routes.on(endpoint("/overloaded")) { _, _ in throw Overloaded() }
            routes.on(endpoint("/failing")) { _, _ in throw Secretive() }
            routes.on(endpoint("/calling")) { _, _ in throw CallError.refused(.unauthorized) }
        }
    }

    private func endpoint(_ path: String) -> Endpoint<Greeting, Welcome> {
        Endpoint(.post, path, callers: [], bodyLimit: 64, summary: "For a test.")
    }

    @Test("a request gets the status it deserves", arguments: Case.all)
    func statuses(row: Case) async throws {
        let listener = listener()
        try await withService(listeners: [listener]) { _ in
            let answer = try await send(
                try #require(HTTPRequest.Method(row.method)),
                "http://127.0.0.1:\(try await listener.boundPort)\(row.path)",
                headers: row.type.map { [("content-type", $0)] } ?? [], body: row.body.isEmpty ? nil : row.body)
            #expect(answer.status == row.status)
            #expect(answer.fields["cache-control"] == ["no-store"])
            #expect(answer.fields["server"].isEmpty)
            #expect(answer.fields["date"].count == 1)
            #expect(answer.fields.filter { $0.name.lowercased().hasPrefix("x-") }.isEmpty)
            if row.status == 200 {
                #expect(answer.fields["content-type"] == ["application/json"])
            } else {
                #expect(answer.body.isEmpty)
                #expect(answer.fields["content-type"].isEmpty)
            }
        }
    }

    @Test("405 names the methods there are, and a problem its time to wait")
    func fields() async throws {
        let listener = listener()
        try await withService(listeners: [listener]) { _ in
            let url = "http://127.0.0.1:\(try await listener.boundPort)"
            #expect(try await send(.PUT, url + "/greet").fields["allow"] == ["POST"])
            #expect(try await post(url + "/overloaded", #"{"name":"a"}"#).fields["retry-after"] == ["7"])
        }
    }

    @Test("an answer without content has no body and no type")
    func noContent() async throws {
        let listener = Listener.greeting(.plain)
        try await withService(listeners: [listener]) { _ in
            let answer = try await send(.GET, "http://127.0.0.1:\(try await listener.boundPort)/ping")
            #expect(answer.status == 204)
            #expect(answer.body.isEmpty)
            #expect(answer.fields["content-type"].isEmpty)
        }
    }

    @Test("what no route knows goes to the fallback, as it came")
    func fallback() async throws {
        let listener = Listener.plain { routes in
            routes.on(TestAPI.greet) { request, _ in Welcome(text: request.name) }
            routes.fallback { exchange in
                let body = try await exchange.body(upTo: 10)
                return Response(
                    status: .accepted,
                    body: Array("\(exchange.path) \(String(decoding: body, as: UTF8.self))".utf8))
            }
        }
        try await withService(listeners: [listener]) { _ in
            let url = "http://127.0.0.1:\(try await listener.boundPort)"
            #expect(try await post(url + "/greet", #"{"name":"Ada"}"#).body == #"{"text":"Ada"}"#)
            let answer = try await post(url + "/any/where?x=y", "0123456789")
            #expect(answer.status == 202)
            #expect(answer.body == "/any/where 0123456789")
            #expect(answer.fields["cache-control"].isEmpty)
            #expect(try await post(url + "/any/where", "0123456789a").status == 413)
        }
    }

    @Test("only fields of the contract reach a message and leave with an answer")
    func closedFields() async throws {
        let listener = Listener.plain { routes in
            routes.on(Endpoint<Labelled, Labelled>(.post, "/label", callers: [], bodyLimit: 64, summary: "For a test."))
            { request, _ in request
            }
        }
        try await withService(listeners: [listener]) { _ in
            let answer = try await send(
                .POST, "http://127.0.0.1:\(try await listener.boundPort)/label",
                headers: [("content-type", "application/json"), ("label", "a"), ("other", "b")], body: "{}")
            #expect(answer.status == 200)
            #expect(answer.fields["label"] == ["a"])
            #expect(answer.fields["count"].isEmpty)
        }
    }

    @Test("who lacks a token is told of what kind it must be (RFC 9110, 11.6.1)")
    func challenge() async throws {
        let listener = Listener.plain { routes in
            routes.on(TestAPI.greet) { _, _ in throw Problem.unauthorized }
        }
        try await withService(listeners: [listener]) { _ in
            let answer = try await post("http://127.0.0.1:\(try await listener.boundPort)/greet", #"{"name":"Ada"}"#)
            #expect(answer.status == 401)
            #expect(answer.fields["www-authenticate"] == ["Bearer"])
        }
    }

    /// Takes one field, and tries to send one that it didn't announce.
    private struct Labelled: WireMessage {
        static let label = HTTPField.Name("label")
        static var mediaType: MediaType? { .json }
        static var headerNames: [HTTPField.Name] { label.map { [$0] } ?? [] }
        let fields: HTTPFields

        init(fields: HTTPFields, body: Data) {
            self.fields = fields
        }

        func encoded() -> EncodedMessage {
            var fields = fields
            if let count = HTTPField.Name("count") { fields[count] = String(fields.count) }
            return EncodedMessage(fields: fields, body: Data("{}".utf8))
        }
    }
}
