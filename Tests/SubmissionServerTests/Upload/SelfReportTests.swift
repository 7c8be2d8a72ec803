import Credentials
import ExposureFormat
import ExposureKeys
import Foundation
import HTTPContract
import Postgres
import Synchronization
import TestSupport
import Testing
import Venues
import VerificationAPI

@testable import SubmissionServer

/// Uploads of people without a registered test: a one-time password in place of the TAN.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct SelfReportTests {
    private typealias SubmissionType = SubmissionPayload.SubmissionType

    private static func payload(
        _ keys: Range<Int>, reports: Range<Int> = 0..<0, as type: SubmissionType = .srsSelfTest
    ) throws -> [UInt8] {
        var payload = try SubmissionPayload(
            decoding: try Samples.payload(try Samples.keys(keys), reports: try Samples.reports(reports)),
            maximum: 100_000)
        payload.submissionType = type
        return try payload.encoded()
    }

    @Test("a self-report is stored, its password confirmed, and a repeat is told the same, in whichever letters")
    func stored() async throws {
        try await SubmissionStage.run { stage in
            let password = try stage.verification.issue(for: .selfReport)
            let payload = try Self.payload(0..<14, reports: 0..<3)
            let first = try await stage.upload(payload, tan: nil, password: password.text)
            #expect(first.status == 200)
            #expect(first.fields["cwa-saved-checkins"] == "3")
            #expect(stage.verification.isConfirmed(password))
            // iOS writes UUIDs in capitals.
            let again = try await stage.upload(payload, tan: "", password: password.text.uppercased())
            #expect(again == first)
            #expect(try await stage.waiting() == 1)

            stage.clock.advance(by: 3600)
            try await stage.fold()
            let folded = try await stage.asSuperuser { session in
                try session.rows("SELECT key_data FROM submission.diagnosis_key", as: [UInt8].self)
            }.compactMap { KeyData($0) }.filter(Samples.isSample)
            #expect(Set(folded) == Set(try Samples.keys(0..<14).map(\.data)))
        }
    }

    @Test("every reason to refuse a password is answered like a wrong TAN, down to the header fields")
    func refused() async throws {
        try await SubmissionStage.run { stage in
            let used = try stage.verification.issue(for: .selfReport)
            let unused = try stage.verification.issue(for: .selfReport)
            let tan = try stage.verification.issue()
            #expect(try await stage.upload(try Self.payload(0..<14), tan: nil, password: used.text).status == 200)
            let other = try Self.payload(14..<28)
            let wrongTAN = try await stage.upload(
                try Samples.payload(try Samples.keys(14..<28)), tan: try Samples.tan().text)
            #expect(wrongTAN.status == 403)
            for password in [used.text, try Samples.tan().text, tan.text] {
                #expect(try await stage.upload(other, tan: nil, password: password) == wrongTAN)
            }
            // A password is no TAN.
            let asTAN = try await stage.upload(try Samples.payload(try Samples.keys(14..<28)), tan: unused.text)
            #expect(asTAN == wrongTAN)
            #expect(stage.verification.tag(of: unused) == nil && stage.verification.tag(of: tan) == nil)
            #expect(try await stage.waiting() == 1)
        }
    }

    @Test("an upload has a TAN or a password, and a type that fits; else it is a bad request, and costs neither")
    func contract() async throws {
        try await SubmissionStage.run { stage in
            let tan = try stage.verification.issue()
            let password = try stage.verification.issue(for: .selfReport)
            let (report, test) = (try Self.payload(0..<3), try Self.payload(0..<3, as: .pcrTest))
            let sent: [(payload: [UInt8], tan: String?, password: String?)] = [
                (report, tan.text, password.text), (test, tan.text, password.text), (report, nil, nil),
                (report, "", ""), (report, tan.text, nil), (test, nil, password.text),
                (try Self.payload(0..<3, as: .rapidTest), nil, password.text),
                (try Self.payload(0..<3, as: .hostWarning), nil, password.text),
                (report, nil, "not a password"), (report, nil, "\(password.text)0"), ([0xff], nil, password.text),
                (try Self.payload(0..<0), nil, password.text),
            ]
            for (number, upload) in sent.enumerated() {
                let answer = try await stage.upload(upload.payload, tan: upload.tan, password: upload.password)
                #expect(answer.status == 400, "\(number)")
                #expect(answer.body.isEmpty)
            }
            // Nobody warns on behalf of an event without a TAN of that kind.
            let warning = try Self.payload(0..<0, reports: 0..<1, as: .hostWarning)
            for body in [warning, report] {
                #expect(
                    try await stage.upload(body, tan: nil, password: password.text, for: .onBehalf).status == 400)
            }
            let venueWarning = try Samples.venuePayload(try Samples.venueReports(0..<2), []) {
                $0.submissionType = .hostWarning
            }
            #expect(try await stage.uploadVenueReports(venueWarning, tan: nil, password: password.text).status == 400)
            #expect(stage.verification.tag(of: tan) == nil && stage.verification.tag(of: password) == nil)
            #expect(try await stage.waiting() == 0)
            #expect(try await stage.upload(test, tan: tan.text).status == 200)
            #expect(try await stage.upload(report, tan: nil, password: password.text).status == 200)
        }
    }

    @Test("every way of knowing that the app offers is a self-report, with visits in Apple's form, too")
    func types() async throws {
        try await SubmissionStage.run { stage in
            let types: [SubmissionType] = [
                .srsSelfTest, .srsRegisteredRat, .srsUnregisteredRat, .srsRegisteredPcr, .srsUnregisteredPcr,
                .srsRapidPcr, .srsOther,
            ]
            for type in types {
                let password = try stage.verification.issue(for: .selfReport).text
                #expect(
                    try await stage.upload(try Self.payload(0..<2, as: type), tan: nil, password: password).status
                        == 200)
                let other = try stage.verification.issue(for: .selfReport).text
                let venues = try Samples.venuePayload(try Samples.venueReports(0..<2), try Samples.keys(0..<2)) {
                    $0.submissionType = type
                }
                let answer = try await stage.uploadVenueReports(venues, tan: nil, password: other)
                #expect(answer.status == 200)
                #expect(answer.fields["cwa-saved-checkins"] == "2")
            }
            #expect(try await stage.waiting() == 2 * types.count)
        }
    }

    @Test("while nobody can be asked about passwords, a self-report and its dummy wait, and uploads with a TAN don't")
    func postponed() async throws {
        try await SubmissionStage.run { stage in
            stage.verification.state.withLock { $0.knowsPasswords = false }
            let password = try stage.verification.issue(for: .selfReport)
            let payload = try Self.payload(0..<14)
            for fake in ["0", "1"] {
                let answer = try await stage.upload(payload, tan: nil, password: password.text, fake: fake)
                #expect(answer.status == 503)
                #expect(answer.fields["retry-after"] != nil)
            }
            #expect(try await stage.waiting() == 0)
            let uploads = try (0..<8).map { _ in try stage.verification.issue() }
            // They come together, and are asked about together.
            let statuses = try await (uploads.map { Optional($0) } + [TAN?](repeating: nil, count: 8)).concurrently {
                tan in
                let payload = try Self.payload(14..<28, as: tan == nil ? .srsOther : .pcrTest)
                return try await stage.upload(
                    payload, tan: tan?.text, password: tan == nil ? password.text : nil
                ).status
            }
            #expect(statuses.count { $0 == 200 } == 8 && statuses.count { $0 == 503 } == 8)
            stage.verification.state.withLock { $0.knowsPasswords = true }
            #expect(try await stage.upload(payload, tan: nil, password: password.text).status == 200)
        }
    }

    @Test("other countries get no key of a self-report, whatever it says about consent")
    func notShared() throws {
        let rules = PayloadRules(origin: "DE")
        for (type, isSelfReport) in [(SubmissionType.srsOther, true), (.pcrTest, false)] {
            var payload = SubmissionPayload()
            payload.keys = try Samples.keys(0..<3).map(TemporaryExposureKey.init(uploading:))
            payload.submissionType = type
            payload.consentToFederation = true
            let checked = try rules.check(
                Data(try payload.encoded()), sentAs: .diagnosisKeys, isSelfReport: isSelfReport, limit: 100_000)
            #expect(checked.content.keys.count == 3)
            #expect(checked.content.stream == (isSelfReport ? .home : .federated))
        }
    }
}
