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

    /// The code of this family that corresponds to one of PCR tests.
    func code(_ pcr: TestResultCode) -> TestResultCode { family.codes[pcr.rawValue] }

    /// The answer for a test without result.
    var nothing: ResultAnswer { ResultAnswer(testResult: family.pending, sampleCollected: nil, labID: nil) }
}
