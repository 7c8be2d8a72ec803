package import Credentials
import HTTPContract

/// A result as the test result server tells it (cwa-testresult-server, `TestResultController`).
package struct ResultAnswer: JSONMessage, Equatable {
    /// For the verification server as the apps know it (0...9); for a test centre a code of its kind of test.
    package let testResult: TestResultCode
    /// When the sample was taken, in seconds since the epoch; nil when no result was posted yet.
    package let sampleCollected: Int32?
    /// The laboratory's or centre's name for itself; nil when it gave none, or no result was posted yet.
    package let labID: String?

    /// An answer as its parts.
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

/// Results that were asked for together.
package struct ResultAnswers: JSONMessage, Equatable {
    /// As many as there were ids, in their order.
    package let results: [ResultAnswer]

    /// An answer to a question with as many ids.
    package init(_ results: [ResultAnswer]) { self.results = results }
}
