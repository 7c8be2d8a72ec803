package import Credentials
import HTTPContract

/// A result, as the test result server returns it (cwa-testresult-server, `TestResultController`).
package struct ResultAnswer: JSONMessage, Equatable {
    /// For the verification server, the result as apps know it (0...9); for a test centre, a code of its kind of test.
    package let testResult: TestResultCode
    /// When the sample was taken, in seconds since the epoch; nil if no result has been posted yet. Then ``TestResultAPI/appResult``
    /// has the current time.
    package let sampleCollected: Int32?
    /// The laboratory's or centre's name for itself; nil if it gave none, or if no result has been posted yet.
    package let labID: String?

    /// Creates an answer from its parts.
    package init(testResult: TestResultCode, sampleCollected: Int32?, labID: String?) {
        self.testResult = testResult
        self.sampleCollected = sampleCollected
        self.labID = labID
    }

    private enum CodingKeys: String, CodingKey {
        case testResult
        case sampleCollected = "sc"
        case labID = "labId"
    }
}

/// Results of one query.
package struct ResultAnswers: JSONMessage, Equatable {
    /// One result for each id, in their order.
    package let results: [ResultAnswer]

    /// Creates the answer to a query with as many ids.
    package init(_ results: [ResultAnswer]) { self.results = results }
}
