import ExposureKeys
import TestSupport
import Testing
import Venues

/// Days and keys; the same number gives the same key.
enum Samples {
    static let day = Day(number: 20_600)
    static let noon = day.firstHour.advanced(by: 12)
    /// When the periods of ``keys(_:)`` end.
    static let firstEnd = day.advanced(by: -2).firstInterval

    /// A key that may be published at once, unless another day or level is asked for.
    static func key(
        _ number: Int, day: Day = day.advanced(by: -3), level: Int = 5, length: UInt32 = 144
    ) throws -> DiagnosisKey {
        var random = SeededGenerator(seed: UInt64(number))
        return DiagnosisKey(
            data: try #require(KeyData((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) })),
            rollingPeriod: try #require(RollingPeriod(start: day.firstInterval, length: length)),
            transmissionRiskLevel: try #require(TransmissionRiskLevel(rawValue: level)),
            daysSinceOnsetOfSymptoms: try #require(DaysSinceOnset(rawValue: 0)), reportType: .confirmedTest)
    }

    static func keys(_ numbers: Range<Int>) throws -> [DiagnosisKey] {
        try numbers.map { try key($0) }
    }

    static func reports(_ numbers: Range<Int>) throws -> [CheckInReport] {
        try numbers.map { number in
            var random = SeededGenerator(seed: UInt64(number))
            return try #require(CheckInReport((0..<96).map { _ in UInt8.random(in: 0...255, using: &random) }))
        }
    }

    static func venueReports(_ numbers: Range<Int>) throws -> [VenueReport] {
        numbers.map { number in
            var random = SeededGenerator(seed: UInt64(number))
            return VenueReport(using: &random)
        }
    }

    static func data(_ numbers: Range<Int>) throws -> Set<KeyData> {
        Set(try keys(numbers).map(\.data))
    }
}
