import Credentials
import HTTPContract
import Serving
import TestResultAPI

/// `POST /api/v1/app/result`, `/api/v1/app/results`: a result as an app may see it.
///
/// An unknown id counts as a pending test, and asking for it leaves no trace, so that guessing doesn't fill the table.
struct GetAppResult: Sendable {
    let store: ResultStore

    func handle(_ query: ResultQuery, from caller: Caller) async throws -> ResultAnswer {
        Self.answer(try await store.find([query.id])[query.id])
    }

    func handleMany(_ queries: ResultQueries, from caller: Caller) async throws -> ResultAnswers {
        guard (1...TestResultAPI.maximumQueries).contains(queries.ids.count) else { throw Problem.badRequest }
        let found = try await store.find(queries.ids, confirmed: queries.confirmed == true)
        return ResultAnswers(queries.ids.map { Self.answer(found[$0]) })
    }

    private static func answer(_ found: (result: StoredResult, labID: String?)?) -> ResultAnswer {
        guard let (result, labID) = found else {
            return ResultAnswer(testResult: .pcrPending, sampleCollected: nil, labID: nil)
        }
        return ResultAnswer(testResult: result.code.forApps, sampleCollected: result.sampleCollected, labID: labID)
    }
}
