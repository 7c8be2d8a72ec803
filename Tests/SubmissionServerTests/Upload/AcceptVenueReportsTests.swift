import Credentials
import ExposureFormat
import ExposureKeys
import Foundation
import HTTPContract
import Postgres
import SubmissionAPI
import TestSupport
import Testing
import Venues
import VerificationAPI

@testable import SubmissionServer

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct AcceptVenueReportsTests {
    @Test("the route takes bodies of exactly the format's size")
    func limit() {
        #expect(SubmissionAPI.venueReports.route.bodyLimit == VenueUpload.size)
    }

    @Test("reports are stored with keys or without, each upload as one row, and a repeat is told the same")
    func stored() async throws {
        try await SubmissionStage.run { stage in
            let uploads = try [
                (Samples.venueReports(0..<3), nil), (Samples.venueReports(3..<131), Samples.keys(0..<14)),
                (Samples.venueReports(0..<0), Samples.keys(14..<28)),
            ]
            for (reports, keys) in uploads {
                let tan = try stage.verification.issue()
                let payload = try Samples.venuePayload(reports, keys)
                let first = try await stage.uploadVenueReports(payload, tan: tan.text)
                #expect(first.status == 200 && first.body.isEmpty)
                #expect(first.fields["cwa-saved-checkins"] == "\(reports.count)")
                #expect(first.fields["cwa-filtered-checkins"] == "0")
                #expect(stage.verification.isConfirmed(tan))
                // A lost answer: the phone sends again, in another order.
                let again = try Samples.venuePayload(reports.reversed(), keys?.reversed())
                #expect(try await stage.uploadVenueReports(again, tan: tan.text) == first)
            }
            #expect(try await stage.waiting() == uploads.count)

            stage.clock.advance(by: 3600)
            try await stage.fold()
            let folded = try await stage.asSuperuser { session in
                try session.rows(
                    "SELECT report FROM submission.venue_report WHERE hour = \(Samples.hour.number)", as: [UInt8].self)
            }.compactMap { VenueReport($0) }
            #expect(folded.filter(Samples.isSample).sorted() == (try Samples.venueReports(0..<131).sorted()))
            #expect(folded.count == 140)
            let keys = try await stage.asSuperuser { session in
                try session.rows("SELECT key_data FROM submission.diagnosis_key", as: [UInt8].self)
            }.compactMap { KeyData($0) }.filter(Samples.isSample)
            #expect(Set(keys) == Set(try Samples.keys(0..<28).map(\.data)))
            // What a phone sends again after the fold doesn't count twice.
            let tan = try stage.verification.issue()
            let payload = try Samples.venuePayload(try Samples.venueReports(0..<3))
            #expect(try await stage.uploadVenueReports(payload, tan: tan.text).status == 200)
            stage.clock.advance(by: 3600)
            try await stage.fold()
            let later = try await stage.asSuperuser { session in
                try session.rows(
                    "SELECT report FROM submission.venue_report WHERE hour > \(Samples.hour.number)", as: [UInt8].self)
            }
            #expect(!later.compactMap { VenueReport($0) }.contains(where: Samples.isSample))
        }
    }

    @Test("one TAN carries visits of both kinds in one upload, and the fold has them all")
    func bothKinds() async throws {
        let (venueReports, reports, keys) = (
            try Samples.venueReports(0..<64), try Samples.reports(0..<36), try Samples.keys(0..<14)
        )
        let payload = try Samples.venuePayload(venueReports, keys) {
            $0.checkInProtectedReports = reports.map(CheckInProtectedReport.init(uploading:))
        }
        // Visits of the Corona-Warn-App alone, without keys, come in this form as well: it is the phone's only one.
        let others = try Samples.reports(36..<40)
        let alone = try Samples.venuePayload([], []) {
            $0.checkInProtectedReports = others.map(CheckInProtectedReport.init(uploading:))
        }
        try await SubmissionStage.run { stage in
            for (payload, saved) in [(payload, 100), (alone, 4)] {
                let tan = try stage.verification.issue()
                let first = try await stage.uploadVenueReports(payload, tan: tan.text)
                #expect(first.status == 200 && first.fields["cwa-saved-checkins"] == "\(saved)")
                #expect(first.fields["cwa-filtered-checkins"] == "0")
                #expect(stage.verification.isConfirmed(tan))
                #expect(try await stage.uploadVenueReports(payload, tan: tan.text) == first)
            }
            #expect(try await stage.waiting() == 2)

            stage.clock.advance(by: 3600)
            try await stage.fold()
            let (checkIns, venues, data) = try await stage.asSuperuser { session in
                let checkIns = try session.rows(
                    """
                    SELECT location_id_hash || initialization_vector || encrypted_record || authentication_code
                    FROM submission.check_in_report
                    """, as: [UInt8].self)
                let venues = try session.rows("SELECT report FROM submission.venue_report", as: [UInt8].self)
                return (
                    checkIns, venues,
                    try session.rows("SELECT key_data FROM submission.diagnosis_key", as: [UInt8].self)
                )
            }
            let folded = checkIns.compactMap { CheckInReport($0) }.filter(Samples.isSample).sorted()
            #expect(folded == (reports + others).sorted())
            let foldedVenues = venues.compactMap { VenueReport($0) }.filter(Samples.isSample).sorted()
            #expect(foldedVenues == venueReports.sorted())
            #expect(Set(data.compactMap { KeyData($0) }.filter(Samples.isSample)) == Set(keys.map(\.data)))
        }
    }

    @Test(
        "of check-in reports in this form, those of another shape and repeated ones are dropped, and the phone is told")
    func malformedCheckIns() async throws {
        let payload = try Samples.venuePayload(try Samples.venueReports(0..<2), []) {
            $0.checkInProtectedReports = try Samples.reports(0..<2).map(CheckInProtectedReport.init(uploading:))
            $0.checkInProtectedReports += [$0.checkInProtectedReports[0], CheckInProtectedReport()]
        }
        try await SubmissionStage.run { stage in
            let answer = try await stage.uploadVenueReports(payload, tan: try stage.verification.issue().text)
            #expect(answer.fields["cwa-saved-checkins"] == "4" && answer.fields["cwa-filtered-checkins"] == "2")
        }
    }

    @Test("a report that an upload has twice is stored once, and the phone is told")
    func twice() async throws {
        try await SubmissionStage.run { stage in
            let tan = try stage.verification.issue()
            let reports = try Samples.venueReports(0..<2) + Samples.venueReports(0..<2)
            let answer = try await stage.uploadVenueReports(try Samples.venuePayload(reports), tan: tan.text)
            #expect(answer.fields["cwa-saved-checkins"] == "2" && answer.fields["cwa-filtered-checkins"] == "2")
        }
    }

    @Test("an upload of another size is refused, and costs no TAN", arguments: [(0, 400), (8191, 400), (8193, 413)])
    func size(count: Int, status: Int) async throws {
        try await SubmissionStage.run { stage in
            let tan = try stage.verification.issue()
            let payload = try Samples.venuePayload(try Samples.venueReports(0..<3)) + [0]
            let answer = try await stage.uploadVenueReports(Array(payload.prefix(count)), tan: tan.text)
            #expect(answer.status == status && answer.body.isEmpty)
            #expect(stage.verification.tag(of: tan) == nil)
            #expect(try await stage.waiting() == 0)
        }
    }

    @Test("an upload that breaks a rule is refused, and costs no TAN")
    func rules() async throws {
        let reports = try Samples.venueReports(0..<3)
        let key = try Samples.key(1)
        var unknown = try Samples.venuePayload(reports)
        // The version's field becomes field 5.
        unknown[0] = 5 << 3
        let payloads = try [
            ("nothing", Samples.venuePayload([])), ("no keys, no reports", Samples.venuePayload([], [])),
            ("no usable key", Samples.venuePayload(reports, [key]) { $0.keys[0].keyData = Data([1]) }),
            ("another origin", Samples.venuePayload(reports, [key]) { $0.origin = "FR" }),
            ("a self-report", Samples.venuePayload(reports, [key]) { $0.submissionType = .srsSelfTest }),
            ("no country", Samples.venuePayload(reports, [key]) { $0.visitedCountries = ["x"] }),
            ("an unknown field", unknown), ("the other form", Samples.payload([key], padding: 8192)),
        ]
        try await SubmissionStage.run { stage in
            let tan = try stage.verification.issue()
            for (name, payload) in payloads {
                let answer = try await stage.uploadVenueReports(Array(payload.prefix(8192)), tan: tan.text)
                #expect(answer.status == 400, "\(name)")
            }
            #expect(stage.verification.tag(of: tan) == nil)
            #expect(try await stage.waiting() == 0)
        }
    }

    private static func warning(
        _ reports: Range<Int>, _ keys: [DiagnosisKey] = [], change: (inout SubmissionPayload) throws -> Void = { _ in }
    ) throws -> [UInt8] {
        try Samples.venuePayload(try Samples.venueReports(reports), keys) {
            $0.submissionType = .hostWarning
            try change(&$0)
        }
    }

    @Test("an organiser warns in this form, with an event's TAN, and nobody else does")
    func hostWarning() async throws {
        try await SubmissionStage.run { stage in
            let (personal, event) = (try stage.verification.issue(), try stage.verification.issue(for: .onBehalf))
            let visits = try Samples.venuePayload(try Samples.venueReports(0..<3))
            #expect(try await stage.uploadVenueReports(visits, tan: event.text).status == 403)
            #expect(try await stage.uploadVenueReports(Self.warning(0..<3), tan: personal.text).status == 403)
            let wrong = try [
                Self.warning(0..<0), Self.warning(0..<3, [Samples.key(1)]),
                Self.warning(0..<3) { $0.visitedCountries = ["DE"] },
                Self.warning(0..<3) { $0.consentToFederation = true },
                Self.warning(0..<3) {
                    $0.checkInProtectedReports = try Samples.reports(0..<1).map(CheckInProtectedReport.init(uploading:))
                },
            ]
            for payload in wrong {
                #expect(try await stage.uploadVenueReports(payload, tan: event.text).status == 400)
            }
            #expect(stage.verification.tag(of: personal) == nil && stage.verification.tag(of: event) == nil)
            let answer = try await stage.uploadVenueReports(Self.warning(0..<128), tan: event.text)
            #expect(answer.status == 200 && answer.fields["cwa-saved-checkins"] == "128")
            #expect(stage.verification.isConfirmed(event))
        }
    }

    @Test(
        "a TAN that was used in one form is refused in the other, though the keys are the same: nothing is lost unnoticed"
    )
    func otherForm() async throws {
        try await SubmissionStage.run { stage in
            let keys = try Samples.keys(0..<14)
            let (plain, withReports) = (
                try Samples.payload(keys), try Samples.venuePayload(try Samples.venueReports(0..<3), keys)
            )
            let tans = (try stage.verification.issue(), try stage.verification.issue())
            #expect(try await stage.upload(plain, tan: tans.0.text).status == 200)
            #expect(try await stage.uploadVenueReports(withReports, tan: tans.0.text).status == 403)
            #expect(try await stage.uploadVenueReports(withReports, tan: tans.1.text).status == 200)
            #expect(try await stage.upload(plain, tan: tans.1.text).status == 403)
        }
    }

    @Test("a fake is answered like a real upload, asks the verification server as often, and leaves no trace")
    func fake() async throws {
        try await SubmissionStage.run { stage in
            let tan = try stage.verification.issue()
            let real = try await stage.uploadVenueReports(
                try Samples.venuePayload([], try Samples.keys(0..<14)), tan: tan.text)
            let callsOfReal = stage.verification.calls
            let payloads = try [
                Samples.venuePayload(Samples.venueReports(0..<128), Samples.keys(0..<14)), Samples.venuePayload([]),
                [UInt8](repeating: 0xff, count: 8192), [],
            ]
            for payload in payloads {
                let unused = try stage.verification.issue()
                for tan in [unused.text, "", nil] {
                    let calls = stage.verification.calls
                    #expect(try await stage.uploadVenueReports(payload, tan: tan, fake: "1") == real)
                    #expect(stage.verification.calls == calls + callsOfReal)
                }
                #expect(stage.verification.tag(of: unused) == nil)
            }
            #expect(try await stage.waiting() == 1)
        }
    }
}
