import FoundationEssentials
import HTTPContract
import HTTPTypes
import Running
import Serving
import TestSupport
import Testing

/// The documents on the admin port, and that handlers keep to them.
@Suite(.timeLimit(.minutes(5))) struct DocumentTests {
    /// The parts of a document that these tests look at.
    private struct Document: Decodable {
        struct Operation: Decodable {
            struct Answer: Decodable {
                struct Content: Decodable {
                    struct Schema: Decodable {
                        struct Property: Decodable {
                            let names: [String]?

                            private enum CodingKeys: String, CodingKey { case names = "enum" }
                        }

                        let properties: [String: Property]
                        let required: [String]
                    }

                    let schema: Schema
                }

                let description: String
                let content: [String: Content]?
            }

            let summary: String
            let tags: [String]
            let security: [[String: [String]]]
            let responses: [String: Answer]
        }

        let openapi: String
        let paths: [String: [String: Operation]]
    }

    private func document(_ listener: Listener) async throws -> Document {
        try await withService(listeners: [listener]) { runtime in
            let url = "http://127.0.0.1:\(try await runtime.adminPort)/openapi/\(listener.name).json"
            let answer = try await send(.GET, url)
            #expect(answer.status == 200)
            #expect(answer.fields["content-type"] == ["application/json"])
            return try JSONDecoder().decode(Document.self, from: Data(answer.body.utf8))
        }
    }

    @Test("a document names every operation of its listener, and nothing else")
    func operations() async throws {
        let document = try await document(
            Listener.plain { routes in
                routes.on(TestAPI.greet) { request, _ in Welcome(text: request.name) }
                routes.on(.get, "/by-hand") { _ in throw Problem.badRequest }
            })
        #expect(document.openapi == "3.1.0")
        #expect(document.paths.mapValues { $0.keys.sorted() } == ["/greet": ["post"]])
        #expect(document.paths["/greet"]?["post"]?.summary == TestAPI.greet.summary)
    }

    @Test("a document lists every status that can come")
    func statuses() async throws {
        let greet = try #require(try await document(Listener.greeting(.plain)).paths["/greet"]?["post"])
        #expect(greet.responses.keys.sorted() == ["200", "400", "408", "409", "413", "415", "503"])
        #expect(greet.responses["409"]?.description == TestAPI.greet.refusals[.conflict])
        #expect(greet.security == [[:]])
    }

    @Test("a document describes the bodies of refusals where the contract lists error codes, and nowhere else")
    func errorCodes() async throws {
        let coded = Endpoint<Greeting, Welcome>(
            .post, "/coded", callers: [], bodyLimit: 64, summary: "Refuses with a code.",
            errorCodes: [ErrorCode(rawValue: "USED"), ErrorCode(rawValue: "TOO_OLD")],
            refusals: [.forbidden: "It is used.", .tooManyRequests: "It is too much.", .serviceUnavailable: "Not yet."])
        let document = try await document(
            Listener.plain { routes in
                routes.on(coded) { _, _ in throw Problem.forbidden }
                routes.on(TestAPI.greet) { request, _ in Welcome(text: request.name) }
            })
        let answers = try #require(document.paths["/coded"]?["post"]?.responses)
        let refusals = answers.filter { $0.key != "200" && $0.value.content != nil }
        #expect(refusals.keys.sorted() == ["403", "429"])
        for (_, refusal) in refusals {
            #expect(refusal.content?.keys.sorted() == ["application/json"])
            let schema = try #require(refusal.content?["application/json"]?.schema)
            #expect(schema.required == ["errorCode"])
            #expect(schema.properties["errorCode"]?.names == ["TOO_OLD", "USED"])
        }
        let greet = try #require(document.paths["/greet"]?["post"]?.responses)
        #expect(greet.filter { $0.value.content != nil }.keys.sorted() == ["200"])
    }

    @Test("where callers have certificates, a document names their roles, each of which is enough")
    func roles() async throws {
        let certificates = try TestCertificates()
        let files = try certificates.files(role: .testResultServer)
        let document = try await document(Listener.greeting(.mutualTLS(files)))
        // Its files go with it.
        withExtendedLifetime(certificates) {}
        let greet = try #require(document.paths["/greet"]?["post"])
        #expect(greet.tags == ["lab", "portal"])
        #expect(greet.security == [["certificate": ["lab"]], ["certificate": ["portal"]]])
        #expect(greet.responses["403"] != nil)
        let ping = try #require(document.paths["/ping"]?["get"])
        #expect(ping.responses["204"] != nil)
        #expect(ping.responses["415"] == nil)
    }

    @Test("a listener without an operation has no document")
    func none() async throws {
        let listener = Listener.plain { routes in
            routes.on(.get, "/by-hand") { _ in throw Problem.badRequest }
        }
        try await withService(listeners: [listener]) { runtime in
            let admin = "http://127.0.0.1:\(try await runtime.adminPort)"
            #expect(try await send(.GET, admin + "/openapi/app.json").status == 404)
        }
    }

    @Test(
        "a refusal that the document doesn't list is told to the operator",
        arguments: [(HTTPResponse.Status.conflict, false), (.gone, true), (.badRequest, false)])
    func undocumented(status: HTTPResponse.Status, isTold: Bool) async throws {
        let log = CapturedLog()
        let listener = Listener.plain { routes in
            routes.on(TestAPI.greet) { _, _ in throw Problem(status) }
        }
        try await withService(listeners: [listener], logger: log.logger()) { _ in
            let url = "http://127.0.0.1:\(try await listener.boundPort)/greet"
            #expect(try await post(url, #"{"name":"Ada"}"#).status == status.code)
        }
        #expect(log.lines.contains { $0.contains("a refusal is not in the contract") } == isTold)
    }
}
