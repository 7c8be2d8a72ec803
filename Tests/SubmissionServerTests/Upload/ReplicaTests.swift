import Credentials
import ExposureKeys
import Postgres
import Running
import TestSupport
import Testing
import VerificationAPI

/// Servers that share a database and a tag key, and no disk; and the fold, without which they have no key to seal to.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct ReplicaTests {
    @Test("two servers on one database accept uploads at once, and a repeat at the other one counts once")
    func twoServers() async throws {
        try await SubmissionStage.run(replicas: 2) { stage in
            let uploads = try (0..<24).map { number in
                (
                    tan: try stage.verification.issue(),
                    payload: try Samples.payload(try Samples.keys(number * 14..<number * 14 + 14))
                )
            }
            let statuses = try await Array(uploads.enumerated()).concurrently { number, upload in
                try await stage.upload(upload.payload, tan: upload.tan.text, to: number % 2).status
            }
            #expect(Set(statuses) == [200])
            #expect(try await stage.waiting() == uploads.count)
            let repeats = try await Array(uploads.enumerated()).concurrently { number, upload in
                try await stage.upload(upload.payload, tan: upload.tan.text, to: (number + 1) % 2).status
            }
            #expect(Set(repeats) == [200])
            #expect(try await stage.waiting() == uploads.count)

            // What was stored through either of them is folded.
            stage.clock.advance(by: 3600)
            try await stage.fold()
            #expect(try await stage.waiting() == 0)
            let folded = try await stage.asSuperuser { session in
                try session.rows("SELECT key_data FROM submission.diagnosis_key", as: [UInt8].self)
            }.compactMap { KeyData($0) }.filter(Samples.isSample)
            #expect(Set(folded) == Set(try Samples.keys(0..<24 * 14).map(\.data)))
            #expect(folded.count == 24 * 14)
        }
    }

    @Test("without a key for the running hour every upload, real or fake, is answered 503, and the server isn't ready")
    func noKey() async throws {
        try await SubmissionStage.run(hasFolded: false) { stage in
            let tan = try stage.verification.issue()
            let payload = try Samples.payload(try Samples.keys(0..<14))
            let real = try await stage.upload(payload, tan: tan.text)
            #expect(real.status == 503)
            #expect(try await stage.upload(payload, tan: tan.text, fake: "1") == real)
            #expect(try await stage.upload(payload, tan: try Samples.tan().text) == real)
            #expect(try await stage.failing() == ["hour-key"])
            #expect(try await stage.waiting() == 0)
            #expect(!stage.verification.isConfirmed(tan))

            // The fold comes up, and the phone's next attempt succeeds.
            try await stage.fold()
            #expect(try await stage.upload(payload, tan: tan.text).status == 200)
            #expect(try await stage.failing() == [])
            #expect(try await stage.waiting() == 1)
            #expect(stage.verification.isConfirmed(tan))
        }
    }
}
