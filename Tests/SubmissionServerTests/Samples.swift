import Credentials
import ExposureFormat
import ExposureKeys
import Foundation
import TestSupport
import Testing
import Venues

@testable import SubmissionServer

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
            data: try #require(
                KeyData(mark + (mark.count..<16).map { _ in UInt8.random(in: 0...255, using: &random) })),
            rollingPeriod: try #require(RollingPeriod(start: day.firstInterval, length: IntervalNumber.perDay)),
            transmissionRiskLevel: try #require(TransmissionRiskLevel(rawValue: 1 + number % 8)),
            daysSinceOnsetOfSymptoms: try #require(DaysSinceOnset(rawValue: Int32(number % 14))),
            reportType: .confirmedTest)
    }

    /// What the data of all these keys begins with, and that of fillers doesn't.
    private static let mark: [UInt8] = [0x5a, 0xa5, 0x69, 0x96]

    static func isSample(_ data: KeyData) -> Bool { data.bytes.starts(with: mark) }

    static func isSample(_ report: CheckInReport) -> Bool { report.authenticationCode.starts(with: mark) }

    /// A report whose venue is one of four.
    static func report(_ number: Int, venue: Int? = nil) throws -> CheckInReport {
        var random = SeededGenerator(seed: UInt64(number))
        func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) } }
        return try #require(
            CheckInReport(
                locationIDHash: Digest(sha256: "venue \(venue ?? number % 4)".utf8).bytes,
                initializationVector: bytes(16), encryptedRecord: bytes(16), authenticationCode: mark + bytes(28)))
    }

    static func reports(_ numbers: Range<Int>) throws -> [CheckInReport] {
        try numbers.map { try report($0) }
    }

    static func content(
        _ keys: Range<Int> = 0..<0, reports: Range<Int> = 0..<0, venueReports: Range<Int> = 0..<0
    ) throws -> UploadContent {
        UploadContent(
            keys: try Self.keys(keys).sorted(), reports: try Self.reports(reports).sorted(),
            venueReports: try Self.venueReports(venueReports).sorted())
    }

    /// Reports in Apple's form.
    static func venueReports(_ numbers: Range<Int>) throws -> [VenueReport] {
        try numbers.map { number in
            var random = SeededGenerator(seed: UInt64(number))
            let vector = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
            return try #require(
                VenueReport(vector + mark + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 37)))
        }
    }

    static func isSample(_ report: VenueReport) -> Bool { report.encryptedRecord.starts(with: mark) }

    static func keys(_ numbers: Range<Int>) throws -> [DiagnosisKey] {
        try numbers.map { try key($0) }
    }

    static func tan() throws -> TAN {
        var random = SystemRandomNumberGenerator()
        return TAN(RandomIdentifier(using: &random))
    }

    static func tag(_ number: Int) -> Digest { Digest(sha256: "tag \(number)".utf8) }

    /// The body of an upload of venue reports.
    static func venuePayload(
        _ reports: [VenueReport], _ keys: [DiagnosisKey]? = nil,
        change: (inout SubmissionPayload) throws -> Void = { _ in }
    ) throws -> [UInt8] {
        var submission = SubmissionPayload()
        submission.keys = (keys ?? []).map(TemporaryExposureKey.init(uploading:))
        submission.origin = "DE"
        try change(&submission)
        return try #require(VenueUpload(reports: reports, submission: keys == nil ? nil : submission)).encoded()
    }

    static func payload(
        _ keys: [DiagnosisKey], reports: [CheckInReport] = [], padding: Int = 0
    ) throws -> [UInt8] {
        var payload = SubmissionPayload()
        payload.checkInProtectedReports = reports.map(CheckInProtectedReport.init(uploading:))
        payload.keys = keys.map(TemporaryExposureKey.init(uploading:))
        payload.origin = "DE"
        payload.requestPadding = Data(repeating: 0, count: padding)
        return try payload.encoded()
    }
}
