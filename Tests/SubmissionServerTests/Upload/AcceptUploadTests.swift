import Credentials
import ExposureFormat
import ExposureKeys
import Foundation
import HTTPContract
import Postgres
import Running
import Synchronization
import TestSupport
import Testing
import Venues
import VerificationAPI

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct AcceptUploadTests {
    // MARK: Stored

    @Test("an upload is stored, its TAN confirmed, and a repeat is told the same")
    func repeated() async throws {
        try await SubmissionStage.run { stage in
            let tan = try stage.verification.issue()
            let payload = try Samples.payload(try Samples.keys(0..<14))
            let first = try await stage.upload(payload, tan: tan.text)
            #expect(first.status == 200)
            #expect(first.body.isEmpty)
            #expect(first.fields["cwa-filtered-checkins"] == "0")
            #expect(first.fields["cwa-saved-checkins"] == "0")
            #expect(stage.verification.isConfirmed(tan))
            #expect(try await stage.upload(payload, tan: tan.text) == first)
            #expect(try await stage.waiting() == 1)
        }
    }

    @Test("the order of the keys and the padding may differ in a repeat")
    func sameContent() async throws {
        try await SubmissionStage.run { stage in
            let tan = try stage.verification.issue()
            let keys = try Samples.keys(0..<9)
            #expect(try await stage.upload(try Samples.payload(keys, padding: 140), tan: tan.text).status == 200)
            #expect(try await stage.upload(try Samples.payload(keys.reversed()), tan: tan.text).status == 200)
            #expect(try await stage.waiting() == 1)
        }
    }

    @Test("a repeat on another day, when some keys have become too old, is still the same upload")
    func repeatedLater() async throws {
        try await SubmissionStage.run { stage in
            let tan = try stage.verification.issue()
            let payload = try Samples.payload(try Samples.keys(0..<14))
            #expect(try await stage.upload(payload, tan: tan.text).status == 200)
            stage.clock.advance(by: 3 * 86_400)
            try await stage.openHour()
            #expect(try await stage.upload(payload, tan: tan.text).status == 200)
            #expect(try await stage.waiting() == 1)
        }
    }

    /// What an app makes of a payload when it sends it again: check-ins encrypted anew, risk levels and days since onset of another
    /// day.
    private static func again(_ keys: [DiagnosisKey], reports: Range<Int> = 0..<0) throws -> [UInt8] {
        let keys = try keys.map { key in
            DiagnosisKey(
                data: key.data, rollingPeriod: key.rollingPeriod,
                transmissionRiskLevel: try #require(
                    TransmissionRiskLevel(rawValue: 1 + key.transmissionRiskLevel.rawValue % 8)),
                daysSinceOnsetOfSymptoms: try #require(
                    DaysSinceOnset(rawValue: key.daysSinceOnsetOfSymptoms.rawValue + 1)), reportType: key.reportType)
        }
        return try Samples.payload(keys, reports: try Samples.reports(reports))
    }

    @Test(
        "a repeat with check-ins that are encrypted anew, and another day's risk, is the same upload; what came first stays"
    )
    func repeatedAnew() async throws {
        try await SubmissionStage.run { stage in
            let keys = try Samples.keys(0..<14)
            let first = try Samples.payload(keys, reports: try Samples.reports(0..<3))
            for isConfirming in [true, false] {
                stage.verification.state.withLock { $0.isConfirming = isConfirming }
                let tan = try stage.verification.issue()
                let answer = try await stage.upload(first, tan: tan.text)
                #expect(answer.status == 200)
                #expect(try await stage.upload(try Self.again(keys, reports: 10..<13), tan: tan.text) == answer)
            }
            #expect(try await stage.waiting() == 2)
            // A repeat that comes after the fold doesn't count either.
            stage.verification.state.withLock { $0.isConfirming = true }
            let tan = try stage.verification.issue()
            #expect(try await stage.upload(first, tan: tan.text).status == 200)
            stage.clock.advance(by: 3600)
            try await stage.fold()
            #expect(try await stage.upload(try Self.again(keys, reports: 20..<23), tan: tan.text).status == 200)
            #expect(try await stage.waiting() == 0)
            let levels = try await stage.asSuperuser { session in
                try session.rows(
                    "SELECT key_data, transmission_risk_level FROM submission.diagnosis_key", as: [UInt8].self,
                    Int16.self)
            }
            for key in keys {
                #expect(
                    levels.filter { $0.0 == key.data.bytes }.map(\.1)
                        == [Int16(key.transmissionRiskLevel.rawValue)])
            }
            let reports = try await stage.asSuperuser { session in
                try session.rows("SELECT authentication_code FROM submission.check_in_report", as: [UInt8].self)
            }
            let sent = try Samples.reports(0..<30).map { Array($0.authenticationCode) }
            #expect(Set(reports).intersection(sent) == Set(sent.prefix(3)))
        }
    }

    @Test(
        "after midnight an app leaves out a key that became too old: the repeat is the same upload, with today's key or without"
    )
    func repeatedAfterMidnight() async throws {
        @Sendable func keys(_ ages: ClosedRange<Int>) throws -> [DiagnosisKey] {
            try ages.map { try Samples.key($0, day: Samples.day.advanced(by: -$0)) }
        }
        try await SubmissionStage.run { stage in
            for (ages, left) in [(0...14, 0...13), (1...14, 1...13)] {
                let tan = try stage.verification.issue()
                #expect(try await stage.upload(try Samples.payload(try keys(ages)), tan: tan.text).status == 200)
                #expect(try await stage.upload(try Self.again(try keys(left)), tan: tan.text).status == 200)
                // Other keys are another upload.
                #expect(try await stage.upload(try Self.again(try keys(2...13)), tan: tan.text).status == 403)
            }
            #expect(try await stage.waiting() == 2)
        }
    }

    // MARK: What apps send

    @Test("both apps send the keys of today and of 14 days before: all but the oldest are stored")
    func fifteenKeys() async throws {
        try await SubmissionStage.run { stage in
            let keys = try (0...14).map { try Samples.key($0, day: Samples.day.advanced(by: -$0)) }
            let tan = try stage.verification.issue()
            #expect(try await stage.upload(try Samples.payload(keys), tan: tan.text).status == 200)
            stage.clock.advance(by: 3600)
            try await stage.fold()
            let folded = try await stage.asSuperuser { session in
                try session.rows("SELECT key_data FROM submission.diagnosis_key", as: [UInt8].self)
            }.compactMap { KeyData($0) }.filter(Samples.isSample)
            #expect(Set(folded) == Set(keys.dropLast().map(\.data)))
        }
    }

    @Test(
        "an upload of check-ins alone is stored; the TAN alone tells a repeat, and keys with the same TAN are another upload"
    )
    func reportsAlone() async throws {
        try await SubmissionStage.run { stage in
            let tan = try stage.verification.issue()
            let answer = try await stage.upload(
                try Samples.payload([], reports: try Samples.reports(0..<3)), tan: tan.text)
            #expect(answer.status == 200)
            #expect(answer.fields["cwa-saved-checkins"] == "3")
            #expect(stage.verification.isConfirmed(tan))
            let again = try await stage.upload(
                try Samples.payload([], reports: try Samples.reports(5..<8)), tan: tan.text)
            #expect(again == answer)
            #expect(try await stage.upload(try Samples.payload(try Samples.keys(0..<3)), tan: tan.text).status == 403)
            #expect(try await stage.waiting() == 1)
            // An event's TAN is for a warning on behalf of others.
            let event = try stage.verification.issue(for: .onBehalf)
            let reports = try Samples.payload([], reports: try Samples.reports(0..<3))
            #expect(try await stage.upload(reports, tan: event.text).status == 403)

            stage.clock.advance(by: 3600)
            try await stage.fold()
            let folded = try await stage.asSuperuser { session in
                try session.rows(
                    "SELECT authentication_code FROM submission.check_in_report WHERE hour = \(Samples.hour.number)",
                    as: [UInt8].self)
            }
            let sent = Set(try Samples.reports(0..<8).map { Array($0.authenticationCode) })
            #expect(
                Set(folded).intersection(sent) == Set(try Samples.reports(0..<3).map { Array($0.authenticationCode) }))
            // Its hour is as large as any other, of keys as well.
            #expect(folded.count == 140)
            let keys = try await stage.asSuperuser { session in
                try session.row(
                    "SELECT count(*) FROM submission.diagnosis_key WHERE hour = \(Samples.hour.number)", as: Int64.self)
            }
            #expect(try #require(keys) >= 140)
        }
    }

    @Test("keys that are too old or of the future are dropped without a word")
    func dropped() async throws {
        try await SubmissionStage.run { stage in
            let tan = try stage.verification.issue()
            let old = try Samples.key(0, day: Samples.day.advanced(by: -15))
            let future = try Samples.key(1, day: Samples.day.advanced(by: 1))
            #expect(try await stage.upload(try Samples.payload([old, future]), tan: tan.text).status == 200)
            #expect(try await stage.waiting() == 1)
        }
    }

    @Test("a confirmation that fails costs the phone nothing")
    func unconfirmed() async throws {
        try await SubmissionStage.run { stage in
            stage.verification.state.withLock { $0.isConfirming = false }
            let tan = try stage.verification.issue()
            let payload = try Samples.payload(try Samples.keys(0..<14))
            #expect(try await stage.upload(payload, tan: tan.text).status == 200)
            #expect(!stage.verification.isConfirmed(tan))
            stage.verification.state.withLock { $0.isConfirming = true }
            #expect(try await stage.upload(payload, tan: tan.text).status == 200)
            #expect(stage.verification.isConfirmed(tan))
            #expect(try await stage.waiting() == 1)
        }
    }

    @Test(
        "a fake is answered like a real upload, asks the verification server as often, and leaves no trace",
        arguments: ["1", "2", "-1"])
    func fake(field: String) async throws {
        try await SubmissionStage.run { stage in
            let tan = try stage.verification.issue()
            let real = try await stage.upload(try Samples.payload(try Samples.keys(0..<14)), tan: tan.text)
            let callsOfReal = stage.verification.calls
            let payloads = [
                try Samples.payload(try Samples.keys(14..<28)), [], [0xff, 0xff],
                try Samples.payload([], reports: try Samples.reports(0..<3)),
            ]
            for purpose in UploadPurpose.allCases {
                for payload in payloads {
                    let unused = try stage.verification.issue(for: purpose)
                    let sent: [(tan: String?, password: String?)] = [
                        (unused.text, nil), ("", nil), (UUID().uuidString, nil), (nil, nil), (nil, unused.text),
                        (nil, UUID().uuidString), ("", UUID().uuidString), (unused.text, unused.text),
                    ]
                    for (tan, password) in sent {
                        let calls = stage.verification.calls
                        let answer = try await stage.upload(
                            payload, tan: tan, password: password, fake: field, for: purpose)
                        #expect(answer == real)
                        #expect(stage.verification.calls == calls + callsOfReal)
                    }
                    #expect(stage.verification.tag(of: unused) == nil)
                }
            }
            #expect(try await stage.waiting() == 1)
        }
    }

    // MARK: Partly stored

    @Test("a bad key among good ones costs none of them")
    func partial() async throws {
        try await SubmissionStage.run { stage in
            for bad in try BadKey.all() {
                let tan = try stage.verification.issue()
                let good = try Samples.payload(try Samples.keys(1..<3), padding: 10)
                #expect(try await stage.upload(good + bad.bytes, tan: tan.text).status == 200, "\(bad.testDescription)")
                // Without it, it is the same upload.
                #expect(try await stage.upload(good, tan: tan.text).status == 200, "\(bad.testDescription)")
            }
        }
    }

    @Test("reports are stored with the keys, and the phone is told how many")
    func reports() async throws {
        try await SubmissionStage.run { stage in
            let keys = try Samples.keys(0..<2)
            let (one, other) = (try Samples.report(1), try Samples.report(2))
            let (many, tooMany) = (try Samples.reports(0..<280), try Samples.reports(0..<300))
            let sent: [(reports: [CheckInReport], saved: Int)] = [
                ([], 0), ([one], 1), ([one, other], 2), ([one, other, one], 2), (many, 280), (tooMany, 280),
                (tooMany.reversed(), 280),
            ]
            for (reports, saved) in sent {
                let tan = try stage.verification.issue()
                let answer = try await stage.upload(try Samples.payload(keys, reports: reports), tan: tan.text)
                #expect(answer.status == 200)
                #expect(answer.fields["cwa-saved-checkins"] == "\(saved)")
                #expect(answer.fields["cwa-filtered-checkins"] == "\(reports.count - saved)")
                // The order in which they are listed doesn't matter.
                let again = try await stage.upload(
                    try Samples.payload(keys.reversed(), reports: reports.reversed()), tan: tan.text)
                #expect(again == answer)
            }
            #expect(try await stage.waiting() == sent.count)
        }
    }

    @Test("a report with a part of another length, and a visit in the clear, are left out and counted")
    func filteredReports() async throws {
        try await SubmissionStage.run { stage in
            let tan = try stage.verification.issue()
            var payload = try SubmissionPayload(
                decoding: try Samples.payload(try Samples.keys(0..<1), reports: try Samples.reports(0..<5)),
                maximum: 100_000)
            payload.checkInProtectedReports[0].locationIDHash.removeLast()
            payload.checkInProtectedReports[1].iv.append(0)
            payload.checkInProtectedReports[2].encryptedCheckInRecord = Data()
            payload.checkInProtectedReports[3].mac.removeFirst()
            payload.checkIns = [CheckIn()]
            let answer = try await stage.upload(try payload.encoded(), tan: tan.text)
            #expect(answer.status == 200)
            #expect(answer.fields["cwa-saved-checkins"] == "1")
            #expect(answer.fields["cwa-filtered-checkins"] == "5")
        }
    }

    // MARK: On behalf

    private static func warning(
        _ reports: [CheckInReport], change: (inout SubmissionPayload) -> Void = { _ in }
    ) throws -> [UInt8] {
        var payload = SubmissionPayload()
        payload.checkInProtectedReports = reports.map(CheckInProtectedReport.init(uploading:))
        payload.submissionType = .hostWarning
        change(&payload)
        return try payload.encoded()
    }

    @Test("an organiser warns the visitors of one venue, with a TAN of an event")
    func onBehalf() async throws {
        try await SubmissionStage.run { stage in
            let tan = try stage.verification.issue(for: .onBehalf)
            let payload = try Self.warning(try (0..<3).map { try Samples.report($0, venue: 1) })
            let answer = try await stage.upload(payload, tan: tan.text, for: .onBehalf)
            #expect(answer.status == 200)
            #expect(answer.fields["cwa-saved-checkins"] == "3")
            #expect(stage.verification.isConfirmed(tan))
            #expect(try await stage.upload(payload, tan: tan.text, for: .onBehalf) == answer)
            #expect(try await stage.waiting() == 1)
        }
    }

    @Test("a TAN of the other kind is refused and stays free")
    func wrongKind() async throws {
        try await SubmissionStage.run { stage in
            let (personal, event) = (try stage.verification.issue(), try stage.verification.issue(for: .onBehalf))
            let keys = try Samples.payload(try Samples.keys(0..<3))
            let warning = try Self.warning([try Samples.report(1)])
            #expect(try await stage.upload(keys, tan: event.text).status == 403)
            #expect(try await stage.upload(warning, tan: personal.text, for: .onBehalf).status == 403)
            #expect(stage.verification.tag(of: personal) == nil && stage.verification.tag(of: event) == nil)
            #expect(try await stage.upload(keys, tan: personal.text).status == 200)
            #expect(try await stage.upload(warning, tan: event.text, for: .onBehalf).status == 200)
        }
    }

    @Test("a warning has reports about one venue, and nothing of a person's upload")
    func badWarnings() async throws {
        let report = try Samples.report(1, venue: 1)
        let key = try Samples.key(1)
        let payloads = try [
            Self.warning([]),
            Self.warning([report, Samples.report(2, venue: 2)]),
            Self.warning([report]) { $0.keys = [TemporaryExposureKey(uploading: key)] },
            Self.warning([report]) { $0.visitedCountries = ["DE"] },
            Self.warning([report]) { $0.consentToFederation = true },
            Self.warning([report]) { $0.submissionType = .pcrTest },
            Self.warning([report]) { $0.origin = "FR" },
            Self.warning([report]) { $0.checkInProtectedReports[0].mac = Data() },
            Self.warning([report]) {
                $0.checkIns = [CheckIn(), CheckIn()]
                $0.checkIns[0].locationID = Data([1])
            },
            [0xff], [],
        ]
        try await SubmissionStage.run { stage in
            let tan = try stage.verification.issue(for: .onBehalf)
            for payload in payloads {
                #expect(try await stage.upload(payload, tan: tan.text, for: .onBehalf).status == 400)
            }
            #expect(stage.verification.tag(of: tan) == nil)
            #expect(try await stage.waiting() == 0)
        }
    }

    // MARK: Refused

    @Test("every reason to refuse a TAN has one answer, down to its header fields")
    func refusedTAN() async throws {
        try await SubmissionStage.run { stage in
            let used = try stage.verification.issue()
            let fresh = try stage.verification.issue()
            #expect(try await stage.upload(try Samples.payload(try Samples.keys(0..<14)), tan: used.text).status == 200)
            let payload = try Samples.payload(try Samples.keys(14..<28))
            let tans = [
                used.text, try Samples.tan().text, fresh.text.uppercased(), "\(fresh.text)0", "not a TAN",
                "00000000-0000-0000-0000-000000000000",
            ]
            let answers = try await tans.concurrently { try await stage.upload(payload, tan: $0) }
            #expect(Set(answers.map(\.status)) == [403])
            #expect(answers.allSatisfy { $0 == answers.first })
            #expect(answers.first?.body == [])
            #expect(answers.first?.fields["content-length"] == "0")
            #expect(try await stage.waiting() == 1)
            #expect(stage.verification.tag(of: fresh) == nil)
        }
    }

    /// A key that breaks a rule, as the only one of an upload.
    struct BadKey: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]

        init(_ name: String, _ change: (inout TemporaryExposureKey) -> Void) throws {
            var wire = TemporaryExposureKey(uploading: try Samples.key(1))
            wire.keyData = Data(repeating: 9, count: 16)
            change(&wire)
            var payload = SubmissionPayload()
            payload.keys = [wire]
            (testDescription, bytes) = (name, try payload.encoded())
        }

        static func all() throws -> [BadKey] {
            try [
                BadKey("15 bytes of key") { $0.keyData = Data(repeating: 1, count: 15) },
                BadKey("17 bytes of key") { $0.keyData = Data(repeating: 1, count: 17) },
                BadKey("no key data") { $0.keyData = Data() },
                BadKey("a start that isn't midnight") { $0.rollingStartIntervalNumber += 1 },
                BadKey("no start") { $0.clearRollingStartIntervalNumber() },
                BadKey("a negative start") { $0.rollingStartIntervalNumber = -144 },
                BadKey("a period of 0") { $0.rollingPeriod = 0 },
                BadKey("a period of 145") { $0.rollingPeriod = 145 },
                BadKey("a negative period") { $0.rollingPeriod = -1 },
                BadKey("risk level 0") { $0.transmissionRiskLevel = 0 },
                BadKey("risk level 9") { $0.transmissionRiskLevel = 9 },
                BadKey("16 days before the onset") { $0.daysSinceOnsetOfSymptoms = -16 },
                BadKey("4001 days since the onset") { $0.daysSinceOnsetOfSymptoms = 4001 },
                BadKey("neither level nor onset") {
                    $0.clearTransmissionRiskLevel()
                    $0.clearDaysSinceOnsetOfSymptoms()
                },
            ]
        }
    }

    private static func badPayloads() throws -> [(name: String, bytes: [UInt8])] {
        func changed(_ change: (inout SubmissionPayload) throws -> Void) throws -> [UInt8] {
            var payload = try SubmissionPayload(
                decoding: try Samples.payload(try Samples.keys(0..<2)), maximum: 100_000)
            try change(&payload)
            return try payload.encoded()
        }
        return try [
            ("no protobuf", [0xff, 0xff, 0xff]), ("a message that ends too soon", [0x0a, 0x20, 0x01]), ("empty", []),
            ("neither keys nor reports", Samples.payload([], padding: 400)),
            ("31 keys", Samples.payload(Samples.keys(0..<31))),
            ("no keys, and a visit in the clear", changed { ($0.keys, $0.checkIns) = ([], [CheckIn()]) }),
            (
                "no key, and a report with a part missing",
                changed {
                    $0.keys = []
                    $0.checkInProtectedReports = [CheckInProtectedReport(uploading: try Samples.report(1))]
                    $0.checkInProtectedReports[0].mac = Data()
                }
            ),
            ("another origin", changed { $0.origin = "FR" }),
            ("a country in small letters", changed { $0.visitedCountries = ["DE", "fr"] }),
            ("no country", changed { $0.visitedCountries = [""] }),
            ("a self-report", changed { $0.submissionType = .srsSelfTest }),
        ] + BadKey.all().map { ($0.testDescription, $0.bytes) }
    }

    @Test("a payload that is no good as a whole is refused, and costs no TAN")
    func badPayloads() async throws {
        try await SubmissionStage.run { stage in
            let tan = try stage.verification.issue()
            for (name, bytes) in try Self.badPayloads() {
                for tan in [tan.text, "not a TAN"] {
                    let answer = try await stage.upload(bytes, tan: tan)
                    #expect(answer.status == 400, "\(name)")
                    #expect(answer.body.isEmpty)
                }
            }
            #expect(stage.verification.tag(of: tan) == nil)
            #expect(try await stage.waiting() == 0)
            // The TAN is as good as before.
            #expect(try await stage.upload(try Samples.payload(try Samples.keys(0..<1)), tan: tan.text).status == 200)
        }
    }

    @Test("an upload without a TAN is refused for that")
    func noTAN() async throws {
        try await SubmissionStage.run { stage in
            let payload = try Samples.payload(try Samples.keys(0..<14))
            for tan in [nil, ""] { #expect(try await stage.upload(payload, tan: tan).status == 400) }
            #expect(try await stage.waiting() == 0)
        }
    }

    @Test("an upload must say whether it is a fake", arguments: [nil, "", "abc", "1.5", "0x0"])
    func undecided(field: String?) async throws {
        try await SubmissionStage.run { stage in
            let tan = try stage.verification.issue()
            let payload = try Samples.payload(try Samples.keys(0..<14))
            #expect(try await stage.upload(payload, tan: tan.text, fake: field).status == 400)
            #expect(stage.verification.calls == 0)
        }
    }

    @Test("100,000 bytes are an upload, one more is too much, however it comes")
    func size() async throws {
        try await SubmissionStage.run { stage in
            let keys = try Samples.keys(0..<14)
            let padding = 100_000 - (try Samples.payload(keys, padding: 50_000).count - 50_000)
            let largest = try Samples.payload(keys, padding: padding)
            #expect(largest.count == 100_000)
            let tan = try stage.verification.issue()
            #expect(try await stage.upload(largest, tan: tan.text).status == 200)
            let other = try stage.verification.issue()
            for fake in ["0", "1"] {
                #expect(try await stage.upload(largest + [0], tan: other.text, fake: fake).status == 413)
                #expect(try await stage.uploadEndlessly(tan: other.text, fake: fake).status == 413)
            }
            #expect(stage.verification.tag(of: other) == nil)
        }
    }

    @Test("another media type is refused", arguments: ["application/json", "application/octet-stream", nil])
    func media(type: String?) async throws {
        try await SubmissionStage.run { stage in
            let tan = try stage.verification.issue()
            let payload = try Samples.payload(try Samples.keys(0..<14))
            #expect(try await stage.upload(payload, tan: tan.text, media: type).status == 415)
            #expect(stage.verification.calls == 0)
        }
    }

    @Test(
        "nobody but the metadata proxy may upload", arguments: [Role.lab, .portal, .verificationServer, .distribution])
    func caller(role: Role) async throws {
        try await SubmissionStage.run(caller: role) { stage in
            let tan = try stage.verification.issue()
            #expect(
                try await stage.upload(try Samples.payload(try Samples.keys(0..<14)), tan: tan.text).status == 403)
            #expect(stage.verification.calls == 0)
        }
    }

    // MARK: Postponed

    @Test("without the verification server nothing is stored, and the phone is told to come again")
    func noVerification() async throws {
        try await SubmissionStage.run(verificationRuns: false) { stage in
            let answer = try await stage.upload(
                try Samples.payload(try Samples.keys(0..<14)), tan: try Samples.tan().text)
            #expect(answer.status == 503)
            #expect(answer.fields["retry-after"] != nil)
            #expect(answer.body.isEmpty)
            #expect(try await stage.waiting() == 0)
        }
    }

    @Test("without the database nothing is lost: the TAN stays reserved for the upload, and a repeat succeeds")
    func noDatabase() async throws {
        try await SubmissionStage.run { stage in
            let tan = try stage.verification.issue()
            let payload = try Samples.payload(try Samples.keys(0..<14))
            try await stage.asSuperuser { session in
                try session.script(
                    """
                    DO $$ BEGIN
                        EXECUTE format('ALTER DATABASE %I CONNECTION LIMIT 0', current_database());
                        PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
                            WHERE datname = current_database() AND usename = 'vigil_submission';
                    END $$
                    """)
            }
            #expect(try await stage.upload(payload, tan: tan.text).status == 503)
            #expect(stage.verification.tag(of: tan) != nil)
            #expect(!stage.verification.isConfirmed(tan))
            #expect(try await stage.waiting() == 0)

            try await stage.asSuperuser { session in
                try session.script(
                    """
                    DO $$ BEGIN
                        EXECUTE format('ALTER DATABASE %I CONNECTION LIMIT -1', current_database());
                    END $$
                    """)
            }
            // The pool tries to connect with growing pauses; the phone comes again until all is well.
            var statuses: Set<Int> = []
            for _ in 0..<20 where !stage.verification.isConfirmed(tan) {
                statuses.insert(try await stage.upload(payload, tan: tan.text).status)
            }
            #expect(stage.verification.isConfirmed(tan))
            #expect(statuses.isSubset(of: [200, 503]))
            #expect(try await stage.waiting() == 1)
        }
    }
}

extension Array where Element: Sendable {
    /// One after the other would do; together is how phones come.
    func concurrently<Result: Sendable>(
        _ body: @escaping @Sendable (Element) async throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: Result.self) { group in
            for element in self { group.addTask { try await body(element) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
