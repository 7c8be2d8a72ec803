import Credentials
import FoundationEssentials
import Postgres
import Running
import Schema
import TestResultAPI
import TestSupport
import Testing

@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct ResultRetentionTests {
    private static let day: Double = 86_400

    @Test("a result is available for 21 days after the first post for the test, and not a second longer")
    func twentyOneDays() async throws {
        try await ResultStage.run { stage in
            try await stage.post([.numbered(1, .pcrPositive), .numbered(2, .pcrPositive)], labID: "lab-7")
            try await stage.post([.numbered(1, .quickPending)], from: .quick)
            stage.clock.advance(by: 20 * Self.day)
            try await stage.post([.numbered(2, .pcrNegative), .numbered(3, .pcrPositive)])
            try await stage.post([.numbered(1, .quickPositive)], from: .quick)

            stage.clock.set(ResultStage.start + 21 * Self.day)
            #expect(try await stage.applyRetention() == 0)
            #expect(try await stage.ask(.numbered(1)).testResult == .pcrPositive)

            stage.clock.advance(by: 1)
            #expect(try await stage.applyRetention() == 3)
            #expect(try await stage.ask(.numbered(1)).testResult == .pcrRedeemed)
            #expect(try await stage.ask(.numbered(2)).testResult == .pcrRedeemed)
            #expect(try await stage.ask(.numbered(3)).testResult == .pcrPositive)
            #expect(try await stage.ask(CentreTestID.numbered(1).scanned).testResult == .quickRedeemed)
            #expect(try await stage.applyRetention() == 0)
        }
    }

    @Test(
        "each kind of test has a redeemed code of its own, whatever the result was", arguments: TestResultCode.allCases)
    func redeemedCode(code: TestResultCode) async throws {
        try await ResultStage.run { stage in
            let id = try CentreTestID.numbered(1)
            try await stage.post([.init(id: id.scanned, result: .pcrNegative, sampleCollected: 5)], labID: "lab-7")
            try await stage.execute("UPDATE test_results.result SET code = \(Int16(code.rawValue))")
            stage.clock.advance(by: 21 * Self.day + 1)
            try await stage.applyRetention()
            let redeemed = code.family.redeemed
            let answer = try await stage.ask(id.scanned)
            #expect(answer == ResultAnswer(testResult: redeemed.forApps, sampleCollected: 5, labID: "lab-7"))
            for centre in Centre.all where centre.family == code.family {
                #expect(try await stage.ask(id, from: centre).testResult == redeemed)
            }
        }
    }

    @Test("a later post, by anybody, doesn't restore a redeemed result")
    func noResurrection() async throws {
        try await ResultStage.run { stage in
            let id = try CentreTestID.numbered(1)
            try await stage.post([.init(id: id.scanned, result: .pcrPositive, sampleCollected: nil)])
            stage.clock.advance(by: 21 * Self.day + 1)
            #expect(try await stage.applyRetention() == 1)
            try await stage.post([.init(id: id.scanned, result: .pcrPositive, sampleCollected: nil)])
            for centre in Centre.all { try await stage.post([.numbered(1, centre.code(.pcrPositive))], from: centre) }
            #expect(try await stage.ask(id.scanned).testResult == .pcrRedeemed)
        }
    }

    @Test("a post between the limit and the next run of the job lasts until that run only")
    func betweenRuns() async throws {
        try await ResultStage.run { stage in
            try await stage.post([.numbered(1, .pcrNegative)])
            stage.clock.advance(by: 21 * Self.day + 1)
            try await stage.post([.numbered(1, .pcrPositive)])
            #expect(try await stage.applyRetention() == 1)
            #expect(try await stage.ask(.numbered(1)).testResult == .pcrRedeemed)
        }
    }

    @Test("a result is deleted 60 days after its first post, whether or not it was replaced meanwhile")
    func sixtyDays() async throws {
        try await ResultStage.run { stage in
            try await stage.post([.numbered(1, .pcrPositive), .numbered(2, .pcrPositive)])
            stage.clock.advance(by: 59 * Self.day)
            try await stage.post([.numbered(2, .pcrNegative), .numbered(3, .pcrPositive)])

            stage.clock.set(ResultStage.start + 60 * Self.day)
            #expect(try await stage.applyRetention() == 2)
            #expect(try await stage.ask(.numbered(1)).testResult == .pcrRedeemed)

            stage.clock.advance(by: 1)
            #expect(try await stage.applyRetention() == 2)
            #expect(try await stage.ask(.numbered(1)).testResult == .pcrPending)
            #expect(try await stage.ask(.numbered(2)).testResult == .pcrPending)
            #expect(try await stage.ask(.numbered(3)).testResult == .pcrPositive)
            #expect(try await stage.count() == 1)
        }
    }

    @Test("a large backlog is processed in one run")
    func backlog() async throws {
        try await ResultStage.run { stage in
            try await stage.execute(
                """
                INSERT INTO test_results.result (id, code, sample_collected, created_at)
                SELECT encode(sha256(number::text::bytea), 'hex'), number % 15, 0, \(ResultStage.start)
                FROM generate_series(1, 30000) AS number
                """)
            stage.clock.advance(by: 22 * Self.day)
            // Those that are redeemed already are left alone.
            #expect(try await stage.applyRetention() == 24_000)
            #expect(try await stage.applyRetention() == 0)
            stage.clock.advance(by: 39 * Self.day)
            #expect(try await stage.applyRetention() == 30_000)
            #expect(try await stage.count() == 0)
        }
    }
}
