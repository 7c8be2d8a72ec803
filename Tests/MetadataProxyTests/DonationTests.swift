import HTTPContract
import HTTPTypes
import Serving
import Synchronization
import TestSupport
import Testing

/// The routes to data-donation. Their refusals are the only ones with bodies.
@Suite(.timeLimit(.minutes(5)))
struct DonationTests {
    private static let protobuf = ["content-type": "application/x-protobuf", "cwa-fake": "0"]
    private static let expiration = #"{"expirationDate":"2026-05-26T12:00:00Z"}"#
    private static let refusal = #"{"errorCode":"API_TOKEN_EXPIRED"}"#

    private static func json(_ status: HTTPResponse.Status, _ body: String) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(Array(body.utf8)))
    }

    /// The bytes of an answer on HTTP/1.1, from its parts.
    private static func length(_ answer: ProxyStage.Answer) -> Int {
        let start = "HTTP/1.1 \(answer.status.code) \(answer.status.reasonPhrase)\r\n".utf8.count
        return answer.headers.reduce(start + 2 + answer.body.utf8.count) {
            $0 + "\($1.name): \($1.value)\r\n".utf8.count
        }
    }

    @Test(
        "what an app donates is forwarded with cwa-fake and nothing else of the caller",
        arguments: ProxyStage.donations.map(\.path), [false, true])
    func forwarded(path: String, http2: Bool) async throws {
        try await ProxyStage.run { stage in
            stage.answer.withLock { $0 = Self.json(.ok, Self.expiration) }
            let isPost = !path.hasSuffix("/challenge")
            let answer = try await stage.send(
                path + "?canary=query", method: isPost ? .POST : .GET, body: isPost ? "payload" : "",
                fields: Self.protobuf.merging([
                    "user-agent": "canary", "cookie": "canary=1", "x-forwarded-for": "203.0.113.77",
                    "cwa-header-padding": "canary", "cwa-ppac-ios-accept-api-token": "canary",
                    "idempotency-key": "canary",
                ]) { $1 }, http2: http2)
            #expect(answer.status == .ok)
            #expect(answer.body == Self.expiration)
            #expect(answer.headers["content-type"] == ["application/json"])
            let seen = try #require(stage.seen.withLock { $0.first })
            #expect(seen.path == path)
            #expect(seen.body == (isPost ? "payload" : ""))
            let names = Set(seen.fields.map(\.name.canonicalName))
            #expect(names == (isPost ? ["content-type", "cwa-fake", "content-length"] : ["content-length"]))
            #expect(!"\(seen.fields)".contains("canary"))
        }
    }

    @Test("a dummy request is forwarded as one and answered like a real one", arguments: [false, true])
    func dummy(http2: Bool) async throws {
        try await ProxyStage.run { stage in
            stage.answer.withLock { $0 = Self.json(.ok, Self.expiration) }
            var answers: [ProxyStage.Answer] = []
            for fake in ["0", "1"] {
                let fields = Self.protobuf.merging(["cwa-fake": fake]) { $1 }
                answers.append(
                    try await stage.send("/version/v1/ios/srs", body: "payload", fields: fields, http2: http2))
            }
            #expect(stage.seen.withLock { $0.map { $0.fields[.cwaFake] } } == ["0", "1"])
            #expect(stage.seen.withLock { Set($0.map(\.body)) } == ["payload"])
            #expect(answers.map(\.status) == [.ok, .ok])
            #expect(answers.map(\.body) == [Self.expiration, Self.expiration])
            #expect(answers.first?.headers.map(\.name) == answers.last?.headers.map(\.name))
        }
    }

    @Test("a refusal keeps its error code, and no answer tells its length from another's or leaves early")
    func codes() async throws {
        try await ProxyStage.run { stage in
            for (reply, expected) in [
                (Self.json(.ok, Self.expiration), Self.expiration), (Self.json(.forbidden, Self.refusal), Self.refusal),
                (Self.json(.unauthorized, Self.refusal), Self.refusal), (Self.json(.forbidden, "canary"), ""),
            ] {
                stage.answer.withLock { $0 = reply }
                let start = ContinuousClock.now
                let answer = try await stage.send("/version/v1/ios/dat", body: "payload", fields: Self.protobuf)
                #expect(ContinuousClock.now - start >= .milliseconds(1500))
                #expect(answer.status.code == reply.status.code)
                #expect(answer.body == expected)
                #expect(answer.headers["content-type"] == (expected.isEmpty ? [] : ["application/json"]))
                #expect(Self.length(answer) == 1024)
            }
        }
    }

    @Test(
        "a body may be as long as its route allows on any connection, and not a byte longer",
        arguments: ["otp": 32_768, "dat": 196_608], [false, true])
    func limits(limit: (key: String, value: Int), http2: Bool) async throws {
        try await ProxyStage.run(settings: ["listen.connectionBytes": "65536"]) { stage in
            var statuses: [Int] = []
            for length in [limit.value, limit.value + 1] {
                statuses.append(
                    try await stage.send(
                        "/version/v1/android/\(limit.key)", body: String(repeating: "a", count: length),
                        fields: Self.protobuf, http2: http2
                    ).status.code)
            }
            #expect(statuses == [201, 413])
            #expect(stage.seen.withLock { $0.map(\.body.utf8.count) } == [limit.value])
        }
    }

    @Test("donations of one address prefix have a limit of their own")
    func limitOfPrefix() async throws {
        try await ProxyStage.run(settings: ["limits.donations": "2"]) { stage in
            var statuses: [Int] = []
            for path in ["ios/otp", "android/dat", "ios/els"] {
                statuses.append(
                    try await stage.send("/version/v1/\(path)", body: "payload", fields: Self.protobuf).status.code)
            }
            statuses.append(try await stage.send("/version/v1/tan", body: "{}").status.code)
            #expect(statuses == [201, 201, 429, 201])
        }
    }

    @Test("a proxy without data-donation answers as for any unknown path", arguments: [false, true])
    func unconfigured(http2: Bool) async throws {
        try await ProxyStage.run(settings: ["donation.url": ""]) { stage in
            for path in ProxyStage.donations.map(\.path) + ["/version/v1/unknown"] {
                let answer = try await stage.send(path, body: "", fields: Self.protobuf, http2: http2)
                #expect(answer.status == .notFound)
                #expect(answer.body.isEmpty)
            }
            #expect(stage.seen.withLock { $0.isEmpty })
        }
    }

    @Test("what servers redeem isn't there for apps", arguments: ["otp", "els", "srs"])
    func redemption(name: String) async throws {
        try await ProxyStage.run { stage in
            let answer = try await stage.send("/version/v1/\(name)", body: "{}")
            #expect(answer.status == .notFound)
        }
    }
}
