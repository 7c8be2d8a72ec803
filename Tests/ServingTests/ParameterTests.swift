import Calling
import FoundationEssentials
import HTTPContract
import HTTPTypes
import Running
import Serving
import TestSupport
import Testing

/// Operations with values in their path and query, between a client and a listener.
@Suite(.timeLimit(.minutes(5))) struct ParameterTests {
    /// Asks for a batch of a day, perhaps from a position on.
    private struct BatchRequest: ParameterizedMessage, Equatable {
        let day: String
        let tag: String
        var from: Int?

        static var mediaType: MediaType? { nil }
        static var headerNames: [HTTPField.Name] { [] }
        static var parameterSchemas: [String: FieldSchema] {
            [
                "day": .required(.text(pattern: "[0-9]{4}-[0-9]{2}-[0-9]{2}")), "tag": .required(.text()),
                "from": .optional(.integer(in: 0...5000)),
            ]
        }

        init(day: String, tag: String, from: Int? = nil) {
            self.day = day
            self.tag = tag
            self.from = from
        }

        init(_ message: EncodedMessage) throws(MalformedMessage) {
            guard let day = message.parameters["day"], let tag = message.parameters["tag"],
                day.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/) != nil
            else { throw MalformedMessage() }
            self.day = day
            self.tag = tag
            if let text = message.parameters["from"] {
                guard let from = Int(text), (0...5000).contains(from) else { throw MalformedMessage() }
                self.from = from
            }
        }

        func encoded() -> EncodedMessage {
            EncodedMessage(
                parameters: URLEncodedValues(
                    ["day": day, "tag": tag].merging(from.map { ["from": String($0)] } ?? [:]) { $1 }))
        }
    }

    /// A batch in one version of its format.
    private struct Batch: WireMessage, Equatable {
        let text: String

        static var mediaType: MediaType? { MediaType("application/protobuf", parameters: ["version": "1.0"]) }
        static var headerNames: [HTTPField.Name] { [] }

        init(text: String) { self.text = text }

        init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
            text = String(decoding: body, as: UTF8.self)
        }

        func encoded() -> EncodedMessage { EncodedMessage(body: Data(text.utf8)) }
    }

    private static let batch = Endpoint<BatchRequest, Batch>(
        .get, "/batches/{day}/{tag}", callers: [.lab], bodyLimit: 0, summary: "Gives a batch.")
    private static let latest = Endpoint<NoContent, Batch>(
        .get, "/batches/latest/all", callers: [.lab], bodyLimit: 0, summary: "Gives the latest batch.")

    private func listener() -> Listener {
        Listener.plain { routes in
            routes.on(Self.batch) { request, _ in
                Batch(text: "\(request.day) \(request.tag) \(request.from.map(String.init) ?? "-")")
            }
            routes.on(Self.latest) { _, _ in Batch(text: "latest") }
        }
    }

    @Test(
        "a client's values arrive as they are meant",
        arguments: ["7", "a b", "a+b", "%2e", "ä&ö=?#", "2020-11-22-7"])
    func roundTrip(tag: String) async throws {
        let listener = listener()
        try await withService(listeners: [listener]) { _ in
            let client = try ServiceClient(
                base: "http://127.0.0.1:\(try await listener.boundPort)", tls: nil, name: "gateway")
            let day = "2026-11-22"
            #expect(
                try await client.call(Self.batch, BatchRequest(day: day, tag: tag)) == Batch(text: "\(day) \(tag) -"))
            #expect(
                try await client.call(Self.batch, BatchRequest(day: day, tag: tag, from: 5))
                    == Batch(text: "\(day) \(tag) 5"))
            #expect(try await client.call(Self.latest, NoContent()) == Batch(text: "latest"))
            await client.close()
        }
    }

    @Test("a client asks for the version that it reads, and refuses another")
    func version() async throws {
        let listener = Listener.plain { routes in
            routes.on(.get, "/batches/latest/all") { exchange in
                let asked = exchange.request.headers[.accept] ?? "-"
                return Response(
                    status: .ok,
                    headers: [.contentType: asked == Batch.mediaType?.text ? "application/protobuf" : asked])
            }
        }
        try await withService(listeners: [listener]) { _ in
            let client = try ServiceClient(
                base: "http://127.0.0.1:\(try await listener.boundPort)", tls: nil, name: "gateway")
            await #expect(throws: CallError.malformedAnswer) { try await client.call(Self.latest, NoContent()) }
            await client.close()
        }
    }

    @Test(
        "what isn't a value of the contract is refused before the handler",
        arguments: [
            ("/batches/2026-11-22/7?from=5000", 200), ("/batches/2026-11-22/7?other=1", 200),
            ("/batches/2026-11-22/7?from=5001", 400), ("/batches/2026-11-22/7?from=1&from=1", 400),
            ("/batches/2026-11-22/7?from=1&fro%6D=1", 400), ("/batches/2026-11-22/7?from=%31", 200),
            ("/batches/2026-11-22/7?from=%3", 400), ("/batches/2026-11-22/%2e%2e", 400),
            ("/batches/2026-11-22/..", 400),
            ("/batches/2026-11-22/a%2Fb", 400), ("/batches/2026-11-22/%00", 400), ("/batches/2026-11-22/a%0d%0ab", 400),
            ("/batches/yesterday/7", 400), ("/batches/2026-11-22/7/", 404), ("/batches/2026-11-22/", 404),
            ("/batches//7", 404), ("/batches/2026-11-22/7?day=2026-11-23", 200),
        ])
    func hostile(path: String, status: Int) async throws {
        let listener = listener()
        let metrics = try await withService(listeners: [listener]) { runtime in
            try await RawConnection.open(port: try await listener.boundPort) { connection in
                try await connection.write("GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                let answer = await connection.readToEnd()
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
                // A value of the query never takes the place of one of the path.
                #expect(!answer.contains("2026-11-23"))
            }
            return runtime.metrics
        }
        // Counted under the template: after the answer, but before the service ends.
        #expect(status == 404 || metrics.text.contains(#"route="/batches/{day}/{tag}",status="\#(status)"} 1"#))
    }

    @Test("a path with more than the listener's limit is refused")
    func overLong() async throws {
        let listener = listener()
        try await withService(listeners: [listener]) { _ in
            let long = String(repeating: "x", count: 20_000)
            try await RawConnection.open(port: try await listener.boundPort) { connection in
                try await connection.write("GET /batches/2026-11-22/\(long) HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(!(await connection.readToEnd()).hasPrefix("HTTP/1.1 200"))
            }
        }
    }

    @Test("a document describes path, query and versioned media types")
    func document() async throws {
        let listener = listener()
        try await withService(listeners: [listener]) { runtime in
            let url = "http://127.0.0.1:\(try await runtime.adminPort)/openapi/app.json"
            let text = try await send(.GET, url).body
            #expect(text.contains(#""/batches/{day}/{tag}""#))
            #expect(text.contains(#""in" : "path""#))
            #expect(text.contains(#""in" : "query""#))
            #expect(text.contains(#""application/protobuf; version=1.0""#))
        }
    }
}
