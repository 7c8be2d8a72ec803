import Calling
import Credentials
import FoundationEssentials
import HTTPContract
import HTTPTypes
import Postgres
import Serving
import TestResultAPI
import TestSupport
import Testing

@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct AppResultTests {
    @Test("many ids are answered together, in their order, each as it would be alone")
    func together() async throws {
        try await ResultStage.run { stage in
            let posted = try ResultID.numbered(1)
            try await stage.post([.init(id: posted, result: .pcrPositive, sampleCollected: nil)])
            let ids = [try ResultID.numbered(2), posted, posted]
            let answers = try await stage.verifier.call(TestResultAPI.appResults, ResultQueries(ids)).results
            var alone: [ResultAnswer] = []
            for id in ids { alone.append(try await stage.ask(id)) }
            // Alone, an unknown id has a time.
            #expect(answers[1...] == alone[1...])
            #expect(answers[0].sampleCollected == nil)
            #expect(answers.map(\.testResult) == [.pcrPending, .pcrPositive, .pcrPositive])
            for wrong in [[], Array(repeating: posted, count: 257)] {
                await #expect(throws: CallError.refused(.badRequest)) {
                    try await stage.verifier.call(TestResultAPI.appResults, ResultQueries(wrong))
                }
            }
        }
    }

    @Test("an unknown id is a pending test whose sample was taken now, and asking for it leaves no trace")
    func unknown() async throws {
        try await ResultStage.run { stage in
            let now = Int32(ResultStage.start.timeIntervalSince1970)
            for number in 0..<3 {
                let answer = try await stage.ask(.numbered(number))
                #expect(answer == ResultAnswer(testResult: .pcrPending, sampleCollected: now, labID: nil))
            }
            #expect(try await stage.count() == 0)
        }
    }

    @Test("results of point-of-care PCR tests are reported as those of PCR tests, the others as they are")
    func codes() async throws {
        try await ResultStage.run { stage in
            let id = try ResultID.numbered(1)
            try await stage.post([.numbered(1)])
            for code in TestResultCode.allCases {
                try await stage.execute("UPDATE test_results.result SET code = \(Int16(code.rawValue))")
                let told = try await stage.ask(id).testResult.rawValue
                #expect(told == (code.rawValue >= 10 ? code.rawValue - 10 : code.rawValue))
            }
        }
    }

    private static let routes: [(path: String, role: Role)] = [
        ("/api/v1/lab/results", .lab), ("/api/v1/quicktest/results", .quickTest),
        ("/api/v1/quicktest/result", .quickTest), ("/api/v1/pocnat/results", .pocnat),
        ("/api/v1/pocnat/result", .pocnat), ("/api/v1/app/result", .verificationServer),
    ]

    @Test("a certificate allows the routes of its role only")
    func roles() async throws {
        try await ResultStage.run { stage in
            for role in Role.allCases.map(Optional.some) + [nil] {
                for isInner in [false, true] {
                    try await stage.raw(role, inner: isInner) { client in
                        for (path, allowed) in Self.routes {
                            let answer = try await client.post(path, "{}")
                            // Each listener has its own routes only.
                            let isElsewhere = isInner != (allowed == .verificationServer)
                            #expect(
                                answer.status == (isElsewhere ? 404 : role == allowed ? 400 : 403),
                                "\(role?.rawValue ?? "no role") \(path)")
                            #expect(answer.body.isEmpty)
                        }
                    }
                }
            }
        }
    }

    @Test("a caller without certificate fails the handshake")
    func noCertificate() async throws {
        try await ResultStage.run { stage in
            let anonymous = try ServiceClient(
                base: stage.innerBase, authorities: "\(stage.certificates.directory)/authority.pem", name: "anonymous")
            await #expect(throws: CallError.unavailable) {
                try await anonymous.call(TestResultAPI.appResult, ResultQuery(.numbered(1)))
            }
            await anonymous.close()
        }
    }

    private struct Request: Sendable {
        let name: String
        var method = "POST"
        var path = "/api/v1/lab/results"
        var type: String? = "application/json"
        let body: RawClient.Body
        let status: Int
    }

    private static let batch = #"{"testResults":[{"id":"\#(String(repeating: "a", count: 64))","result":1}]}"#

    private static let wrong = [
        Request(name: "GET", method: "GET", body: .none, status: 405),
        Request(name: "PUT", method: "PUT", body: .text(batch), status: 405),
        Request(name: "a question of a lab", path: "/api/v1/lab/result", body: .text(batch), status: 404),
        Request(name: "a path with a slash", path: "/api/v1/lab/results/", body: .text(batch), status: 404),
        Request(name: "no media type", type: nil, body: .text(batch), status: 415),
        Request(name: "a form", type: "application/x-www-form-urlencoded", body: .text(batch), status: 415),
        Request(name: "no body", body: .none, status: 400),
        Request(name: "half a body", body: .text(String(batch.dropLast(2))), status: 400),
        Request(
            name: "a body one byte too long",
            body: .text(batch + String(repeating: " ", count: 262_145 - batch.utf8.count)), status: 413),
        Request(
            name: "a body without end", body: .endless(String(repeating: " ", count: 4096)), status: 413),
    ]

    @Test("a request that isn't a batch is refused, and nothing is stored")
    func refused() async throws {
        try await ResultStage.run { stage in
            try await stage.raw(.lab) { client in
                for request in Self.wrong {
                    let answer = try await client.send(
                        request.method, request.path, fields: request.type.map { ["content-type": $0] } ?? [:],
                        request.body)
                    #expect(answer.status == request.status, "\(request.name)")
                    #expect(answer.body.isEmpty)
                }
            }
            #expect(try await stage.count() == 0)
        }
    }

    @Test("a batch of the maximum size is accepted")
    func largest() async throws {
        try await ResultStage.run { stage in
            let body = Self.batch + String(repeating: " ", count: 262_144 - Self.batch.utf8.count)
            let answer = try await stage.raw(.lab) { try await $0.post("/api/v1/lab/results", body) }
            #expect(answer.status == 204)
        }
    }
}
