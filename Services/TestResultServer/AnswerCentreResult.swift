import Credentials
import Serving
import TestResultAPI

/// `POST /api/v1/quicktest/result`, `/api/v1/pocnat/result`: what is stored of a test, for the centres that make such
/// tests. Of other kinds of test they learn nothing.
///
/// The question only reads. In the field it made a row under one name and looked it up under another, so that the second
/// one failed (Corona-Warn-App sheet, section 2, T4).
struct AnswerCentreResult: Sendable {
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
