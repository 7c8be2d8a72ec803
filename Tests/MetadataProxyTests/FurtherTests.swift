import HTTPContract
import HTTPTypes
import Serving
import Synchronization
import TestSupport
import Testing

/// The routes to further.
@Suite(.timeLimit(.minutes(5)))
struct FurtherTests {
    private static let signature = [
        "x-further-key": "000102030405060708090a0b0c0d0e0f", "x-further-timestamp": "1779796800",
        "x-further-nonce": "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", "x-further-signature": "AAEC",
    ]
    private static let content: Set<String> = ["content-type", "content-length"]

    @Test(
        "a report's bytes and its signature are forwarded, and nothing else of the caller",
        arguments: ProxyStage.further.map(\.path), [false, true])
    func forwarded(path: String, http2: Bool) async throws {
        try await ProxyStage.run { stage in
            let body = "{ }" + String(repeating: " ", count: 500)
            let fields = Self.signature.merging([
                "content-type": "application/json", "user-agent": "canary", "cookie": "canary=1",
                "x-forwarded-for": "203.0.113.77", "x-further-other": "canary", "cwa-fake": "canary",
            ]) { $1 }
            let answer = try await stage.send(path + "?canary=query", body: body, fields: fields, http2: http2)
            #expect(answer.status == .created)
            let seen = try #require(stage.seen.withLock { $0.first })
            #expect(seen.path == path)
            #expect(seen.body == body)
            // A key's registration is signed in itself.
            let isSigned = path != "/keys"
            #expect(
                Set(seen.fields.map(\.name.canonicalName))
                    == (isSigned ? Self.content.union(Self.signature.keys) : Self.content))
            for (name, value) in Self.signature where isSigned {
                #expect(seen.fields.contains { $0.name.canonicalName == name && $0.value == value })
            }
            #expect(!"\(seen.fields)".contains("canary"))
        }
    }

    @Test(
        "a report may be as long as its route allows, and not a byte longer", arguments: ["/health", "/health/batch"])
    func limits(path: String) async throws {
        try await ProxyStage.run { stage in
            var statuses: [Int] = []
            for length in [4096, 4097] {
                let body = String(repeating: " ", count: length)
                statuses.append(
                    try await stage.send(path, body: body, fields: ["content-type": "application/json"]).status.code)
            }
            #expect(statuses == [201, 413])
        }
    }

    @Test("reports of one address prefix have a limit of their own")
    func limitOfPrefix() async throws {
        try await ProxyStage.run(settings: ["limits.further": "2"]) { stage in
            var statuses: [Int] = []
            for path in ["/health", "/keys", "/health/batch"] {
                statuses.append(
                    try await stage.send(path, body: "{}", fields: ["content-type": "application/json"]).status.code)
            }
            statuses.append(try await stage.send("/version/v1/tan", body: "{}").status.code)
            #expect(statuses == [201, 201, 429, 201])
        }
    }

    @Test("a proxy without further answers as for any unknown path", arguments: [false, true])
    func unconfigured(http2: Bool) async throws {
        try await ProxyStage.run(settings: ["further.url": ""]) { stage in
            for path in ProxyStage.further.map(\.path) + ["/unknown"] {
                let answer = try await stage.send(
                    path, body: "{}", fields: ["content-type": "application/json"], http2: http2)
                #expect(answer.status == .notFound)
                #expect(answer.body.isEmpty)
            }
            #expect(stage.seen.withLock { $0.isEmpty })
        }
    }
}
