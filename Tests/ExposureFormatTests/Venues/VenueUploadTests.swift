import ExposureFormat
import ExposureKeys
import FoundationEssentials
import SwiftProtobuf
import TestSupport
import Testing
import Venues

@Suite struct VenueUploadTests {
    static func reports(_ count: Int) throws -> [VenueReport] {
        try (0..<count).map { number in
            try #require(VenueReport((0..<57).map { UInt8(truncatingIfNeeded: number + $0) }))
        }
    }

    private static func submission(_ keys: Int = 14, checkInReports: Int = 0) throws -> SubmissionPayload {
        let some = try Fixtures.goldenKeys()
        return SubmissionPayload.with {
            $0.checkInProtectedReports = (0..<checkInReports).compactMap {
                CheckInReport([UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: CheckInReport.count))
            }.map(CheckInProtectedReport.init(uploading:))
            $0.keys = (0..<keys).map { TemporaryExposureKey(uploading: some[$0 % some.count]) }
            $0.visitedCountries = ["DE"]
            $0.origin = "DE"
            $0.consentToFederation = true
            $0.submissionType = .rapidTest
        }
    }

    /// A body of the right length around some fields, by this file's own hand: padding is field 3.
    private static func body(_ fields: [UInt8], size: Int = 8192) -> [UInt8] {
        let padding = size - fields.count - 3
        return fields + [0x1a, UInt8(padding & 127) | 128, UInt8(padding >> 7)] + [UInt8](repeating: 7, count: padding)
    }

    private static func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
        precondition(content.count < 128)
        return [number << 3 | 2, UInt8(content.count)] + content
    }

    @Test(
        "an upload has 8,192 bytes, whatever is in it, and is read as it was written", arguments: [0, 1, 53, 127, 128])
    func sizes(count: Int) throws {
        for keys in [nil, 0, 1, 14] {
            let upload = try #require(
                VenueUpload(reports: Self.reports(count), submission: keys.map { try Self.submission($0) }))
            let body = try upload.encoded()
            #expect(body.count == 8192 && VenueUpload.size == 8192)
            #expect(try VenueUpload(decoding: body) == upload)
        }
    }

    @Test(
        "reports of both kinds fit beside 14 keys if they take the room that is for them",
        arguments: [(128, 0), (125, 2), (64, 36), (0, 71)])
    func bothKinds(venueReports: Int, checkInReports: Int) throws {
        let size = VenueUpload.size(venueReports: venueReports, checkInReports: checkInReports)
        #expect(size <= VenueUpload.roomForReports)
        let submission = try Self.submission(checkInReports: checkInReports)
        let upload = try #require(VenueUpload(reports: Self.reports(venueReports), submission: submission))
        let body = try upload.encoded()
        #expect(body.count == 8192)
        let read = try VenueUpload(decoding: body)
        #expect(read == upload && read.submission?.wellFormedReports.count == checkInReports)
        // A report takes on the wire what the size says.
        let bare = try Self.submission()
        #expect(
            try submission.encoded().count - bare.encoded().count
                == VenueUpload.size(venueReports: 0, checkInReports: checkInReports))
    }

    @Test("reports of both kinds that leave no room for the padding are refused to the phone")
    func tooMany() throws {
        let upload = try #require(
            VenueUpload(reports: Self.reports(128), submission: Self.submission(checkInReports: 9)))
        #expect(throws: UnreadableSubmission.tooLarge(maximum: 8192)) { try upload.encoded() }
    }

    @Test("every length of the content can be padded")
    func everyLength() throws {
        var submission = SubmissionPayload()
        for length in 500..<800 {
            submission.requestPadding = Data(repeating: 1, count: length)
            let upload = try #require(VenueUpload(reports: Self.reports(126), submission: submission))
            // 126 reports leave 756 bytes, of which the submission's fields take six and the padding's three.
            guard length <= 747 else {
                #expect(throws: UnreadableSubmission.tooLarge(maximum: 8192)) { try upload.encoded() }
                continue
            }
            #expect(try upload.encoded().count == 8192, "\(length)")
        }
    }

    @Test("numbers on the wire are those of the schema")
    func wireNumbers() throws {
        let report = try Self.reports(1)[0]
        let upload = try #require(VenueUpload(reports: [report], submission: .with { $0.origin = "DE" }))
        let head: [UInt8] = [0x08, 1] + [0x12, 57] + report.bytes + [0x22, 4, 0x22, 2, 0x44, 0x45]
        #expect(
            try upload.encoded() == head + [0x1a, 0xba, 0x3f] + [UInt8](repeating: 0, count: 8192 - head.count - 3))
    }

    @Test("an upload can't hold more than 128 reports, nor visits in the clear")
    func impossible() throws {
        #expect(VenueUpload(reports: try Self.reports(129)) == nil)
        #expect(VenueUpload(reports: [], submission: .with { $0.checkIns = [CheckIn()] }) == nil)
    }

    @Test("a body that is a byte shorter or longer is refused")
    func wrongSize() throws {
        let body = try #require(VenueUpload(reports: try Self.reports(3))).encoded()
        #expect(throws: UnreadableSubmission.tooLarge(maximum: 8192)) { try VenueUpload(decoding: body + [0]) }
        for count in [0, 1, 8191] {
            #expect(throws: UnreadableSubmission.malformed) { try VenueUpload(decoding: Array(body.prefix(count))) }
        }
    }

    @Test("a body by another program's hand is read; one that breaks a rule is refused")
    func rules() throws {
        let report = Self.field(2, [UInt8](repeating: 9, count: 57))
        let key: [UInt8] = Self.field(1, Self.field(1, [UInt8](repeating: 9, count: 16)))
        let accepted: [[UInt8]] = [
            [0x08, 1], [0x08, 1] + report, report + [0x08, 1], [0x08, 1] + Self.field(4, []),
            [0x08, 1] + report + Self.field(4, key + [0x38, 2]),
            [0x08, 1] + report + Self.field(4, Self.field(8, Self.field(2, [9, 9]))),
        ]
        for fields in accepted { _ = try VenueUpload(decoding: Self.body(fields)) }
        let reports129 = [UInt8](repeatElement(report, count: 129).joined())
        let unknown: [UInt8] = [0x28, 1]
        let refused: [(rule: String, fields: [UInt8])] = [
            ("no version", report), ("version 0", [0x08, 0]), ("version 2", [0x08, 2] + report),
            ("129 reports", [0x08, 1] + reports129),
            ("a report of 56 bytes", [0x08, 1] + Self.field(2, [UInt8](repeating: 9, count: 56))),
            ("a report of 58 bytes", [0x08, 1] + Self.field(2, [UInt8](repeating: 9, count: 58))),
            ("an empty report", [0x08, 1] + Self.field(2, [])),
            ("a field 5", [0x08, 1] + unknown),
            ("a field 100 in the submission", [0x08, 1] + Self.field(4, [0xa0, 0x06, 1])),
            ("a type that nobody knows in the submission", [0x08, 1] + Self.field(4, [0x38, 99])),
            ("a field 15 in a key", [0x08, 1] + Self.field(4, Self.field(1, [0x78, 1]))),
            ("a check-in in the clear", [0x08, 1] + Self.field(4, Self.field(6, []))),
            ("a field 5 in a check-in report", [0x08, 1] + Self.field(4, Self.field(8, [0x28, 1]))),
            ("a submission that is none", [0x08, 1] + Self.field(4, [0x0a])),
            ("no message", [0xff, 0xff]),
        ]
        for (rule, fields) in refused {
            #expect(throws: UnreadableSubmission.malformed, "\(rule)") { try VenueUpload(decoding: Self.body(fields)) }
        }
    }

    @Test("whatever byte of an upload is changed, it is refused or read as an upload that is written again alike")
    func mutations() throws {
        let body = try #require(VenueUpload(reports: try Self.reports(5), submission: Self.submission(2))).encoded()
        var random = SeededGenerator(seed: 19)
        for _ in 0..<4000 {
            var changed = body
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                changed[Int.random(in: 0..<500, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard let upload = try? VenueUpload(decoding: changed) else { continue }
            #expect(upload.reports.count <= 128)
            #expect(try VenueUpload(decoding: upload.encoded()) == upload)
        }
    }
}
