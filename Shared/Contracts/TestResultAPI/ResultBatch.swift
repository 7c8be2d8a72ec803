package import Credentials
import HTTPContract

/// One batch of a laboratory, whose ids are hashes.
package typealias LabResults = ResultBatch<ResultID>
/// One batch of a test centre, whose ids are unhashed.
package typealias CentreResults = ResultBatch<CentreTestID>

/// Results that are stored together or not at all (cwa-testresult-server, `TestResultController`).
package struct ResultBatch<ID: TestName>: JSONMessage, Equatable {
    /// One test of a batch.
    package struct Result: Codable, Equatable, Sendable {
        /// The test.
        package let id: ID
        /// A code that the route takes; with any other the whole batch is refused with 400.
        package let result: TestResultCode
        /// When the sample was taken, in seconds since the epoch; nil means now. 400 unless it is between 0 and a day
        /// from now.
        package let sampleCollected: Int32?

        /// A result as its parts.
        package init(id: ID, result: TestResultCode, sampleCollected: Int32?) {
            self.id = id
            self.result = result
            self.sampleCollected = sampleCollected
        }

        private enum CodingKeys: String, CodingKey {
            case id, result
            case sampleCollected = "sc"
        }
    }

    /// 1...1000 entries (``TestResultAPI/maximumResults``), else 400.
    package let testResults: [Result]
    /// The laboratory's or centre's name for itself, at most 64 characters, none of them a control character.
    package let labID: String?

    /// A batch as its parts; only the server checks their limits.
    package init(testResults: [Result], labID: String?) {
        self.testResults = testResults
        self.labID = labID
    }

    private enum CodingKeys: String, CodingKey {
        case testResults
        case labID = "labId"
    }
}
