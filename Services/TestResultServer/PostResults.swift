import Credentials
import FoundationEssentials
import HTTPContract
import ServiceKit
import TestResultAPI

/// `POST /api/v1/lab/results`, `/api/v1/quicktest/results`, `/api/v1/pocnat/results`: a batch of one kind of test, stored
/// whole or not at all.
struct PostResults: Sendable {
    let family: TestFamily
    let store: ResultStore
    let clock: WallClock

    func handle<ID>(_ batch: ResultBatch<ID>, from caller: Caller) async throws -> NoContent {
        let now = clock.now
        guard (1...TestResultAPI.maximumResults).contains(batch.testResults.count),
            batch.testResults.allSatisfy({ family.accepts($0.result) && Self.isPossible($0.sampleCollected, at: now) }),
            batch.labID.map(Self.isName) != false
        else { throw Problem.badRequest }
        let results = batch.testResults.map { result in
            StoredResult(
                id: result.id.resultID, code: result.result,
                sampleCollected: result.sampleCollected ?? Int32(clamping: Self.seconds(now)))
        }
        try await store.upsert(results, labID: batch.labID, at: now)
        return NoContent()
    }

    /// Not before 1970, and at most a day from now: a clock may be a time zone wrong, but what is further off was
    /// computed wrongly, and would be told to phones. Whoever sends it shall notice.
    private static func isPossible(_ sampleCollected: Int32?, at now: Date) -> Bool {
        sampleCollected.map { (0...max(0, seconds(now) + 86_400)).contains(Int64($0)) } != false
    }

    /// At most 64 characters, none of them a control character: the database takes no NUL, and apps are told the name.
    private static func isName(_ text: String) -> Bool {
        text.unicodeScalars.count <= 64 && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// Since the epoch, as apps read times.
    private static func seconds(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970) }
}
