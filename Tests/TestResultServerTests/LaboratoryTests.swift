import Calling
import Credentials
import Foundation
import HTTPContract
import HTTPTypes
import Postgres
import Running
import TestResultAPI
import TestSupport
import Testing

/// Who owns a result.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct LaboratoryTests {
    private static func metric(_ name: String, of stage: ResultStage) -> Int? {
        stage.runtime.metrics.text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
            .flatMap { Int($0.dropFirst(name.count + 1)) }
    }

    private static func owners(_ stage: ResultStage) async throws -> [String?] {
        try await TestPostgres.withClient(stage.database.superuserConnection) { client in
            try await client.session { session in
                try session.rows("SELECT posted_by FROM test_results.result ORDER BY id", as: String?.self)
            }
        }
    }

    @Test("a laboratory can replace its own results, whatever name the batch carries")
    func own() async throws {
        try await ResultStage.run { stage in
            try await stage.post([.numbered(1, .pcrPositive)], labID: "one", as: "berlin")
            try await stage.post([.numbered(1, .pcrNegative)], labID: "two", as: "berlin")
            #expect(try await stage.ask(.numbered(1)).testResult == .pcrNegative)
            // Apps receive the posted name; the name of record is the certificate's.
            #expect(try await stage.ask(.numbered(1)).labID == "two")
            #expect(try await Self.owners(stage) == ["berlin"])
            #expect(Self.metric("foreign_results_total", of: stage) == 0)
        }
    }

    @Test("another laboratory's result stays unchanged, and the rest of the batch is stored")
    func foreign() async throws {
        try await ResultStage.run { stage in
            try await stage.post([.numbered(1, .pcrPositive, sampleCollected: 5)], labID: "one", as: "berlin")
            // Also under the name that the other gave itself.
            try await stage.post([.numbered(1, .pcrNegative), .numbered(2, .pcrPositive)], labID: "one", as: "bonn")
            let answer = try await stage.ask(.numbered(1))
            #expect(answer == ResultAnswer(testResult: .pcrPositive, sampleCollected: 5, labID: "one"))
            #expect(try await stage.ask(.numbered(2)).testResult == .pcrPositive)
            #expect(Set(try await Self.owners(stage)) == ["berlin", "bonn"])
            #expect(Self.metric("foreign_results_total", of: stage) == 1)
        }
    }

    @Test("a centre's result doesn't belong to a laboratory, even if both have the same name")
    func otherKind() async throws {
        try await ResultStage.run { stage in
            let id = try CentreTestID.numbered(1)
            try await stage.post(
                [CentreResults.Result(id: id, result: .quickPositive, sampleCollected: nil)], as: "berlin", .quickTest,
                TestResultAPI.quickTestResults)
            try await stage.post([.init(id: id.scanned, result: .pcrNegative, sampleCollected: nil)], as: "berlin")
            #expect(try await stage.ask(id.scanned).testResult == .quickPositive)
            #expect(Self.metric("foreign_results_total", of: stage) == 1)
            try await stage.post(
                [CentreResults.Result(id: id, result: .quickNegative, sampleCollected: nil)], as: "bonn", .quickTest,
                TestResultAPI.quickTestResults)
            #expect(try await stage.ask(id.scanned).testResult == .quickPositive)
        }
    }

    @Test("a result without an owner belongs to the first of its kind that replaces it")
    func beforeOwners() async throws {
        try await ResultStage.run { stage in
            try await stage.post([.numbered(1, .pcrPositive)], as: "berlin")
            try await stage.execute("UPDATE test_results.result SET posted_by = NULL")
            try await stage.post([.numbered(1, .pcrNegative)], as: "bonn")
            try await stage.post([.numbered(1, .pcrPositive)], as: "berlin")
            #expect(try await stage.ask(.numbered(1)).testResult == .pcrNegative)
            #expect(try await Self.owners(stage) == ["bonn"])
        }
    }

    @Test("a certificate without a name may post nothing", arguments: ["", "ber\nlin"])
    func nameless(name: String) async throws {
        try await ResultStage.run { stage in
            await #expect(throws: CallError.refused(.forbidden)) { try await stage.post([.numbered(1)], as: name) }
            let count = try await stage.count()
            #expect(count == 0)
        }
    }

    @Test(
        "positive results of a laboratory have an hourly budget, and a batch beyond it is refused until the next hour")
    func budget() async throws {
        try await ResultStage.run(settings: ["positives.hourlyLimit": "3"]) { stage in
            try await stage.post([.numbered(1, .pcrPositive), .numbered(2, .pcrPositive), .numbered(3)], as: "berlin")
            await #expect(throws: CallError.refused(.tooManyRequests)) {
                try await stage.post(
                    [.numbered(4, .pcrPositive), .numbered(5, .pcrPositive), .numbered(6)], as: "berlin")
            }
            #expect(try await stage.count() == 3)
            #expect(Self.metric("positive_budget_refusals_total", of: stage) == 1)
            // What still fits is stored, and what costs nothing.
            try await stage.post([.numbered(4, .pcrPositive)], as: "berlin")
            try await stage.post([.numbered(5), .numbered(6, .pcrInvalid)], as: "berlin")
            await #expect(throws: CallError.refused(.tooManyRequests)) {
                try await stage.post([.numbered(7, .pcrPositive)], as: "berlin")
            }
            // Others have their own.
            try await stage.post([.numbered(7, .pcrPositive)], as: "bonn")
            #expect(try await stage.count() == 7)

            let body = #"{"testResults":[{"id":"\#(try ResultID.numbered(8).text)","result":2}]}"#
            stage.clock.advance(by: 600)
            let answer = try await stage.raw(.lab, name: "berlin") { try await $0.post("/api/v1/lab/results", body) }
            #expect(answer.status == 429)
            #expect(answer["retry-after"] == "3000")
            stage.clock.advance(by: 3000)
            try await stage.post([.numbered(8, .pcrPositive)], as: "berlin")
        }
    }

    @Test("a batch that alone exceeds the budget is refused")
    func largeBatch() async throws {
        try await ResultStage.run(settings: ["positives.hourlyLimit": "3"]) { stage in
            await #expect(throws: CallError.refused(.tooManyRequests)) {
                try await stage.post((0..<4).map { try .numbered($0, .pcrPositive) }, as: "berlin")
            }
            let count = try await stage.count()
            #expect(count == 0)
        }
    }

    @Test("concurrent batches together store no more than the budget allows")
    func concurrent() async throws {
        try await ResultStage.run(settings: ["positives.hourlyLimit": "10"]) { stage in
            let stored = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<30 {
                    group.addTask {
                        do {
                            try await stage.post([.numbered(number, .pcrPositive)])
                            return 1
                        } catch CallError.refused(.tooManyRequests) {
                            return 0
                        }
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(stored == 10)
            #expect(try await stage.count() == 10)
        }
    }
}
