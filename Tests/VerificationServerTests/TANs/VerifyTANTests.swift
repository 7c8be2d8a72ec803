import Calling
import Credentials
import Foundation
import HTTPContract
import HTTPTypes
import Running
import TestSupport
import Testing
import VerificationAPI

/// Requests of other servers: a TAN redeemed in one step, and a result with its test's id.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct VerifyTANTests {
    private func verify(
        _ tan: TAN, _ key: IdempotencyKey? = nil, on stage: VerificationStage
    ) async throws -> VerifiedTAN? {
        do {
            return try await stage.submission.call(
                VerificationAPI.tanVerification, TANVerification(tan, idempotencyKey: key))
        } catch {
            #expect(error == .refused(.notFound))
            return nil
        }
    }

    @Test("a TAN is verified once, and the answer names the kind of its teleTAN")
    func once() async throws {
        try await VerificationStage.run(settings: ["tan.perRegistration": "1"]) { stage in
            let ofTest = try await stage.freshTAN()
            #expect(try await verify(ofTest, on: stage) == VerifiedTAN(kind: nil))
            #expect(try await verify(ofTest, on: stage) == nil)
            for kind in TeleTANKind.allCases {
                let token = try await stage.register(.teleTAN(try await stage.teleTAN(kind)))
                let tan = try await stage.tan(token)
                #expect(try await verify(tan, on: stage) == VerifiedTAN(kind: kind))
                await #expect(throws: CallError.refused(.badRequest)) { try await stage.tan(token) }
            }
        }
    }

    @Test("a TAN authorises one upload, whether it is reserved or verified")
    func eitherWay() async throws {
        try await VerificationStage.run { stage in
            let reserved = try await stage.freshTAN(1)
            #expect(try await stage.reserve(reserved, .tag(1)) == .granted)
            #expect(try await verify(reserved, on: stage) == nil)
            let verified = try await stage.freshTAN(2)
            #expect(try await verify(verified, on: stage) != nil)
            #expect(try await stage.reserve(verified, .tag(2)) == .refused)
        }
    }

    @Test("a repeat with the same key succeeds again, and no other key does")
    func repeated() async throws {
        try await VerificationStage.run { stage in
            let tan = try await stage.freshTAN()
            let key = IdempotencyKey.fresh
            #expect(try await verify(tan, key, on: stage) != nil)
            #expect(try await verify(tan, key, on: stage) != nil)
            #expect(try await verify(tan, .fresh, on: stage) == nil)
            #expect(try await verify(tan, on: stage) == nil)
        }
    }

    @Test("of many concurrent verifications of one TAN, exactly one succeeds")
    func race() async throws {
        try await VerificationStage.run { stage in
            let tan = try await stage.freshTAN()
            let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<50 { group.addTask { try await verify(tan, on: stage) != nil } }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(wins == 1)
        }
    }

    @Test("an unknown and an expired TAN have the same answer, not found")
    func gone() async throws {
        try await VerificationStage.run { stage in
            let tan = try await stage.freshTAN()
            stage.clock.advance(by: 25 * 3600)
            #expect(try await verify(tan, on: stage) == nil)
            let unknown = TAN(RandomIdentifier(.tag(1)))
            #expect(try await verify(unknown, on: stage) == nil)
        }
    }

    // MARK: Certificates

    private func certificateResult(
        _ token: RegistrationToken, on stage: VerificationStage
    ) async throws -> RawAnswer {
        try await stage.rawPortal(.certificateServer) {
            try await $0.post("/version/v1/testresult", #"{"registrationToken":"\#(token.text)"}"#)
        }
    }

    @Test("the certificate server receives a test's result with the test's id")
    func certificate() async throws {
        try await VerificationStage.run { stage in
            let guid = HashedGUID.numbered(1)
            let token = try await stage.register(.guid(guid))
            stage.results.set(.pcrNegative, sampleCollected: 1_779_700_000, labID: "lab-7", for: guid)
            let answer = try await certificateResult(token, on: stage)
            #expect(answer.status == 200)
            #expect(
                answer.body
                    == #"{"labId":"lab-7","sc":1779700000,"testId":"\#(guid.text)","testResult":1}"#)
        }
    }

    @Test("it receives nothing for a teleTAN, an unknown token, or a test whose two ids have different results")
    func noCertificate() async throws {
        let other = try #require(ResultID("x" + String(repeating: "b", count: 63)))
        try await VerificationStage.run { stage in
            let teleTAN = try await stage.register(.teleTAN(try await stage.teleTAN(.test)))
            #expect(try await certificateResult(teleTAN, on: stage).status == 403)
            let unknown = RegistrationToken(RandomIdentifier(.tag(1)))
            #expect(try await certificateResult(unknown, on: stage).status == 404)
            let contradictory = try await stage.register(.guid(.numbered(1), birthDate: other))
            stage.results.set(.pcrNegative, for: other)
            #expect(try await certificateResult(contradictory, on: stage).status == 403)
        }
    }
}
