package import Credentials
package import HTTPContract
import HTTPTypes

/// What the test result server offers (Corona-Warn-App sheet, section 2).
package enum TestResultAPI {
    /// Results of a laboratory, all or none of them stored. 400: malformed, empty, or more than ``maximumResults``.
    package static let labResults = Endpoint<LabResults, NoContent>(
        .post, "/api/v1/lab/results", callers: [.lab], bodyLimit: 262_144, success: .noContent,
        summary: "Stores a laboratory's results, all or none of them.")

    /// The result behind a hashed GUID, for the verification server; an unknown id is a pending PCR test, and asking
    /// for it stores nothing.
    package static let appResult = Endpoint<ResultQuery, ResultAnswer>(
        .post, "/api/v1/app/result", callers: [.verificationServer], bodyLimit: 1024,
        summary: "The result behind a hashed GUID; of an unknown one, that the test is pending.")

    /// The most results of one call of ``labResults``.
    package static let maximumResults = 1000
}

extension ResultID: Codable {
    package init(from decoder: any Decoder) throws {
        guard let id = ResultID(try decoder.singleValueContainer().decode(String.self)) else {
            throw MalformedMessage()
        }
        self = id
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// One batch of a laboratory.
package struct LabResults: JSONMessage, Equatable {
    /// One test of a batch.
    package struct Result: Codable, Equatable, Sendable {
        /// The test, by the hash of the GUID in its QR code or by the variant for a date of birth.
        package let id: ResultID
        /// A PCR result, 1...3; with any other number the whole batch is refused with 400.
        package let result: TestResultCode
        /// When the sample was taken, in seconds since the epoch; nil means now.
        package let sampleCollected: Int32?

        /// A result as its parts.
        package init(id: ResultID, result: TestResultCode, sampleCollected: Int32?) {
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
    /// The laboratory's name for itself, at most 64 characters, none of them a control character.
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

/// Which result is asked for (Corona-Warn-App sheet, section 2, T1).
package struct ResultQuery: JSONMessage, Equatable {
    /// The name under which a laboratory would have posted it.
    package let id: ResultID

    /// A question for one result.
    package init(_ id: ResultID) { self.id = id }
}

/// A result as the test result server tells it (Corona-Warn-App sheet, section 2, T1).
package struct ResultAnswer: JSONMessage, Equatable {
    /// As the apps know it.
    package let testResult: TestResultCode
    /// When the sample was taken, in seconds since the epoch; nil when no result was posted yet.
    package let sampleCollected: Int32?
    /// The laboratory's name for itself; nil when it gave none, or no result was posted yet.
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
