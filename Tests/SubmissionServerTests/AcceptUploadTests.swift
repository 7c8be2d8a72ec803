import Credentials
import ExposureFormat
import ExposureKeys
import Foundation
import HTTPContract
import Postgres
import ServiceKit
import Synchronization
import TestSupport
import Testing

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(2)))
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
            #expect(try await stage.upload(payload, tan: tan.text).status == 200)
            #expect(try await stage.waiting() == 1)
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

    @Test("a fake is answered like a real upload and leaves no trace", arguments: ["1", "2", "-1"])
    func fake(field: String) async throws {
        try await SubmissionStage.run { stage in
            let tan = try stage.verification.issue()
            let real = try await stage.upload(try Samples.payload(try Samples.keys(0..<14)), tan: tan.text)
            let calls = stage.verification.calls
            for payload in [try Samples.payload(try Samples.keys(14..<28)), [], [0xff, 0xff]] {
                for tan in [try stage.verification.issue().text, "", UUID().uuidString] {
                    #expect(try await stage.upload(payload, tan: tan, fake: field) == real)
                }
            }
            #expect(stage.verification.calls == calls)
            #expect(try await stage.waiting() == 1)
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
                used.text, try Samples.tan().text, fresh.text.uppercased(), "\(fresh.text)0", "not a TAN", "", nil,
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

    struct BadPayload: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]

        init(_ name: String, _ bytes: [UInt8]) {
            (testDescription, self.bytes) = (name, bytes)
        }

        /// A valid upload of two keys with one thing changed.
        init(_ name: String, _ change: (inout TemporaryExposureKey) -> Void) throws {
            var wire = TemporaryExposureKey(uploading: try Samples.key(1))
            change(&wire)
            var payload = SubmissionPayload()
            payload.keys = [TemporaryExposureKey(uploading: try Samples.key(0)), wire]
            self.init(name, try payload.encoded())
        }

        static func all() throws -> [BadPayload] {
            try [
                BadPayload("no protobuf", [0xff, 0xff, 0xff]),
                BadPayload("a message that ends too soon", [0x0a, 0x20, 0x01]),
                BadPayload("empty", []),
                BadPayload("no keys", try Samples.payload([], padding: 400)),
                BadPayload("15 keys", try Samples.payload(try Samples.keys(0..<15))),
                BadPayload("15 bytes of key") { $0.keyData = Data(repeating: 1, count: 15) },
                BadPayload("17 bytes of key") { $0.keyData = Data(repeating: 1, count: 17) },
                BadPayload("no key data") { $0.keyData = Data() },
                BadPayload("a start that isn't midnight") { $0.rollingStartIntervalNumber += 1 },
                BadPayload("no start") { $0.clearRollingStartIntervalNumber() },
                BadPayload("a negative start") { $0.rollingStartIntervalNumber = -144 },
                BadPayload("a period of 0") { $0.rollingPeriod = 0 },
                BadPayload("a period of 145") { $0.rollingPeriod = 145 },
                BadPayload("a negative period") { $0.rollingPeriod = -1 },
                BadPayload("risk level 0") { $0.transmissionRiskLevel = 0 },
                BadPayload("risk level 9") { $0.transmissionRiskLevel = 9 },
                BadPayload("16 days before the onset") { $0.daysSinceOnsetOfSymptoms = -16 },
                BadPayload("4001 days since the onset") { $0.daysSinceOnsetOfSymptoms = 4001 },
                BadPayload("neither level nor onset") {
                    $0.clearTransmissionRiskLevel()
                    $0.clearDaysSinceOnsetOfSymptoms()
                },
            ]
        }
    }

    @Test("a payload that breaks a rule is refused before anybody is asked for its TAN")
    func badPayloads() async throws {
        try await SubmissionStage.run { stage in
            let tan = try stage.verification.issue()
            for bad in try BadPayload.all() {
                for tan in [tan.text, "not a TAN"] {
                    let answer = try await stage.upload(bad.bytes, tan: tan)
                    #expect(answer.status == 400, "\(bad.testDescription)")
                    #expect(answer.body.isEmpty)
                }
            }
            #expect(stage.verification.calls == 0)
            #expect(try await stage.waiting() == 0)
            // The TAN is as good as before.
            #expect(try await stage.upload(try Samples.payload(try Samples.keys(0..<1)), tan: tan.text).status == 200)
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
    fileprivate func concurrently<Result: Sendable>(
        _ body: @escaping @Sendable (Element) async throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: Result.self) { group in
            for element in self { group.addTask { try await body(element) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
