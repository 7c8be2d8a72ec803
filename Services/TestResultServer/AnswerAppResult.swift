import Credentials
import ServiceKit
import TestResultAPI

/// `POST /api/v1/app/result`: the result that an app may see. An unknown id is a pending test, and asking for it leaves
/// no trace, so that nobody can fill the table by guessing.
struct AnswerAppResult: Sendable {
    let store: ResultStore

    func handle(_ query: ResultQuery, from caller: Caller) async throws -> ResultAnswer {
        guard let (result, labID) = try await store.find(query.id) else {
            return ResultAnswer(testResult: .pcrPending, sampleCollected: nil, labID: nil)
        }
        return ResultAnswer(testResult: result.code.forApps, sampleCollected: result.sampleCollected, labID: labID)
    }
}
