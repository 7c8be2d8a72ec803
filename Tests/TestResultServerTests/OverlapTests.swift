import Credentials
import Dispatch
import FoundationEssentials
import Postgres
import Running
import Schema
import TestResultAPI
import TestSupport
import Testing

/// Concurrent batches that share tests: each is stored as a whole, and none deadlocks.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct OverlapTests {
    private static let tests = 0..<300

    /// Every batch contains every test, in ascending or descending order, all positive or all negative, and is named.
    private func postAll(_ round: Int, on stage: ResultStage) async throws {
        let numbers = round.isMultiple(of: 2) ? Array(Self.tests) : Self.tests.reversed()
        let code = round.isMultiple(of: 3) ? TestResultCode.pcrPositive : .pcrNegative
        try await stage.post(numbers.map { try LabResults.Result.numbered($0, code) }, labID: "batch \(round)")
    }

    /// The same tests, claimed by a laboratory and by centres of both kinds.
    private func claimAll(_ round: Int, on stage: ResultStage) async throws {
        let numbers = round.isMultiple(of: 2) ? Array(Self.tests) : Self.tests.reversed()
        if round.isMultiple(of: 3) {
            let results = try numbers.map {
                LabResults.Result(id: try CentreTestID.numbered($0).scanned, result: .pcrPositive, sampleCollected: nil)
            }
            try await stage.post(results)
        } else {
            let centre = round % 3 == 1 ? Centre.quick : .pocnat
            try await stage.post(
                numbers.map { try CentreResults.Result.numbered($0, centre.code(.pcrPositive)) }, from: centre)
        }
    }

    @Test("of concurrent batches of different owners, the first one is stored as a whole")
    func claims() async throws {
        try await ResultStage.run(settings: ["positives.hourlyLimit": "1000000"]) { stage in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for round in 0..<24 { group.addTask { try await self.claimAll(round, on: stage) } }
                try await group.waitForAll()
            }
            let (count, writers) = try await TestPostgres.withClient(stage.database.superuserConnection) { client in
                try await client.session { session in
                    try #require(
                        try session.row(
                            "SELECT count(*), count(DISTINCT (posted_by, code)) FROM test_results.result", as: Int.self,
                            Int.self))
                }
            }
            #expect(count == Self.tests.count)
            #expect(writers == 1)
        }
    }

    @Test("of concurrent batches of one laboratory, the last one is stored as a whole")
    func opposite() async throws {
        try await ResultStage.run(settings: ["positives.hourlyLimit": "1000000"]) { stage in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for round in 0..<24 { group.addTask { try await self.postAll(round, on: stage) } }
                try await group.waitForAll()
            }
            let (count, writers) = try await TestPostgres.withClient(stage.database.superuserConnection) { client in
                try await client.session { session in
                    try #require(
                        try session.row(
                            "SELECT count(*), count(DISTINCT (lab_id, code)) FROM test_results.result", as: Int.self,
                            Int.self))
                }
            }
            #expect(count == Self.tests.count)
            #expect(writers == 1)
        }
    }

    @Test("retention and batches don't block each other")
    func withRetention() async throws {
        try await ResultStage.run(settings: ["positives.hourlyLimit": "1000000"]) { stage in
            try await postAll(0, on: stage)
            stage.clock.advance(by: 22 * 86_400)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for round in 1..<13 {
                    group.addTask { try await self.postAll(round, on: stage) }
                    group.addTask { try await stage.applyRetention() }
                }
                try await group.waitForAll()
            }
            try await stage.applyRetention()
            let redeemed = try await TestPostgres.withClient(stage.database.superuserConnection) { client in
                try await client.session { session in
                    try session.row(
                        "SELECT count(*) FROM test_results.result WHERE code IN (4, 9, 14)", as: Int.self)
                }
            }
            #expect(redeemed == Self.tests.count)
        }
    }

    @Test("retention leaves a result that a batch is writing to its next run, without waiting")
    func skipped() async throws {
        try await ResultStage.run { stage in
            try await stage.post([.numbered(1), .numbered(2)])
            stage.clock.advance(by: 22 * 86_400)
            let id = try ResultID.numbered(1).text
            let (locked, announce) = AsyncStream.makeStream(of: Void.self)
            let released = DispatchSemaphore(value: 0)
            try await TestPostgres.withClient(stage.database.connection(as: .testResults)) { client in
                async let batch: Void = client.transaction { session in
                    try session.execute("UPDATE test_results.result SET lab_id = 'slow' WHERE id = \(id)")
                    announce.finish()
                    _ = released.wait(timeout: .now() + 8)
                }
                for await _ in locked {}
                #expect(try await stage.applyRetention() == 1)
                released.signal()
                try await batch
            }
            #expect(try await stage.ask(.numbered(1)).testResult == .pcrNegative)
            #expect(try await stage.applyRetention() == 1)
            #expect(try await stage.ask(.numbered(1)).testResult == .pcrRedeemed)
        }
    }
}
