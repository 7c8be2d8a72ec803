import Credentials
import FoundationEssentials
import HTTPContract
import Metrics
import Running
import Serving
import TestResultAPI

/// `POST /api/v1/lab/results`, `/api/v1/quicktest/results`, `/api/v1/pocnat/results`: stores a batch of one kind of test,
/// completely or not at all.
///
/// A result of another laboratory stays unchanged, and the answer doesn't say so, as for a redeemed result: nobody learns
/// which ids others have posted.
struct PostResults: Sendable {
    let family: TestFamily
    let store: ResultStore
    let clock: WallClock
    let budget: PositiveBudget
    /// Results that stayed unchanged because another laboratory posted them.
    let foreignResults: Counter

    func handle<ID>(_ batch: ResultBatch<ID>, from caller: Caller) async throws -> NoContent {
        let now = clock.now
        let laboratory = try Laboratory(caller)
        guard (1...TestResultAPI.maximumResults).contains(batch.testResults.count),
            batch.testResults.allSatisfy({ family.accepts($0.result) && Self.isPossible($0.sampleCollected, at: now) }),
            batch.labID.map(Laboratory.isName) != false
        else { throw Problem.badRequest }
        let results = batch.testResults.map { result in
            StoredResult(
                id: result.id.resultID, code: result.result,
                sampleCollected: result.sampleCollected ?? Int32(clamping: Self.seconds(now)))
        }
        switch try await store.upsert(
            results, of: family, from: laboratory, labID: batch.labID, at: now, positivesPerHour: budget.perHour)
        {
        case .stored(let foreign):
            if foreign > 0 { foreignResults.increment(by: foreign) }
            return NoContent()
        case .overLimit:
            budget.refused()
            throw Problem.tooManyRequests(retryAfter: 3600 - Int(Self.seconds(now) % 3600))
        }
    }

    /// Whether the time is not before 1970 and at most a day ahead.
    ///
    /// A clock may be in another time zone; a larger difference is a defect of the sender, which has to notice it before phones
    /// receive the time.
    private static func isPossible(_ sampleCollected: Int32?, at now: Date) -> Bool {
        sampleCollected.map { (0...max(0, seconds(now) + 86_400)).contains(Int64($0)) } != false
    }

    /// Seconds since the epoch, as apps receive times.
    private static func seconds(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970) }
}
