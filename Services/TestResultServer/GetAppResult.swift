import Credentials
import HTTPContract
import Running
import Serving
import TestResultAPI

/// `POST /api/v1/app/result`, `/api/v1/app/results`: a result as an app may see it.
///
/// An unknown id counts as a pending test, and asking for it leaves no trace, so that guessing doesn't fill the table.
struct GetAppResult: Sendable {
    let store: ResultStore
    let clock: WallClock

    /// The single route answers as the Corona-Warn-App's server does, where the query creates a row with the current time.
    ///
    /// Its verification server reads a missing `sc` as 0, and tells phones 1970 (cwa-testresult-server, `TestResultService`;
    /// cwa-verification-server, `TestResult`).
    func handle(_ query: ResultQuery, from caller: Caller) async throws -> ResultAnswer {
        let answer = Self.answer(try await store.find([query.id])[query.id])
        return ResultAnswer(
            testResult: answer.testResult, sampleCollected: answer.sampleCollected ?? clock.epochSeconds,
            labID: answer.labID)
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
