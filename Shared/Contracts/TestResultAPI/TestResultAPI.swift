import Credentials
package import HTTPContract
import HTTPTypes

/// What the test result server offers (cwa-testresult-server, `TestResultController`).
package enum TestResultAPI {
    /// Why any batch may be refused.
    private static let batchRefusals: [HTTPResponse.Status: String] = [
        .tooManyRequests: "The caller's positive results of this hour would exceed its budget; nothing was stored."
    ]

    /// Results of a laboratory, 1...3, all or none of them stored. 400: malformed, empty, more than ``maximumResults``,
    /// another code, a sample from the future. 429: the caller's budget of positive results is spent for the hour. A result that
    /// another caller posted stays as it is, as does one that is redeemed.
    package static let labResults = Endpoint<LabResults, NoContent>(
        .post, "/api/v1/lab/results", callers: [.lab], bodyLimit: 262_144, success: .noContent,
        summary: "Stores a laboratory's results, all or none of them.", refusals: batchRefusals)

    /// Results of rapid antigen tests, 5...9, under ids that the server hashes; otherwise as ``labResults``.
    package static let quickTestResults = Endpoint<CentreResults, NoContent>(
        .post, "/api/v1/quicktest/results", callers: [.quickTest], bodyLimit: 262_144, success: .noContent,
        summary: "Stores a centre's results of rapid antigen tests, all or none of them.", refusals: batchRefusals)

    /// What is stored of a rapid antigen test; an unknown id is a pending one, and asking for it stores nothing.
    package static let quickTestResult = Endpoint<CentreQuery, ResultAnswer>(
        .post, "/api/v1/quicktest/result", callers: [.quickTest], bodyLimit: 1024,
        summary: "What is stored of a rapid antigen test; of an unknown one, that it is pending.")

    /// Results of point-of-care PCR tests, 10...14, under ids that the server hashes; otherwise as ``labResults``.
    package static let pocnatResults = Endpoint<CentreResults, NoContent>(
        .post, "/api/v1/pocnat/results", callers: [.pocnat], bodyLimit: 262_144, success: .noContent,
        summary: "Stores a centre's results of point-of-care PCR tests, all or none of them.", refusals: batchRefusals)

    /// What is stored of a point-of-care PCR test; an unknown id is a pending one, and asking for it stores nothing.
    package static let pocnatResult = Endpoint<CentreQuery, ResultAnswer>(
        .post, "/api/v1/pocnat/result", callers: [.pocnat], bodyLimit: 1024,
        summary: "What is stored of a point-of-care PCR test; of an unknown one, that it is pending.")

    /// The result behind a hashed GUID, for the verification server; an unknown id is a pending PCR test, and asking
    /// for it stores nothing.
    package static let appResult = Endpoint<ResultQuery, ResultAnswer>(
        .post, "/api/v1/app/result", callers: [.verificationServer], bodyLimit: 1024,
        summary: "The result behind a hashed GUID; of an unknown one, that the test is pending.")

    /// The same for many ids at once, ours: the verification server asks for many phones together.
    package static let appResults = Endpoint<ResultQueries, ResultAnswers>(
        .post, "/api/v1/app/results", callers: [.verificationServer], bodyLimit: 65_536,
        summary: "The results behind many hashed GUIDs, in the order in which they were asked for.")

    /// The most ids of one call of ``appResults``.
    package static let maximumQueries = 256
    /// The most results of one batch.
    package static let maximumResults = 1000
}
