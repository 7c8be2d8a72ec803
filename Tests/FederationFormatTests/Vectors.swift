import ExposureKeys
import FederationFormat
import Foundation
import TestSupport
import Testing

/// What another program made: `Fixtures/make-vectors.py`.
struct Vectors: Decodable, Sendable {
    let protobuf: Data
    let json: String
    let records: [String]
    let digest: String
    let signatures: [Signature]
    let anchor: String
    let otherAnchor: String
    let otherAnchorsSignature: String
    let audit: [AuditEntry]
    let download: Data

    struct Signature: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let cms: Data
        let certificate: String
        /// Nil if the signature is valid.
        let flaw: String?
        /// Nil for the batch's.
        let content: Data?

        var testDescription: String { name }
    }

    static let all: Vectors? = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/vectors.json")
        return try? JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
    }()

    static func read() throws -> Vectors { try #require(all) }

    func batch() throws -> ReceivedBatch { try ReceivedBatch(protobuf: Array(protobuf), limit: 100_000) }
}

/// Keys for tests.
enum Sample {
    static let countries = ["AT", "DE", "FR", "IE", "PL"].compactMap { CountryCode($0) }

    /// A good key of any values.
    static func key(_ random: inout SeededGenerator, origin: CountryCode? = nil) throws -> FederatedKey {
        let start = IntervalNumber(rawValue: UInt32.random(in: 2_600_000...3_000_000, using: &random))
        let visited = (0..<Int.random(in: 0...4, using: &random)).compactMap { _ in
            countries.randomElement(using: &random)
        }
        let period = RollingPeriod(start: start, length: UInt32.random(in: 1...144, using: &random))
        let level = FederatedRiskLevel(rawValue: Int32.random(in: 0...8, using: &random))
        let isUnset = Bool.random(using: &random)
        let country = origin ?? countries.randomElement(using: &random)
        let type = ReportType.allCases.randomElement(using: &random)
        let key = FederatedKey(
            data: KeyData(high: random.next(), low: random.next()), rollingPeriod: try #require(period),
            riskLevel: isUnset ? .unset : try #require(level), visitedCountries: visited, origin: try #require(country),
            reportType: try #require(type), daysSinceOnset: Int32.random(in: -20...4100, using: &random))
        return try #require(key)
    }

    static func keys(_ count: Int, seed: UInt64) throws -> [FederatedKey] {
        var random = SeededGenerator(seed: seed)
        return try (0..<count).map { _ in try key(&random) }
    }

    /// A good key as it was sent, to be made bad.
    static let unchecked = UncheckedKey(
        data: [UInt8](1...16), rollingStart: 2_960_000, rollingPeriod: 144, riskLevel: Int32.max,
        visitedCountries: ["FR", "PL"], origin: "DE", reportType: 1, daysSinceOnset: 3986)
}

func hexadecimal(_ bytes: some Sequence<UInt8>) -> String { bytes.map { String(format: "%02x", $0) }.joined() }
