import Calling
import Credentials
import HTTPContract
import TestResultAPI
import Testing

/// A kind of test centre: what it may post and ask.
struct Centre: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let role: Role
    let family: TestFamily
    let client: @Sendable (ResultStage) -> ServiceClient
    let results: Endpoint<CentreResults, NoContent>
    let result: Endpoint<CentreQuery, ResultAnswer>

    static let quick = Centre(
        testDescription: "rapid antigen", role: .quickTest, family: .quick, client: { $0.quickTest },
        results: TestResultAPI.quickTestResults, result: TestResultAPI.quickTestResult)
    static let pocnat = Centre(
        testDescription: "point-of-care PCR", role: .pocnat, family: .pocnat, client: { $0.pocnat },
        results: TestResultAPI.pocnatResults, result: TestResultAPI.pocnatResult)
    static let all = [quick, pocnat]

    /// The code that is as far into the centre's codes as this one is into those of PCR tests.
    func code(_ pcr: TestResultCode) -> TestResultCode { family.codes[pcr.rawValue] }

    /// What a question for a test without result is answered.
    var nothing: ResultAnswer { ResultAnswer(testResult: family.pending, sampleCollected: nil, labID: nil) }
}
