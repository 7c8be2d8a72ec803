import Credentials
import Serving
import TestResultAPI

/// `POST /api/v1/quicktest/result`, `/api/v1/pocnat/result`: the stored result of a test, for centres that perform such tests.
///
/// They learn nothing about other kinds of test.
///
/// It only reads. In Corona-Warn-App the request inserted a row under another id than it looked up, so that the second one
/// failed (<https://github.com/corona-warn-app/cwa-quicktest-onboarding/issues/41>).
struct GetCentreResult: Sendable {
    let family: TestFamily
    let store: ResultStore

    func handle(_ query: CentreQuery, from caller: Caller) async throws -> ResultAnswer {
        let ids = query.id.possibleResultIDs
        let found = try await store.find(ids)
        for id in ids {
            if let (result, labID) = found[id], result.code.family == family {
                return ResultAnswer(testResult: result.code, sampleCollected: result.sampleCollected, labID: labID)
            }
        }
        return ResultAnswer(testResult: family.pending, sampleCollected: nil, labID: nil)
    }
}
