import Credentials
import FoundationEssentials
import Schema
import ServiceKit
import TestResultAPI
import TestSupport
import Testing

@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(2)))
struct ResultRetentionTests {
    @Test("a result is kept for 60 days and not a second longer, whether it was replaced meanwhile or not")
    func sixtyDays() async throws {
        try await ResultStage.run { stage in
            try await stage.post([.numbered(1, .pcrPositive), .numbered(2, .pcrPositive)])
            stage.clock.advance(by: 59 * 86_400)
            try await stage.post([.numbered(2, .pcrNegative), .numbered(3, .pcrPositive)])

            stage.clock.set(ResultStage.start + 60 * 86_400)
            #expect(try await apply(on: stage) == 0)
            #expect(try await stage.ask(.numbered(1)).testResult == .pcrPositive)

            stage.clock.advance(by: 1)
            #expect(try await apply(on: stage) == 2)
            #expect(try await stage.ask(.numbered(1)).testResult == .pcrPending)
            #expect(try await stage.ask(.numbered(2)).testResult == .pcrPending)
            #expect(try await stage.ask(.numbered(3)).testResult == .pcrPositive)
        }
    }

    /// Applies the rules as the service does, with its role.
    private func apply(on stage: ResultStage) async throws -> Int {
        try await TestPostgres.withClient(stage.database.connection(as: .testResults)) { client in
            try await Retention.apply(.testResults, at: stage.clock.now, in: client).map(\.removed).reduce(0, +)
        }
    }
}
