import AppAttest
import Crypto
import DevelopmentAttestation
import DonationAPI
import DonationFormat
import Foundation
import Postgres
import TestSupport
import Testing

/// Admission by App Attest, by the whole service.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct AppAttestAdmissionTests {
    private typealias Reply = DonationStage.Reply

    @Test func `a key is attested once, and then signs requests with a rising counter`() async throws {
        try await DonationStage.run { stage in
            var phone = try SimulatedIPhone("anna", stage.vouchers)
            let challenge = try await stage.challenge()
            for number in 1...3 {
                let body = try phone.attestedRequest(Wish.payload(number), challenge, isNew: number == 1)
                #expect(try await stage.send(DonationAPI.logOnIOS, body).status == 200)
            }
            #expect(try await stage.rows() == ["keys": 1, "passwords": 3])
            let counter = try await stage.asSuperuser { session in
                try session.row("SELECT counter FROM donation.attested_key", as: Int64.self)
            }
            #expect(counter == 3)
        }
    }

    @Test func `a challenge is good for its hour and the next`() async throws {
        try await DonationStage.run { stage in
            var phone = try SimulatedIPhone("anna", stage.vouchers)
            let challenge = try await stage.challenge()
            #expect(challenge.count == 32)
            stage.clock.advance(by: 3600)
            #expect(try await stage.challenge() != challenge)
            let inTime = try phone.attestedRequest(Wish.payload(1), challenge, isNew: true)
            #expect(try await stage.send(DonationAPI.logOnIOS, inTime).status == 200)
            stage.clock.advance(by: 3600)
            let late = try phone.attestedRequest(Wish.payload(2), challenge)
            #expect(try await stage.send(DonationAPI.logOnIOS, late) == .refusal(403, "ATTESTATION_EXPIRED"))
        }
    }

    @Test func `a challenge is good a little before its hour, because another replica's clock may be ahead`()
        async throws
    {
        try await DonationStage.run { stage in
            var phone = try SimulatedIPhone("anna", stage.vouchers)
            stage.clock.advance(by: 3600)
            let challenge = try await stage.challenge()
            stage.clock.advance(by: -3600)
            let early = try phone.attestedRequest(Wish.payload(1), challenge, isNew: true)
            #expect(try await stage.send(DonationAPI.logOnIOS, early).status == 200)
        }
    }

    @Test(arguments: [1200, -1200])
    func `a service whose clock is wrong gives no challenge`(error: TimeInterval) async throws {
        try await DonationStage.run(clockError: error) { stage in
            let reply = try await stage.askForChallenge()
            #expect(reply == DonationStage.Reply(503, ""))
        }
    }

    @Test func `an assertion is good for its own payload, once`() async throws {
        try await DonationStage.run { stage in
            var phone = try SimulatedIPhone("anna", stage.vouchers)
            let challenge = try await stage.challenge()
            let evidence = try phone.evidence(Wish.payload(1), challenge, isNew: true)
            func send(_ number: Int) async throws -> Reply {
                let request = DonationRequest(
                    authentication: try evidence.encoded(), payload: try Wish.payload(number))
                return try await stage.send(DonationAPI.logOnIOS, request.encoded(length: 32_768))
            }
            #expect(try await send(2) == .refusal(401, "DEVICE_TOKEN_INVALID"))
            #expect(try await stage.rows().isEmpty)
            #expect(try await send(1).status == 200)
            // The same request again is a repeat; without what it stored it would be a replay.
            #expect(try await send(1).status == 200)
            _ = try await stage.asSuperuser { try $0.execute("DELETE FROM donation.one_time_password") }
            #expect(try await send(1) == .refusal(403, "DEVICE_TOKEN_REDEEMED"))
        }
    }

    @Test func `an older assertion doesn't count after a newer one`() async throws {
        try await DonationStage.run { stage in
            var phone = try SimulatedIPhone("anna", stage.vouchers)
            let challenge = try await stage.challenge()
            let first = try phone.attestedRequest(Wish.payload(1), challenge, isNew: true)
            let second = try phone.attestedRequest(Wish.payload(2), challenge, isNew: true)
            #expect(try await stage.send(DonationAPI.logOnIOS, second).status == 200)
            #expect(try await stage.send(DonationAPI.logOnIOS, first) == .refusal(403, "DEVICE_TOKEN_REDEEMED"))
        }
    }

    @Test func `a key that Apple didn't attest, or for another app, or in development, is refused`() async throws {
        try await DonationStage.run { stage in
            let challenge = try await stage.challenge()
            let refusal = Reply.refusal(401, "DEVICE_TOKEN_INVALID")
            var stranger = try SimulatedIPhone("eve", stage.vouchers)
            let hash = Array(SHA256.hash(data: challenge))
            let other = try #require(AppID("A1B2C3D4E5.de.example.other"))
            let good = try stranger.evidence(Wish.payload(1), challenge, isNew: true)
            let assertion = try #require(good.appAttest)
            let device = AppAttestDevice(app: other)
            for attestation in [
                try stranger.key.attestation(
                    by: AppleAuthority(at: stage.clock.now), clientDataHash: hash, environment: .production,
                    at: stage.clock.now),
                try stranger.key.attestation(
                    by: stage.vouchers.apple, clientDataHash: hash, environment: .development, at: stage.clock.now),
                try stranger.key.attestation(
                    by: stage.vouchers.apple, clientDataHash: [UInt8](repeating: 0, count: 32),
                    environment: .production, at: stage.clock.now),
                try device.attestation(
                    by: stage.vouchers.apple, clientDataHash: hash, environment: .production, at: stage.clock.now),
            ] {
                let evidence = IOSEvidence(
                    appAttest: .init(
                        challenge: assertion.challenge, keyID: assertion.keyID, assertion: assertion.assertion,
                        attestation: attestation))
                let body = try DonationRequest(authentication: evidence.encoded(), payload: Wish.payload(1))
                    .encoded(length: 32_768)
                #expect(try await stage.send(DonationAPI.logOnIOS, body) == refusal)
            }
            let unattested = try stranger.attestedRequest(Wish.payload(1), challenge)
            #expect(
                try await stage.send(DonationAPI.logOnIOS, unattested) == .refusal(400, "DEVICE_TOKEN_SYNTAX_ERROR"))
            #expect(try await stage.rows().isEmpty)
        }
    }

    @Test func `an app has a survey once a month, and a self-report needs the device's bits as well`() async throws {
        try await DonationStage.run { stage in
            var phone = try SimulatedIPhone("anna", stage.vouchers)
            let challenge = try await stage.challenge()
            let survey = try phone.attestedRequest(Wish.payload(1), challenge, isNew: true)
            #expect(try await stage.send(DonationAPI.surveyOnIOS, survey).status == 200)
            let again = try phone.attestedRequest(Wish.payload(2), challenge)
            #expect(try await stage.send(DonationAPI.surveyOnIOS, again) == .refusal(429, "API_TOKEN_QUOTA_EXCEEDED"))
            let alone = try phone.attestedRequest(Wish.payload(3), challenge)
            #expect(try await stage.send(DonationAPI.reportOnIOS, alone) == .refusal(400, "DEVICE_TOKEN_SYNTAX_ERROR"))
            let both = try phone.attestedRequest(Wish.payload(4), challenge, withDeviceToken: true)
            #expect(try await stage.send(DonationAPI.reportOnIOS, both).status == 200)
            // A reinstalled app has another key; the device keeps its bit.
            var reinstalled = try SimulatedIPhone("anna", stage.vouchers)
            let other = try reinstalled.attestedRequest(Wish.payload(5), challenge, isNew: true, withDeviceToken: true)
            #expect(try await stage.send(DonationAPI.reportOnIOS, other) == .refusal(429, "API_TOKEN_QUOTA_EXCEEDED"))
        }
    }

    @Test func `a repeat that looks for its password just before the first attempt is stored is admitted all the same`()
        async throws
    {
        try await DonationStage.run { stage in
            let challenge = try await stage.challenge()
            var phone = try SimulatedIPhone("anna", stage.vouchers)
            let first = try phone.attestedRequest(Wish.payload(1), challenge, isNew: true, withDeviceToken: true)
            let again = try phone.attestedRequest(Wish.payload(1), challenge, withDeviceToken: true)
            #expect(try await stage.send(DonationAPI.reportOnIOS, first).status == 200)
            try await stage.asSuperuser { session in
                try session.execute("CREATE TABLE stored AS SELECT * FROM donation.one_time_password")
                try session.execute("DELETE FROM donation.one_time_password")
            }
            // The repeat has looked for its password when it waits to look at its share.
            let (isLocked, lock) = AsyncStream<Void>.makeStream()
            async let storing: Void = stage.asSuperuser { session in
                try session.execute("BEGIN")
                try session.execute("LOCK TABLE donation.quota IN ACCESS EXCLUSIVE MODE")
                lock.finish()
                while try session.row(
                    "SELECT true FROM pg_locks WHERE relation = 'donation.quota'::regclass AND NOT granted",
                    as: Bool.self) == nil
                {}
                try session.execute("INSERT INTO donation.one_time_password SELECT * FROM stored")
                try session.execute("COMMIT")
            }
            for await _ in isLocked {}
            #expect(try await stage.send(DonationAPI.reportOnIOS, again).status == 200)
            try await storing
        }
    }

    @Test func `a purpose accepts only the evidence that its setting lists`() async throws {
        try await DonationStage.run(settings: ["accept.log": "device-check"]) { stage in
            var phone = try SimulatedIPhone("anna", stage.vouchers)
            let challenge = try await stage.challenge()
            let attested = try phone.attestedRequest(Wish.payload(1), challenge, isNew: true)
            #expect(try await stage.send(DonationAPI.logOnIOS, attested) == .refusal(400, "DEVICE_TOKEN_SYNTAX_ERROR"))
            #expect(try await stage.send(DonationAPI.surveyOnIOS, attested).status == 200)
            #expect(try await stage.send(DonationAPI.logOnIOS, phone.request(Wish.payload(2))).status == 200)
        }
    }
}
