package import Credentials
import HTTPContract

/// A batch of a laboratory, whose ids are hashes.
package typealias LabResults = ResultBatch<ResultID>
/// A batch of a test centre, whose ids are unhashed.
package typealias CentreResults = ResultBatch<CentreTestID>

/// Results that are stored completely or not at all (cwa-testresult-server, `TestResultController`).
package struct ResultBatch<ID: TestName>: JSONMessage, Equatable {
    /// One test of a batch.
    package struct Result: Codable, Equatable, Sendable {
        /// The test.
        package let id: ID
        /// A code that the route accepts; any other refuses the whole batch with 400.
        package let result: TestResultCode
        /// When the sample was taken, in seconds since the epoch; nil means now.
        ///
        /// Must be between 0 and a day from now, otherwise 400.
        package let sampleCollected: Int32?

        /// Creates a result from its parts.
        package init(id: ID, result: TestResultCode, sampleCollected: Int32?) {
            self.id = id
            self.result = result
            self.sampleCollected = sampleCollected
        }

        private enum CodingKeys: String, CodingKey {
            case id, result
            case sampleCollected = "sc"
        }

        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(ID.self, forKey: .id)
            let code = try container.decode(ConvertedNumber.self, forKey: .result)
            guard let number = code.exactly, let result = TestResultCode(rawValue: number) else {
                throw MalformedMessage()
            }
            self.result = result
            let seconds = try container.decodeIfPresent(ConvertedNumber.self, forKey: .sampleCollected)
            sampleCollected = try seconds?.wholeSeconds()
        }
    }

    /// 1...1000 entries (``TestResultAPI/maximumResults``), otherwise 400.
    package let testResults: [Result]
    /// The laboratory's or centre's name for itself, at most 64 characters, none of them a control character.
    package let labID: String?

    /// Creates a batch from its parts; only the server checks their limits.
    package init(testResults: [Result], labID: String?) {
        self.testResults = testResults
        self.labID = labID
    }

    private enum CodingKeys: String, CodingKey {
        case testResults
        case labID = "labId"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        testResults = try container.decode([Result].self, forKey: .testResults)
        labID = try container.decodeIfPresent(ConvertedText.self, forKey: .labID)?.text
    }
}
