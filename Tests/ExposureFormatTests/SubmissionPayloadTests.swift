import ExposureFormat
import ExposureKeys
import FoundationEssentials
import SwiftProtobuf
import Testing
import Venues

@Suite("Submission payload")
struct SubmissionPayloadTests {
    private func payload() throws -> SubmissionPayload {
        let keys = try Fixtures.goldenKeys()
        return SubmissionPayload.with {
            $0.keys = keys.map(TemporaryExposureKey.init(uploading:))
            $0.requestPadding = Data(repeating: 0x41, count: 28 * 6)
            $0.visitedCountries = ["DE", "FR"]
            $0.origin = "DE"
            $0.consentToFederation = true
            $0.submissionType = .rapidTest
            $0.checkInProtectedReports = [
                CheckInProtectedReport.with {
                    $0.locationIDHash = Data(repeating: 1, count: 32)
                    $0.iv = Data(repeating: 2, count: 16)
                    $0.encryptedCheckInRecord = Data(repeating: 3, count: 16)
                    $0.mac = Data(repeating: 4, count: 32)
                }
            ]
        }
    }

    @Test("what a phone encodes, the server decodes")
    func roundTrip() throws {
        let payload = try payload()
        let body = try payload.encoded()
        #expect(try SubmissionPayload(decoding: body, maximum: body.count) == payload)
    }

    @Test("an upload's keys are the keys the phone had")
    func keys() throws {
        let keys = try payload().uploadedKeys.flatMap { try UploadRules().normalise([$0]) }
        #expect(keys == (try Fixtures.goldenKeys()))
    }

    @Test("an upload's reports are the reports the phone had, without those of another shape")
    func reports() throws {
        var payload = try payload()
        let report = try #require(CheckInReport((0..<96).map { UInt8($0) }))
        payload.checkInProtectedReports.append(CheckInProtectedReport(uploading: report))
        payload.checkInProtectedReports.append(CheckInProtectedReport())
        #expect(payload.wellFormedReports.count == 2)
        #expect(payload.wellFormedReports.last == report)
    }

    @Test("one byte above the maximum isn't decoded")
    func tooLarge() throws {
        let body = try payload().encoded()
        #expect(throws: UnreadableSubmission.tooLarge(maximum: body.count - 1)) {
            try SubmissionPayload(decoding: body, maximum: body.count - 1)
        }
    }

    @Test(
        "what isn't a payload is refused",
        arguments: [
            [0xff], [0x0a, 0x05, 0x01], [0x0a], Array("{\"keys\":[]}".utf8), [UInt8](repeating: 0x0a, count: 100),
        ] as [[UInt8]])
    func malformed(body: [UInt8]) {
        #expect(throws: UnreadableSubmission.malformed) { try SubmissionPayload(decoding: body, maximum: 1000) }
    }

    @Test("unknown fields are dropped, so nothing unforeseen is kept")
    func unknownFields() throws {
        let body = try payload().encoded()
        // Field 100, two bytes.
        let extended = body + [0xa2, 0x06, 0x02, 0x01, 0x02]
        #expect(try SubmissionPayload(decoding: extended, maximum: 10_000).encoded() == body)
    }

    @Test("an empty body is a payload without keys, with the schema's defaults")
    func empty() throws {
        let payload = try SubmissionPayload(decoding: [], maximum: 0)
        #expect(payload.keys.isEmpty)
        #expect(payload.submissionType == .pcrTest)
    }

    @Test("a key with its data only has the schema's defaults and nothing made up")
    func defaults() throws {
        // Field 1, a key of 18 bytes whose field 1 is its data.
        let body: [UInt8] = [0x0a, 18, 0x0a, 16] + [UInt8](repeating: 9, count: 16)
        let key = try #require(try SubmissionPayload(decoding: body, maximum: 100).uploadedKeys.first)
        #expect(key.data == [UInt8](repeating: 9, count: 16))
        #expect(key.rollingStart == 0)
        #expect(key.rollingPeriod == 144)
        #expect(key.transmissionRiskLevel == nil)
        #expect(key.daysSinceOnsetOfSymptoms == nil)
        #expect(key.reportType == .confirmedTest)
    }

    @Test("numbers on the wire are those phones send")
    func wireNumbers() throws {
        let payload = SubmissionPayload.with {
            $0.keys = [
                TemporaryExposureKey.with {
                    $0.keyData = Data([0xaa])
                    $0.transmissionRiskLevel = 6
                    $0.rollingStartIntervalNumber = 144
                    $0.rollingPeriod = 100
                    $0.reportType = .selfReport
                    $0.daysSinceOnsetOfSymptoms = -2
                }
            ]
            $0.requestPadding = Data([0xbb])
            $0.visitedCountries = ["FR"]
            $0.origin = "DE"
            $0.consentToFederation = false
            $0.checkIns = [
                CheckIn.with {
                    $0.locationID = Data([0xcc])
                    $0.startIntervalNumber = 1
                    $0.endIntervalNumber = 2
                    $0.transmissionRiskLevel = 3
                }
            ]
            $0.submissionType = .srsOther
            $0.checkInProtectedReports = [CheckInProtectedReport.with { $0.mac = Data([0xdd]) }]
        }
        let expected: [UInt8] =
            [0x0a, 14, 0x0a, 1, 0xaa, 0x10, 6, 0x18, 0x90, 0x01, 0x20, 100, 0x28, 3, 0x30, 3]
            + [0x12, 1, 0xbb, 0x1a, 2, 0x46, 0x52, 0x22, 2, 0x44, 0x45, 0x28, 0]
            + [0x32, 9, 0x0a, 1, 0xcc, 0x10, 1, 0x18, 2, 0x20, 3, 0x38, 9, 0x42, 3, 0x22, 1, 0xdd]
        #expect(try payload.encoded() == expected)
    }
}
