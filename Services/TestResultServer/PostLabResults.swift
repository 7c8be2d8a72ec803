import Credentials
import FoundationEssentials
import HTTPContract
import ServiceKit
import TestResultAPI

/// `POST /api/v1/lab/results`: a laboratory's batch, stored whole or not at all.
struct PostLabResults: Sendable {
    let store: ResultStore
    let clock: WallClock

    func handle(_ batch: LabResults, from caller: Caller) async throws -> NoContent {
        guard (1...TestResultAPI.maximumResults).contains(batch.testResults.count),
            batch.testResults.allSatisfy(\.result.isLabResult), batch.labID.map(Self.isName) != false
        else { throw Problem.badRequest }
        try await store.upsert(batch.testResults.map(stored), labID: batch.labID, at: clock.now)
        return NoContent()
    }

    /// At most 64 characters, none of them a control character: the database takes no NUL, and apps are told the name.
    private static func isName(_ text: String) -> Bool {
        text.unicodeScalars.count <= 64 && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// The time of the sample defaults to now, in the seconds that apps read.
    private func stored(_ result: LabResults.Result) -> StoredResult {
        StoredResult(
            id: result.id, code: result.result,
            sampleCollected: result.sampleCollected ?? Int32(clamping: Int64(clock.now.timeIntervalSince1970)))
    }
}
