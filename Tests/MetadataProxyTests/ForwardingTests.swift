import HTTPContract
import HTTPTypes
import MetadataProxy
import Running
import Serving
import SubmissionAPI
import Synchronization
import TestSupport
import Testing
import VerificationAPI

@Suite(.timeLimit(.minutes(5)))
struct ForwardingTests {
    private static let token = "63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f"
    private static let tanBody = #"{"registrationToken":"\#(token)","requestPadding":"abc"}"#

    @Test("the body and named fields are forwarded, and nothing else of the caller is", arguments: [false, true])
    func nothingElsePasses(http2: Bool) async throws {
        try await ProxyStage.run { stage in
            let planted = [
                "user-agent": "canary-agent", "cookie": "canary=cookie", "x-forwarded-for": "203.0.113.77",
                "forwarded": "for=203.0.113.77", "accept-language": "canary-language",
                "referer": "https://canary.example/",
                "x-canary": "canary-other", "cwa-header-padding": "canary-padding", "via": "canary-via",
                "accept-encoding": "canary-encoding", "authorization": "Bearer canary",
            ]
            let answer = try await stage.send(
                "/version/v1/tan?canary=query", body: Self.tanBody, fields: planted.merging(["cwa-fake": "0"]) { $1 },
                http2: http2)
            #expect(answer.status == .created)
            let seen = try #require(stage.seen.withLock { $0.first })
            #expect(seen.path == "/version/v1/tan")
            #expect(seen.body == Self.tanBody)
            let names = Set(seen.fields.map(\.name.canonicalName))
            #expect(names == ["cwa-fake", "content-type", "content-length"])
            #expect(!"\(seen.fields)".contains("canary"))
        }
    }

    @Test("requests of two phones are identical behind the proxy, whatever the order and case of their fields")
    func alike() async throws {
        try await ProxyStage.run { stage in
            _ = try await stage.send(
                "/version/v1/tan", body: Self.tanBody, fields: ["CWA-Fake": "0", "X-A": "1"], http2: false)
            _ = try await stage.send("/version/v1/tan", body: Self.tanBody, fields: ["cwa-fake": "0"], http2: true)
            let seen = stage.seen.withLock { $0 }
            #expect(seen.count == 2)
            #expect(seen.first?.fields == seen.last?.fields)
        }
    }

    @Test("the Idempotency-Key of a registration is forwarded, and no other request's")
    func idempotencyKey() async throws {
        try await ProxyStage.run { stage in
            let key = "8e03978e-40d5-43dd-bc93-6894a57f9324"
            for path in ["registrationToken", "testresult", "tan"] {
                _ = try await stage.send("/version/v1/\(path)", body: "{}", fields: ["idempotency-key": key])
            }
            let name = try #require(HTTPField.Name("Idempotency-Key"))
            #expect(stage.seen.withLock { $0.map { $0.fields[name] } } == [key, nil, nil])
        }
    }

    @Test(
        "requests of one address prefix beyond the limits, one for all and one for registrations, are 429 and not forwarded"
    )
    func limits() async throws {
        let limits = ["limits.registrations": "2", "limits.requests": "5"]
        try await ProxyStage.run(settings: limits) { stage in
            var statuses: [Int] = []
            for _ in 0..<3 {
                statuses.append(try await stage.send("/version/v1/registrationToken", body: "{}").status.code)
            }
            for _ in 0..<3 {
                statuses.append(try await stage.send("/version/v1/tan", body: "{}", http2: true).status.code)
            }
            #expect(statuses == [201, 201, 429, 201, 201, 429])
            #expect(stage.seen.withLock { $0.count } == 4)
        }
    }

    @Test("refused requests count for the limit as well", arguments: [false, true])
    func refusalsAreLimited(http2: Bool) async throws {
        try await ProxyStage.run(settings: ["limits.requests": "3"]) { stage in
            var statuses: [Int] = []
            for (path, method) in [
                ("/x", HTTPMethod.POST), ("/version/v1/tan", .GET), ("/x", .POST), ("/x", .POST),
                ("/version/v1/tan", .GET), ("/version/v1/tan", .POST),
            ] {
                statuses.append(try await stage.send(path, method: method, body: "", http2: http2).status.code)
            }
            #expect(statuses == [404, 405, 404, 429, 429, 429])
        }
    }

    @Test(
        "a prefix with too many refused registrations may not register, and everything else is accepted",
        arguments: [false, true])
    func refusedRegistrations(http2: Bool) async throws {
        try await ProxyStage.run(settings: ["limits.refusedRegistrations": "3"]) { stage in
            func status(_ path: String) async throws -> Int {
                try await stage.send("/version/v1/\(path)", body: "{}", http2: http2).status.code
            }
            var statuses = [try await status("registrationToken")]
            stage.answer.withLock { $0 = Response(status: .badRequest) }
            for _ in 0..<4 { statuses.append(try await status("registrationToken")) }
            statuses.append(try await status("tan"))
            #expect(statuses == [201, 400, 400, 400, 429, 400])
            #expect(stage.seen.withLock { $0.count } == 5)
        }
    }

    @Test("the verification server's report of strain stays with the proxy, which then allows fewer refusals")
    func strain() async throws {
        try await ProxyStage.run(settings: ["limits.refusedRegistrations": "10"]) { stage in
            let name = HTTPField.Name.teleTANsStrained
            stage.answer.withLock { $0 = Response(status: .created, headers: [name: "1"]) }
            let answer = try await stage.send("/version/v1/registrationToken", body: "{}")
            #expect(answer.status == .created)
            #expect(answer.headers[name.canonicalName].isEmpty)
            stage.answer.withLock { $0 = Response(status: .badRequest) }
            var statuses: [Int] = []
            for _ in 0..<4 {
                statuses.append(try await stage.send("/version/v1/registrationToken", body: "{}").status.code)
            }
            #expect(statuses == [400, 400, 429, 429])
        }
    }

    @Test(
        "a push registration is accepted under both paths and both media types, and forwarded with one media type",
        arguments: ["/v3/register", "/v1/register"], ["application/x-protobuf", "application/protobuf"])
    func registerForPush(path: String, media: String) async throws {
        try await ProxyStage.run(settings: ["limits.pushRegistrations": "2"]) { stage in
            stage.answer.withLock { $0 = Response(status: .ok) }
            var statuses: [Int] = []
            for _ in 0..<3 {
                let fields = ["content-type": media, "cookie": "canary", "cwa-fake": "0", "user-agent": "canary"]
                statuses.append(try await stage.send(path, body: "payload", fields: fields).status.code)
            }
            #expect(statuses == [200, 200, 429])
            let seen = try #require(stage.seen.withLock { $0.first })
            #expect(seen.path == path)
            #expect(seen.fields[.contentType] == "application/x-protobuf")
            #expect(Set(seen.fields.map(\.name.canonicalName)) == ["content-type", "content-length"])
            #expect(seen.body == "payload")
        }
    }

    @Test("only status, body and named fields of a reply reach the caller")
    func answers() async throws {
        try await ProxyStage.run { stage in
            stage.answer.withLock {
                $0 = Response(
                    status: .created,
                    headers: [
                        .contentType: "application/json; charset=utf-8", .server: "canary", .setCookie: "canary=1",
                    ],
                    body: ResponseBody(Array(#"{"tan":"x"}"#.utf8)))
            }
            let answer = try await stage.send("/version/v1/tan", body: Self.tanBody)
            #expect(answer.body == #"{"tan":"x"}"#)
            #expect(!"\(answer.headers)".contains("canary"))
            #expect(
                Set(answer.headers.map { $0.name.lowercased() }).subtracting(["date"]) == [
                    "content-type", "content-length", "cache-control", "cwa-header-padding",
                ])
        }
    }

    @Test(
        "only the status of a refusal reaches the caller", arguments: [400, 403, 404, 500])
    func refusals(code: Int) async throws {
        try await ProxyStage.run { stage in
            stage.answer.withLock {
                $0 = Response(
                    status: HTTPResponse.Status(code: code), headers: [.contentType: "text/plain"],
                    body: ResponseBody(Array("canary".utf8)))
            }
            let answer = try await stage.send("/version/v1/tan", body: Self.tanBody)
            #expect(answer.status.code == code)
            #expect(answer.body.isEmpty)
        }
    }

    @Test("uploads keep their fields, and their answers the check-in counts")
    func upload() async throws {
        try await ProxyStage.run { stage in
            stage.answer.withLock {
                $0 = Response(
                    status: .ok, headers: [.filteredCheckIns: "1", .savedCheckIns: "2"])
            }
            let answer = try await stage.send(
                "/version/v1/diagnosis-keys", body: "payload",
                fields: [
                    "content-type": "application/x-protobuf", "cwa-authorization": Self.token, "cwa-fake": "0",
                    "cwa-header-padding": "xxx",
                ])
            #expect(answer.status == .ok)
            #expect(answer.headers.first(name: "cwa-filtered-checkins") == "1")
            #expect(answer.headers.first(name: "cwa-saved-checkins") == "2")
            let seen = try #require(stage.seen.withLock { $0.first })
            #expect(seen.fields[.cwaAuthorization] == Self.token)
            #expect(seen.fields.map(\.name).contains { $0.canonicalName == "cwa-header-padding" } == false)
        }
    }

    @Test(
        "a self-report's password reaches the service like a TAN, and its refusal the phone",
        arguments: [200, 400, 403])
    func selfReport(code: Int) async throws {
        try await ProxyStage.run { stage in
            stage.answer.withLock {
                $0 = Response(
                    status: HTTPResponse.Status(code: code),
                    headers: code == 200 ? [.filteredCheckIns: "0", .savedCheckIns: "0"] : [:])
            }
            let answer = try await stage.send(
                "/version/v1/diagnosis-keys", body: "payload",
                fields: ["content-type": "application/x-protobuf", "CWA-OTP": Self.token, "cwa-fake": "0"])
            #expect(answer.status.code == code)
            let seen = try #require(stage.seen.withLock { $0.first })
            #expect(seen.fields[.cwaOTP] == Self.token)
            #expect(seen.fields[.cwaAuthorization] == nil)
        }
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var method = HTTPMethod.POST
        var path = "/version/v1/tan"
        var media = "application/json"
        var body = ForwardingTests.tanBody
        let status: HTTPResponse.Status
    }

    static let bad = [
        Bad(testDescription: "an unknown path", path: "/version/v1/unknown", status: .notFound),
        Bad(testDescription: "an internal route", path: "/version/v1/tan/reservations", status: .notFound),
        Bad(testDescription: "the teleTAN route", path: "/version/v1/tan/teletan", status: .notFound),
        Bad(testDescription: "a lab's route", path: "/api/v1/lab/results", status: .notFound),
        Bad(testDescription: "a path with a dot segment", path: "/version/v1/./tan", status: .notFound),
        Bad(testDescription: "a path in capitals", path: "/VERSION/v1/tan", status: .notFound),
        Bad(testDescription: "GET", method: .GET, body: "", status: .methodNotAllowed),
        Bad(testDescription: "DELETE", method: .DELETE, body: "", status: .methodNotAllowed),
        Bad(testDescription: "another media type", media: "text/plain", status: .unsupportedMediaType),
        Bad(
            testDescription: "a body that is too long", body: String(repeating: "a", count: 10_001),
            status: .contentTooLarge),
    ]

    @Test("a request that no app sends is refused and not forwarded", arguments: bad)
    func refused(bad: Bad) async throws {
        try await ProxyStage.run { stage in
            let answer = try await stage.send(
                bad.path, method: bad.method, body: bad.body, fields: ["content-type": bad.media])
            #expect(answer.status == bad.status)
            #expect(answer.body.isEmpty)
            #expect(stage.seen.withLock { $0.isEmpty })
        }
    }

    @Test("if a service is down the answer is 503 with Retry-After")
    func upstreamDown() async throws {
        try await ProxyStage.run(upstreamPort: TestPort.free()) { stage in
            let answer = try await stage.send("/version/v1/tan", body: Self.tanBody)
            #expect(answer.status == .serviceUnavailable)
            #expect(answer.headers.first(name: "retry-after") != nil)
            #expect(answer.body.isEmpty)
        }
    }
}
