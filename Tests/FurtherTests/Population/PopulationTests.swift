import Foundation
import Phone
import TestSupport
import Testing

/// A thousand phones meet each other on 14 days, on the service itself, with a clock that the test moves.
///
/// Requests and answers are lost. Whoever met somebody with a positive test is told in the evening: once, and nobody else is.
@Suite(.enabled(if: TestPostgres.isAvailable, "needs PostgreSQL's programs"), .timeLimit(.minutes(10)))
struct PopulationTests {
    @Test func `in fourteen days everybody is told of the positive people they met, once, and nobody else is`()
        async throws
    {
        try await Population.run(phones: 1000, days: 14, seed: 23) { population in
            #expect(population.oracle.violations == [])
            let told = population.oracle.told.values.reduce(0) { $0 + $1.count }
            // It was no idle fortnight.
            #expect(told > 300)
            #expect(population.retractions > 3)
            #expect(population.lostRequests > 20 && population.lostAnswers > 20 && population.lostLists > 500)
            print(
                "1000 phones, 14 days: \(population.posts) posts, \(told) exposures told, "
                    + "\(population.lostRequests + population.lostAnswers) posts and \(population.lostLists) lists lost."
            )
        }
    }

    private let noon = Date(timeIntervalSince1970: 1_794_312_000)

    /// Person 1 has met person 0, whose answers the server took at noon.
    private func oracle(isPositive: Bool, isOfDay: Bool = false) -> (Oracle, UUID) {
        var oracle = Oracle()
        let id = UUID()
        oracle.meet(1, Oracle.Sent(id: id, owner: 0, at: noon - 3600, isOfDay: isOfDay))
        oracle.take(from: 0, isPositive: isPositive, at: noon)
        return (oracle, id)
    }

    @Test func `the oracle notices who isn't told, is told twice, too often counted, or without a reason`() {
        let evening = noon + 7 * 3600
        var (good, id) = oracle(isPositive: true)
        good.judge(1, toldOf: [id], counted: 1, at: evening)
        good.judge(1, toldOf: [], counted: 0, at: evening + 86_400)
        #expect(good.violations == [])
        good.judge(1, toldOf: [id], counted: 1, at: evening + 86_400)
        #expect(good.violations.count == 1)

        for isOfDay in [false, true] {
            var (silent, _) = oracle(isPositive: true, isOfDay: isOfDay)
            silent.judge(1, toldOf: [], counted: 0, at: evening)
            #expect(silent.violations.count == 1)
            var (false_, other) = oracle(isPositive: false, isOfDay: isOfDay)
            false_.judge(1, toldOf: [other], counted: 1, at: evening)
            #expect(false_.violations.count == 1)
        }
        var (wrong, counted) = oracle(isPositive: true)
        wrong.judge(1, toldOf: [counted], counted: 2, at: evening)
        #expect(wrong.violations.count == 1)
        var (stranger, _) = oracle(isPositive: true)
        stranger.judge(1, toldOf: [UUID()], counted: 1, at: noon + 60)
        #expect(stranger.violations.count == 1)
    }
}
