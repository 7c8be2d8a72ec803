import DevelopmentAttestation
import DonationAPI
import DonationFormat
import Foundation
import HTTPContract
import TestSupport
import Testing

/// Every row of the check order for Android, by the whole service: each refusal stores nothing.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct AndroidAdmissionTests {
    private typealias Reply = DonationStage.Reply
    private static let salt = SimulatedAndroid.salt(1)

    /// A refusal, and the change of a good verdict that leads to it.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: Int
        let code: String
        let change: @Sendable (inout SimulatedVerdict) -> Void
    }

    static let rows: [Row] = [
        Row(testDescription: "another nonce", status: 403, code: "NONCE_MISMATCH") {
            $0.requestDetails.nonce = "AAAA"
        },
        Row(testDescription: "no nonce", status: 401, code: "JWS_SIGNATURE_VERIFICATION_FAILED") {
            $0.requestDetails.nonce = nil
        },
        Row(testDescription: "eleven minutes old", status: 403, code: "ATTESTATION_EXPIRED") {
            $0.requestDetails.timestampMillis = String(Int64((DonationStage.start.timeIntervalSince1970 - 660) * 1000))
        },
        Row(testDescription: "from the future", status: 403, code: "ATTESTATION_EXPIRED") {
            $0.requestDetails.timestampMillis = String(Int64((DonationStage.start.timeIntervalSince1970 + 660) * 1000))
        },
        Row(testDescription: "another app", status: 403, code: "APK_PACKAGE_NAME_MISMATCH") {
            $0.appIntegrity?.packageName = "de.example.other"
            $0.requestDetails.requestPackageName = "de.example.other"
        },
        Row(testDescription: "another signer", status: 403, code: "APK_CERTIFICATE_MISMATCH") {
            $0.appIntegrity?.certificateSha256Digest = [String(repeating: "A", count: 43)]
        },
        Row(testDescription: "a version that Google doesn't know", status: 403, code: "APK_CERTIFICATE_MISMATCH") {
            $0.appIntegrity?.appRecognitionVerdict = "UNRECOGNIZED_VERSION"
        },
        Row(testDescription: "a tester's answer", status: 403, code: "APK_CERTIFICATE_MISMATCH") {
            $0.testingDetails = .init(isTestingResponse: true)
        },
        Row(testDescription: "a device that passes nothing", status: 403, code: "BASIC_INTEGRITY_REQUIRED") {
            $0.deviceIntegrity?.deviceRecognitionVerdict = nil
        },
        Row(testDescription: "a changed device", status: 403, code: "CTS_PROFILE_MATCH_REQUIRED") {
            $0.deviceIntegrity?.deviceRecognitionVerdict = ["MEETS_BASIC_INTEGRITY"]
        },
    ]

    @Test(arguments: rows) func `a verdict of Play Integrity with a flaw is refused with the code that apps know`(
        row: Row
    )
        async throws
    {
        try await DonationStage.run { stage in
            let phone = SimulatedAndroid(vouchers: stage.vouchers)
            let body = try phone.request(Wish.payload(1), salt: Self.salt, row.change)
            #expect(try await stage.send(DonationAPI.surveyOnAndroid, body) == .refusal(row.status, row.code))
            #expect(try await stage.rows().isEmpty)
            // The salt is still good.
            let good = try phone.request(Wish.payload(1), salt: Self.salt)
            #expect(try await stage.send(DonationAPI.surveyOnAndroid, good).status == 200)
        }
    }

    @Test(arguments: [1200, -1200])
    func `a service whose clock is wrong tells a genuine app to come again`(error: TimeInterval) async throws {
        try await DonationStage.run(clockError: error) { stage in
            let phone = SimulatedAndroid(vouchers: stage.vouchers)
            let body = try phone.request(Wish.payload(1), salt: Self.salt)
            #expect(try await stage.send(DonationAPI.surveyOnAndroid, body).status == 503)
            #expect(try await stage.rows().isEmpty)
        }
    }

    @Test func `a token that others made, or for another payload, is refused`() async throws {
        try await DonationStage.run { stage in
            let phone = SimulatedAndroid(vouchers: stage.vouchers)
            var verdict = SimulatedVerdict(
                packageName: Vouchers.packageName, certificateDigests: [], at: stage.clock.now)
            verdict.requestDetails.nonce = "AAAA"
            let forged = AndroidEvidence(
                salt: Data(Self.salt).base64EncodedString(), playIntegrity: try PlayIntegrityMint().token(verdict))
            let body = try DonationRequest(authentication: forged.encoded(), payload: Wish.payload(1))
                .encoded(length: 16_384)
            let reply = try await stage.send(DonationAPI.surveyOnAndroid, body)
            #expect(reply == .refusal(401, "JWS_SIGNATURE_VERIFICATION_FAILED"))
            let other = try phone.request(Wish.payload(2), salt: Self.salt, signedPayload: Wish.payload(1))
            #expect(try await stage.send(DonationAPI.surveyOnAndroid, other) == .refusal(403, "NONCE_MISMATCH"))
            #expect(try await stage.rows().isEmpty)
        }
    }

    @Test func `without evidence or salt, a part is missing`() async throws {
        try await DonationStage.run { stage in
            let refusal = Reply.refusal(400, "MISSING_MANDATORY_AUTHENTICATION_FIELDS")
            for evidence in [AndroidEvidence(), AndroidEvidence(salt: "AAAA"), AndroidEvidence(playIntegrity: "a.b.c")]
            {
                let body = try DonationRequest(authentication: evidence.encoded(), payload: Wish.payload(1))
                    .encoded(length: 16_384)
                #expect(try await stage.send(DonationAPI.surveyOnAndroid, body) == refusal)
            }
        }
    }

    @Test func `a salt admits one request, as long as a token with it could be good`() async throws {
        try await DonationStage.run { stage in
            let phone = SimulatedAndroid(vouchers: stage.vouchers)
            func ask(_ number: Int) async throws -> Reply {
                try await stage.send(
                    DonationAPI.surveyOnAndroid, phone.request(Wish.payload(number), salt: Self.salt))
            }
            let first = try await ask(1)
            #expect(first.status == 200)
            #expect(try await ask(2) == .refusal(403, "SALT_REDEEMED"))
            stage.clock.advance(by: 1190)
            #expect(try await ask(3) == .refusal(403, "SALT_REDEEMED"))
        }
    }

    @Test func `of many requests with one salt at once, one is admitted`() async throws {
        try await DonationStage.run { stage in
            let phone = SimulatedAndroid(vouchers: stage.vouchers)
            let bodies = try (1...8).map { try phone.request(Wish.payload($0), salt: Self.salt) }
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for body in bodies {
                    group.addTask { try await stage.send(DonationAPI.surveyOnAndroid, body).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200] + Array(repeating: 403, count: 7))
            #expect(try await stage.rows() == ["evidence": 1, "passwords": 1])
        }
    }

    @Test func `a phone reports itself once in 90 days, whatever salt it has, and must name itself`() async throws {
        try await DonationStage.run { stage in
            let phone = SimulatedAndroid(vouchers: stage.vouchers)
            func report(_ number: UInt8, _ id: [UInt8]?) async throws -> Reply {
                let payload = try Wish.payload(Int(number), androidID: id)
                return try await stage.send(
                    DonationAPI.reportOnAndroid, phone.request(payload, salt: SimulatedAndroid.salt(number)))
            }
            let id = [UInt8](1...8)
            let nameless = try await report(1, nil)
            #expect(nameless == .refusal(400, "MISSING_MANDATORY_AUTHENTICATION_FIELDS"))
            #expect(try await report(2, id).status == 200)
            #expect(try await report(3, id) == .refusal(403, "DEVICE_QUOTA_EXCEEDED"))
            #expect(try await report(4, [UInt8](2...9)).status == 200)
            stage.clock.advance(by: 89 * 86_400)
            #expect(try await report(5, id) == .refusal(403, "DEVICE_QUOTA_EXCEEDED"))
            stage.clock.advance(by: 86_400)
            #expect(try await report(6, id).status == 200)
        }
    }

    @Test func `an id that none can be is missing`() async throws {
        try await DonationStage.run { stage in
            let phone = SimulatedAndroid(vouchers: stage.vouchers)
            // Field 2 with seven bytes.
            let payload = try Wish.payload(1) + [0x12, 7] + [UInt8](1...7)
            let reply = try await stage.send(
                DonationAPI.reportOnAndroid, phone.request(payload, salt: Self.salt))
            #expect(reply == .refusal(400, "MISSING_MANDATORY_AUTHENTICATION_FIELDS"))
            #expect(try await stage.rows().isEmpty)
        }
    }

    @Test func `a log and a self-report need hardware that vouches for the phone`() async throws {
        try await DonationStage.run { stage in
            let phone = SimulatedAndroid(vouchers: stage.vouchers)
            let body = try phone.request(Wish.payload(1, androidID: [UInt8](1...8)), salt: Self.salt) {
                $0.deviceIntegrity?.deviceRecognitionVerdict = ["MEETS_BASIC_INTEGRITY", "MEETS_DEVICE_INTEGRITY"]
            }
            for operation in [DonationAPI.logOnAndroid, DonationAPI.reportOnAndroid] {
                let reply = try await stage.send(operation, body)
                #expect(reply == .refusal(403, "EVALUATION_TYPE_HARDWARE_BACKED_REQUIRED"))
            }
            #expect(try await stage.send(DonationAPI.surveyOnAndroid, body).status == 200)
            let answer = try await stage.redeem(
                DonationAPI.surveyRedemption.route.path, Wish.password(1), by: .surveyServer)
            #expect(answer.body.contains(#""strongClientIntegrityCheck":false"#))
        }
    }

    @Test func `a statement of SafetyNet, which Google has shut down, is like an unknown proof`() async throws {
        try await DonationStage.run { stage in
            let statement = Array("e30.e30.AAAA".utf8)
            // PPACAndroid: 1 safetyNetJws, 2 salt.
            let evidence: [UInt8] = [0x0a, UInt8(statement.count)] + statement + [0x12, 4] + Array("AAAA".utf8)
            let body = try DonationRequest(authentication: evidence, payload: Wish.payload(1)).encoded(length: 16_384)
            let reply = try await stage.send(DonationAPI.surveyOnAndroid, body)
            #expect(reply == .refusal(400, "MISSING_MANDATORY_AUTHENTICATION_FIELDS"))
            #expect(try await stage.rows().isEmpty)
        }
    }
}
