import FoundationEssentials
import HTTPContract
import HTTPTypes
import Serving
import Synchronization
import TLS
import TestSupport
import Testing

/// Who may not call an operation is refused before anything of his request is parsed.
@Suite(.timeLimit(.minutes(5))) struct StrangerTests {
    /// A message that notes when somebody begins to read it.
    private struct Noted: ParameterizedMessage {
        static let read = Mutex<Set<String>>([])

        static var mediaType: MediaType? { .json }
        static var headerNames: [HTTPField.Name] { [] }
        static var parameterSchemas: [String: FieldSchema] {
            ["id": .required(.text(pattern: "[a-z-]{1,40}")), "date": .optional(.text(count: 10...10))]
        }

        init(_ message: EncodedMessage) throws(MalformedMessage) {
            guard let id = message.parameters["id"] else { throw MalformedMessage() }
            Self.read.withLock { _ = $0.insert(id) }
        }

        func encoded() -> EncodedMessage { EncodedMessage() }
    }

    private static func endpoint(_ path: String, _ method: HTTPRequest.Method) -> Endpoint<Noted, NoContent> {
        Endpoint(method, path, callers: [.lab], bodyLimit: 64, success: .noContent, summary: "For a test.")
    }

    private static let garbage: [(path: String, type: String, body: String)] = [
        ("%ID?date=2020-01-9223372036854775807", "application/json", "{}"),
        ("%ID?date=-9223372036854775808", "application/json", "{}"),
        ("%ID?date=\(String(repeating: "9", count: 400))", "application/json", "{"), ("%ID?date=%", "text/plain", ""),
        ("%ID?date=1&date=2", "application/json", String(repeating: "[", count: 60)), ("%00", "application/json", ""),
        ("%ID?%FF", "x", String(repeating: "a", count: 1000)), ("%2e%2e", "application/json", "{}"),
        ("%ID?&&==", "", ""),
    ]

    @Test("a stranger gets 403 whatever they send, by role and by certificate", arguments: [false, true])
    func stranger(isKnown: Bool) async throws {
        let certificates = try TestCertificates()
        let (friend, stranger) = (
            try certificates.files(role: .lab, name: "friend"), try certificates.files(role: .portal, name: "stranger")
        )
        let mark = isKnown ? "known" : "role"
        let listener = Listener(
            name: "app", host: "127.0.0.1", port: 0,
            security: .mutualTLS(try certificates.files(role: .verificationServer))
        ) { routes in
            for (path, method) in [("/items/{id}", HTTPRequest.Method.get), ("/things/{id}", .post)] {
                if isKnown {
                    routes.on(Self.endpoint(path, method), from: { $0.name == "friend" }) { _, _ in NoContent() }
                } else {
                    routes.on(Self.endpoint(path, method)) { _, _ in NoContent() }
                }
            }
        }
        try await withService(listeners: [listener]) { _ in
            let base = "https://localhost:\(try await listener.boundPort)"
            func status(_ path: String, _ type: String, _ body: String, _ files: TLSFiles) async throws -> Int {
                let isPost = path.hasPrefix("/things")
                return try await send(
                    isPost ? .POST : .GET, base + path, headers: [("content-type", type)], body: isPost ? body : nil,
                    tls: files.caller
                ).status
            }
            for (number, (path, type, body)) in Self.garbage.enumerated() {
                for start in ["/items/", "/things/"] {
                    let path = start + path.replacing("%ID", with: "\(mark)-stranger")
                    #expect(try await status(path, type, body, stranger) == 403, "\(number)")
                    // The same by who may call is answered with 400, 413 or 415, never by a crash.
                    let refused = try await status(path.replacing("stranger", with: "friend"), type, body, friend)
                    #expect([204, 400, 413, 415].contains(refused), "\(number) \(refused)")
                }
            }
            #expect(try await status("/things/\(mark)-good?date=2020-01-01", "application/json", "{}", friend) == 204)
        }
        let read = Noted.read.withLock { $0 }
        #expect(read.contains("\(mark)-good") && !read.contains("\(mark)-stranger"))
    }

    @Test("a listener without client certificates has no known caller")
    func withoutCertificates() async throws {
        let listener = Listener.plain { routes in
            routes.on(Self.endpoint("/items/{id}", .get), from: { $0 != .anonymous }) { _, _ in NoContent() }
        }
        try await withService(listeners: [listener]) { _ in
            let base = "http://127.0.0.1:\(try await listener.boundPort)"
            #expect(try await send(.GET, base + "/items/a").status == 403)
        }
    }

    @Test(
        "a parameter that doesn't have the contract's pattern or length is refused with 400",
        arguments: [
            ("abc", 204), ("abc?date=2020-01-01", 204), ("ABC", 400), ("a1", 400), ("%C3%A4", 400), ("a%0a", 400),
            (String(repeating: "a", count: 40), 204), (String(repeating: "a", count: 41), 400),
            ("abc?date=2020-01-1", 400), ("abc?date=2020-01-011", 400), ("abc?date=", 400), ("a%CC%81", 400),
        ])
    func patterns(path: String, status: Int) async throws {
        let listener = Listener.plain { routes in
            routes.on(Self.endpoint("/items/{id}", .post)) { _, _ in NoContent() }
        }
        try await withService(listeners: [listener]) { _ in
            let base = "http://127.0.0.1:\(try await listener.boundPort)"
            #expect(try await post("\(base)/items/\(path)", "{}").status == status)
        }
    }
}
