import Calling
import Credentials
import Foundation
import HTTPContract
import HTTPTypes
import TestSupport
import Testing
import VerificationAPI

@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct FakeRequestTests {
    private static let token = "63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f"
    private static let uuid = "[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[89ab][a-f0-9]{3}-[a-f0-9]{12}"

    /// Path, body, and the shape of the answer.
    static let requests = [
        (
            "/version/v1/registrationToken", #"{"key":"\#(HashedGUID.numbered(1).text)","keyType":"GUID"}"#, 201,
            #"\{"registrationToken":"\#(uuid)"\}"#
        ),
        (
            "/version/v1/registrationToken", #"{"key":"FE9A5MAK6C","keyType":"TELETAN"}"#, 201,
            #"\{"registrationToken":"\#(uuid)"\}"#
        ),
        ("/version/v1/testresult", #"{"registrationToken":"\#(token)"}"#, 200, #"\{"sc":1779796800,"testResult":2\}"#),
        ("/version/v1/tan", #"{"registrationToken":"\#(token)"}"#, 201, #"\{"tan":"\#(uuid)"\}"#),
    ]

    @Test(
        "a dummy request is answered like a real one, differently each time, stores nothing and asks for nobody's result",
        arguments: requests)
    func fake(path: String, body: String, status: Int, shape: String) async throws {
        try await VerificationStage.run { stage in
            stage.results.set(.pcrPositive, for: .numbered(1))
            let pattern = try Regex(shape)
            let answers = try await stage.raw { client in
                var answers: [RawAnswer] = []
                for _ in 0..<3 { answers.append(try await client.post(path, body, fields: ["cwa-fake": "1"])) }
                return answers
            }
            for answer in answers {
                #expect(answer.status == status)
                #expect(try pattern.wholeMatch(in: answer.body) != nil)
                // For the proxy, and the same for every caller.
                let own = path.hasSuffix("registrationToken") ? ["vigil-teletans-strained"] : []
                #expect(answer.fields.map(\.name) == ["cache-control", "content-length", "content-type"] + own)
            }
            #expect(Set(answers.map(\.body)).count == (path.hasSuffix("testresult") ? 1 : 3))
            #expect(try await stage.rows().isEmpty)
            // As often as a real one, but never for a test that somebody has.
            #expect(stage.results.questions == (path.hasSuffix("registrationToken") ? 0 : 3))
            #expect(stage.results.knownQuestions == 0)
        }
    }

    @Test("while the test result server is down, a dummy request is refused like a real one", arguments: ["0", "1"])
    func outage(fake: String) async throws {
        try await VerificationStage.run { stage in
            let token = try await stage.registered(.numbered(1))
            stage.results.fail(with: .unavailable)
            for path in ["testresult", "tan"] {
                let answer = try await stage.raw {
                    try await $0.post(
                        "/version/v1/\(path)", #"{"registrationToken":"\#(token.text)"}"#, fields: ["cwa-fake": fake])
                }
                #expect(answer.status == 503)
            }
        }
    }

    @Test("a dummy request doesn't redeem what it names")
    func unused() async throws {
        try await VerificationStage.run { stage in
            let code = try await stage.teleTAN(.test)
            var fake = RegistrationTokenRequest(.teleTAN(code))
            fake.isFake = true
            let token = try await stage.apps.call(VerificationAPI.registrationToken, fake).registrationToken
            #expect(try await stage.register(.teleTAN(code)) != token)
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.testResult(token) }
        }
    }

    @Test("real and dummy requests have answers with the same fields", arguments: ["0", "1"])
    func sameFields(fake: String) async throws {
        try await VerificationStage.run { stage in
            let token = try await stage.registered(.numbered(1))
            let answer = try await stage.raw {
                try await $0.post(
                    "/version/v1/tan", #"{"registrationToken":"\#(token.text)"}"#, fields: ["cwa-fake": fake])
            }
            #expect(answer.status == 201)
            #expect(
                answer.fields == [
                    .init(name: "cache-control", value: "no-store"), .init(name: "content-length", value: "46"),
                    .init(name: "content-type", value: "application/json"),
                ])
        }
    }

    @Test("a malformed dummy request is a bad request like a malformed real one", arguments: ["0", "1"])
    func malformed(fake: String) async throws {
        try await VerificationStage.run { stage in
            let answer = try await stage.raw {
                try await $0.post("/version/v1/tan", "{", fields: ["cwa-fake": fake])
            }
            #expect(answer.status == 400)
            #expect(answer.fields.map(\.name) == ["cache-control", "content-length"])
        }
    }
}
