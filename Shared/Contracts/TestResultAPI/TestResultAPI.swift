import Credentials
package import HTTPContract
import HTTPTypes

/// The operations of the test result server (cwa-testresult-server, `TestResultController`).
package enum TestResultAPI {
    /// Why any batch may be refused.
    private static let batchRefusals: [HTTPResponse.Status: String] = [
        .tooManyRequests: "The caller's positive results of this hour would exceed its budget; nothing was stored."
    ]

    /// Stores results of a laboratory, codes 1...3, completely or not at all.
    ///
    /// 400: malformed, empty, more than ``maximumResults``, another code, a sample from the future. 429: the caller's budget of
    /// positive results for this hour is used up. A result stays unchanged if another caller posted it or if it is redeemed.
    package static let labResults = Endpoint<LabResults, NoContent>(
        .post, "/api/v1/lab/results", callers: [.lab], bodyLimit: 262_144, success: .noContent,
        summary: "Stores a laboratory's results, all or none of them.", refusals: batchRefusals)

    /// Stores results of rapid antigen tests, codes 5...9, under ids that the server hashes; otherwise like ``labResults``.
    package static let quickTestResults = Endpoint<CentreResults, NoContent>(
        .post, "/api/v1/quicktest/results", callers: [.quickTest], bodyLimit: 262_144, success: .noContent,
        summary: "Stores a centre's results of rapid antigen tests, all or none of them.", refusals: batchRefusals)

    /// Returns the stored result of a rapid antigen test. An unknown id counts as a pending test, and the query stores nothing.
    package static let quickTestResult = Endpoint<CentreQuery, ResultAnswer>(
        .post, "/api/v1/quicktest/result", callers: [.quickTest], bodyLimit: 1024,
        summary: "What is stored of a rapid antigen test; of an unknown one, that it is pending.")

    /// Stores results of point-of-care PCR tests, codes 10...14, under ids that the server hashes; otherwise like
    /// ``labResults``.
    package static let pocnatResults = Endpoint<CentreResults, NoContent>(
        .post, "/api/v1/pocnat/results", callers: [.pocnat], bodyLimit: 262_144, success: .noContent,
        summary: "Stores a centre's results of point-of-care PCR tests, all or none of them.", refusals: batchRefusals)

    /// Returns the stored result of a point-of-care PCR test.
    ///
    /// An unknown id counts as a pending test, and the query stores nothing.
    package static let pocnatResult = Endpoint<CentreQuery, ResultAnswer>(
        .post, "/api/v1/pocnat/result", callers: [.pocnat], bodyLimit: 1024,
        summary: "What is stored of a point-of-care PCR test; of an unknown one, that it is pending.")

    /// Returns the result of a hashed GUID to the verification server.
    ///
    /// An unknown id counts as a pending PCR test, and the query stores nothing.
    package static let appResult = Endpoint<ResultQuery, ResultAnswer>(
        .post, "/api/v1/app/result", callers: [.verificationServer], bodyLimit: 1024,
        summary: "The result behind a hashed GUID; of an unknown one, that the test is pending.")

    /// The same for many ids, an addition of Vigil: the verification server queries for many phones at once.
    package static let appResults = Endpoint<ResultQueries, ResultAnswers>(
        .post, "/api/v1/app/results", callers: [.verificationServer], bodyLimit: 65_536,
        summary: "The results behind many hashed GUIDs, in the order in which they were asked for.")

    /// The maximum number of ids in one call of `appResults`.
    package static let maximumQueries = 256
    /// The maximum number of results in one batch.
    package static let maximumResults = 1000
}
