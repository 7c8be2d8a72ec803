import Calling
import Credentials
import Foundation
import HTTPContract
import HTTPTypes
import Running
import Serving
import TestSupport
import Testing
import VerificationAPI

@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct TestResultTests {
    private static let noon: Int32 = 1_779_796_800

    @Test("the result of a registered test comes from the test result server")
    func states() async throws {
        try await VerificationStage.run { stage in
            let guid = HashedGUID.numbered(1)
            let token = try await stage.register(.guid(guid))
            for code in TestResultCode.allCases where code.forApps == code {
                stage.results.set(code, sampleCollected: 1_779_700_000, labID: "lab-7", for: guid)
                let answer = try await stage.testResult(token)
                #expect(
                    answer == TestResultResponse(testResult: code, sampleCollected: 1_779_700_000, labID: "lab-7"))
            }
        }
    }

    @Test("a test without a result is pending")
    func pending() async throws {
        try await VerificationStage.run { stage in
            let token = try await stage.register(.guid(.numbered(1)))
            let answer = try await stage.testResult(token)
            #expect(answer == TestResultResponse(testResult: .pcrPending, sampleCollected: Self.noon, labID: nil))
        }
    }

    @Test(
        "a teleTAN stands for a positive test; a dummy request is sent in its place",
        arguments: TeleTANKind.allCases)
    func teleTAN(kind: TeleTANKind) async throws {
        try await VerificationStage.run { stage in
            let token = try await stage.register(.teleTAN(try await stage.teleTAN(kind)))
            stage.clock.advance(by: 7200)
            let answer = try await stage.testResult(token)
            #expect(answer == TestResultResponse(testResult: .pcrPositive, sampleCollected: Self.noon, labID: nil))
            #expect(stage.results.questions == 1)
        }
    }

    @Test(
        "an unknown token is a bad request; a dummy request is sent in its place",
        arguments: ["testresult", "tan"])
    func unknown(path: String) async throws {
        try await VerificationStage.run { stage in
            let answer = try await stage.raw {
                try await $0.post(
                    "/version/v1/\(path)", #"{"registrationToken":"63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f"}"#)
            }
            #expect(answer.status == 400)
            #expect(answer.body.isEmpty)
            #expect(answer.fields.map(\.name) == ["cache-control", "content-length"])
            #expect(stage.results.questions == 1)
        }
    }

    @Test("after 21 days a token is unknown")
    func sessionEnds() async throws {
        try await VerificationStage.run { stage in
            let token = try await stage.registered(.numbered(1))
            stage.clock.advance(by: 21 * 86_400)
            try await stage.applyRetention()
            #expect(try await stage.testResult(token).testResult == .pcrPositive)
            // No finer time than the hour is known.
            stage.clock.advance(by: 3600)
            try await stage.applyRetention()
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.testResult(token) }
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.tan(token) }
        }
    }

    @Test("if the test result server can't answer, the phone is told to retry", arguments: ["testresult", "tan"])
    func outage(path: String) async throws {
        try await VerificationStage.run { stage in
            let token = try await stage.registered(.numbered(1))
            for problem in [Problem.unavailable, .badRequest, .forbidden, Problem(.internalServerError)] {
                stage.results.fail(with: problem)
                let body = #"{"registrationToken":"\#(token.text)"}"#
                let answer = try await stage.raw { try await $0.post("/version/v1/\(path)", body) }
                #expect(answer.status == 503, "\(problem.status)")
                #expect(answer["retry-after"] == "5")
                #expect(answer.body.isEmpty)
                #expect(try await stage.counts() == ["session": 1, "registered_guid": 1])
            }
            stage.results.fail(with: nil)
            #expect(try await stage.testResult(token).testResult == .pcrPositive)
            _ = try await stage.tan(token)
        }
    }

    @Test("a test result server without the route for many results is named to the operator, and in the log")
    func otherServer() async throws {
        let log = CapturedLog()
        // Its own internal listener has the right certificate, and none of the test result server's routes.
        let port = "\(TestPort.free())"
        let settings = ["internal.port": port, "testResults.url": "https://localhost:\(port)"]
        try await VerificationStage.run(settings: settings, logger: log.logger()) { stage in
            let admin = "http://127.0.0.1:\(try await stage.runtime.adminPort)"
            try await RawClient.with(admin, tls: nil) { client in
                var ready = try await client.send("GET", "/ready")
                while !ready.body.contains("testResults.url") {
                    await Task.yield()
                    ready = try await client.send("GET", "/ready")
                }
                #expect(ready.status == 200)
                #expect(ready.body.contains("it answered 404): it isn't Vigil's test-result-server"))
            }
            let token = try await stage.register(.guid(.numbered(1)))
            for _ in 0..<2 {
                await #expect(throws: CallError.unavailable) { try await stage.testResult(token) }
            }
        }
        #expect(log.lines.count { $0.contains("a peer lacks an operation that this service needs") } == 1)
        #expect(log.lines.count { $0.contains("a peer refuses calls") } == 1)
    }

    @Test("if the test result server is down, the phone is told to retry")
    func noServer() async throws {
        let settings = ["testResults.url": "https://localhost:\(TestPort.free())"]
        try await VerificationStage.run(settings: settings) { stage in
            let token = try await stage.register(.guid(.numbered(1)))
            let body = #"{"registrationToken":"\#(token.text)"}"#
            let answer = try await stage.raw { try await $0.post("/version/v1/testresult", body) }
            #expect(answer.status == 503)
            #expect(answer["retry-after"] == "5")
            // What needs no result works on.
            let other = try await stage.register(.teleTAN(try await stage.teleTAN(.test)))
            #expect(try await stage.testResult(other).testResult == .pcrPositive)
        }
    }

    @Test("a server whose certificate is not from the configured authority is not trusted")
    func foreignServer() async throws {
        let foreign = try TestCertificates()
        let results = FakeResults()
        results.set(.pcrPositive, for: .numbered(1))
        let listener = results.listener(try foreign.files(role: .testResultServer))
        try await withService(listeners: [listener]) { _ in
            let settings = ["testResults.url": "https://localhost:\(try await listener.boundPort)"]
            try await VerificationStage.run(settings: settings) { stage in
                let token = try await stage.register(.guid(.numbered(1)))
                await #expect(throws: CallError.unavailable) { try await stage.testResult(token) }
            }
        }
        #expect(results.questions == 0)
    }
}
