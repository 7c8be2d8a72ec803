import Calling
import Credentials
import Foundation
import HTTPContract
import HTTPTypes
import Running
import TestSupport
import Testing
import VerificationAPI

/// A lost answer to a registration costs nothing, and a second phone gains nothing by it.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct IdempotencyTests {
    @Test("a registration repeated with the same key returns the same token, and another phone is refused")
    func guid() async throws {
        try await VerificationStage.run { stage in
            let proof = RegistrationTokenRequest.Proof.guid(.numbered(1))
            let mine = IdempotencyKey.fresh
            let token = try await stage.register(proof, mine)
            #expect(try await stage.register(proof, mine) == token)
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.register(proof, .fresh) }
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.register(proof) }
            #expect(try await stage.counts() == ["session": 1, "registered_guid": 1])
            stage.results.set(.pcrPositive, for: .numbered(1))
            _ = try await stage.tan(token)
        }
    }

    @Test("the same holds for a teleTAN, also after its expiry", arguments: TeleTANKind.allCases)
    func teleTAN(kind: TeleTANKind) async throws {
        try await VerificationStage.run { stage in
            let proof = RegistrationTokenRequest.Proof.teleTAN(try await stage.teleTAN(kind))
            let mine = IdempotencyKey.fresh
            let token = try await stage.register(proof, mine)
            #expect(try await stage.register(proof, mine) == token)
            stage.clock.advance(by: 3 * 86_400)
            #expect(try await stage.register(proof, mine) == token)
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.register(proof, .fresh) }
            #expect(try await stage.counts() == ["session": 1, "tele_tan": 1])
        }
    }

    @Test("one key for two tests gives two tokens, and neither opens the other's test")
    func oneKeyTwoTests() async throws {
        try await VerificationStage.run { stage in
            let key = IdempotencyKey.fresh
            let one = try await stage.register(.guid(.numbered(1)), key)
            let two = try await stage.register(.guid(.numbered(2)), key)
            #expect(one != two)
            stage.results.set(.pcrPositive, for: .numbered(1))
            #expect(try await stage.testResult(one).testResult == .pcrPositive)
            #expect(try await stage.testResult(two).testResult == .pcrPending)
        }
    }

    @Test("many concurrent repeats of two phones open one session, and all repeats of one phone receive its token")
    func atOnce() async throws {
        try await VerificationStage.run { stage in
            let keys = [IdempotencyKey.fresh, .fresh]
            let tokens = try await withThrowingTaskGroup(of: (Int, RegistrationToken?).self) { group in
                for turn in 0..<60 {
                    group.addTask {
                        do {
                            return (turn % 2, try await stage.register(.guid(.numbered(1)), keys[turn % 2]))
                        } catch CallError.refused(.badRequest) {
                            return (turn % 2, nil)
                        }
                    }
                }
                return try await group.reduce(into: [Int: Set<RegistrationToken?>]()) { tokens, answer in
                    tokens[answer.0, default: []].insert(answer.1)
                }
            }
            let winners = tokens.values.filter { $0 != [nil] }
            #expect(winners.count == 1)
            #expect(winners.first?.count == 1)
            #expect(try await stage.counts() == ["session": 1, "registered_guid": 1])
        }
    }

    @Test("once the session is deleted, its key opens nothing")
    func sessionGone() async throws {
        try await VerificationStage.run { stage in
            let mine = IdempotencyKey.fresh
            _ = try await stage.register(.guid(.numbered(1)), mine)
            stage.clock.advance(by: 22 * 86_400)
            try await stage.applyRetention()
            await #expect(throws: CallError.refused(.badRequest)) {
                try await stage.register(.guid(.numbered(1)), mine)
            }
        }
    }

    @Test("a key that is too short or contains other characters is a bad request", arguments: ["", "short", "\"é\""])
    func malformed(key: String) async throws {
        try await VerificationStage.run { stage in
            let answer = try await stage.raw {
                try await $0.post(
                    "/version/v1/registrationToken", #"{"key":"\#(HashedGUID.numbered(1).text)","keyType":"GUID"}"#,
                    fields: ["Idempotency-Key": key])
            }
            #expect(answer.status == 400)
            #expect(try await stage.rows().isEmpty)
        }
    }

    // MARK: Two ids

    private static let birthDate = ResultID("x" + String(repeating: "b", count: 63))

    @Test("a test with two ids claims both, or none")
    func twoIDs() async throws {
        let other = try #require(Self.birthDate)
        try await VerificationStage.run { stage in
            _ = try await stage.register(.guid(.numbered(1), birthDate: other))
            #expect(try await stage.counts() == ["session": 1, "registered_guid": 2])
            await #expect(throws: CallError.refused(.badRequest)) {
                try await stage.register(.guid(.numbered(2), birthDate: other))
            }
            await #expect(throws: CallError.refused(.badRequest)) {
                try await stage.register(.guid(.numbered(1)))
            }
            // The refused one has claimed nothing.
            _ = try await stage.register(.guid(.numbered(2)))
        }
    }

    @Test("if the results under the two ids differ, there is neither a result nor a TAN")
    func contradiction() async throws {
        let other = try #require(Self.birthDate)
        try await VerificationStage.run { stage in
            let token = try await stage.register(.guid(.numbered(1), birthDate: other))
            stage.results.set(.pcrPositive, labID: "lab-7", for: .numbered(1))
            stage.results.set(.pcrNegative, for: other)
            await #expect(throws: CallError.refused(.forbidden)) { try await stage.testResult(token) }
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.tan(token) }
            stage.results.set(.pcrPositive, for: other)
            #expect(try await stage.testResult(token).labID == "lab-7")
            _ = try await stage.tan(token)
        }
    }
}
