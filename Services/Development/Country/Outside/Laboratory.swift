import Calling
import CountryModel
import Credentials
import Foundation
import TestResultAPI

/// The laboratory: it posts results under hashed ids, in batches.
struct Laboratory: Sendable {
    private let results: ServiceClient
    private let seed: UInt64

    /// - Parameters:
    ///   - results: the test result server, as a laboratory reaches it.
    init(results: ServiceClient, seed: UInt64) {
        self.results = results
        self.seed = seed
    }

    /// The hash of the id in a test's QR code.
    func guid(of test: TestID) -> HashedGUID {
        HashedGUID(hashing: "country \(seed), test \(test.rawValue)")
    }

    /// Posts results, which count from the answer on.
    func post(_ batch: [HourEvents.LabResult]) async throws {
        for start in stride(from: 0, to: batch.count, by: TestResultAPI.maximumResults) {
            let part = batch[start..<min(start + TestResultAPI.maximumResults, batch.count)]
            let entries = part.map { result in
                LabResults.Result(
                    id: ResultID(guid(of: result.test)), result: result.isPositive ? .pcrPositive : .pcrNegative,
                    sampleCollected: nil)
            }
            let body = LabResults(testResults: entries, labID: "country")
            _ = try await persistently { try await results.call(TestResultAPI.labResults, body) }
        }
    }
}
