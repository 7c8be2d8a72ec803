import Credentials
import ExposureFormat
import ExposureKeys
import Foundation
import Testing

/// Keys, TANs and payloads as phones make them; the same number gives the same.
enum Samples {
    /// What the tests' clock shows at first: ten minutes after noon.
    static let day = Day(number: 20_600)
    static let hour = day.firstHour.advanced(by: 12)
    static let now = hour.start.addingTimeInterval(600)

    /// The key of one of the fourteen days before ``day``.
    static func key(_ number: Int) throws -> DiagnosisKey {
        try key(number, day: day.advanced(by: -1 - number % 14))
    }

    static func key(_ number: Int, day: Day) throws -> DiagnosisKey {
        var random = SeededGenerator(seed: UInt64(number))
        return DiagnosisKey(
            data: try #require(KeyData((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) })),
            rollingPeriod: try #require(RollingPeriod(start: day.firstInterval, length: IntervalNumber.perDay)),
            transmissionRiskLevel: try #require(TransmissionRiskLevel(rawValue: 1 + number % 8)),
            daysSinceOnsetOfSymptoms: try #require(DaysSinceOnset(rawValue: Int32(number % 14))),
            reportType: .confirmedTest)
    }

    static func keys(_ numbers: Range<Int>) throws -> [DiagnosisKey] {
        try numbers.map { try key($0) }
    }

    static func tan() throws -> TAN {
        var random = SystemRandomNumberGenerator()
        return TAN(RandomIdentifier(using: &random))
    }

    static func tag(_ number: Int) -> Digest { Digest(sha256: "tag \(number)".utf8) }

    static func payload(_ keys: [DiagnosisKey], padding: Int = 0) throws -> [UInt8] {
        var payload = SubmissionPayload()
        payload.keys = keys.map(TemporaryExposureKey.init(uploading:))
        payload.origin = "DE"
        payload.requestPadding = Data(repeating: 0, count: padding)
        return try payload.encoded()
    }
}

/// SplitMix64: good enough to vary tests, and the same on every run.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}
