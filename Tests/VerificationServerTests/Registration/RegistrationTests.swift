import Calling
import Credentials
import Foundation
import HTTPContract
import HTTPTypes
import Running
import TestSupport
import Testing
import VerificationAPI

@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct RegistrationTests {
    /// Sends many requests at once, returns the tokens and checks that all others received 400.
    private func race(
        _ proof: RegistrationTokenRequest.Proof, times: Int, on stage: VerificationStage
    ) async throws -> [RegistrationToken] {
        try await withThrowingTaskGroup(of: RegistrationToken?.self) { group in
            for _ in 0..<times {
                group.addTask {
                    do {
                        return try await stage.register(proof)
                    } catch CallError.refused(.badRequest) {
                        return nil
                    }
                }
            }
            return try await group.reduce(into: []) { tokens, token in
                if let token { tokens.append(token) }
            }
        }
    }

    @Test("of a hundred concurrent registrations of one GUID, exactly one receives a token")
    func guidOnce() async throws {
        try await VerificationStage.run { stage in
            let tokens = try await race(.guid(.numbered(1)), times: 100, on: stage)
            #expect(tokens.count == 1)
            #expect(try await stage.counts() == ["session": 1, "registered_guid": 1])
        }
    }

    @Test(
        "of many concurrent redemptions of one teleTAN, exactly one receives a token", arguments: TeleTANKind.allCases)
    func teleTANOnce(kind: TeleTANKind) async throws {
        try await VerificationStage.run { stage in
            let code = try await stage.teleTAN(kind)
            let tokens = try await race(.teleTAN(code), times: 60, on: stage)
            #expect(tokens.count == 1)
            #expect(try await stage.counts() == ["session": 1, "tele_tan": 1])
        }
    }

    @Test("two GUIDs receive two tokens")
    func tokensDiffer() async throws {
        try await VerificationStage.run { stage in
            let one = try await stage.register(.guid(.numbered(1)))
            let other = try await stage.register(.guid(.numbered(2)))
            #expect(one != other)
        }
    }

    @Test("unknown, used and expired teleTANs and a registered GUID are refused with the same answer")
    func noOracle() async throws {
        try await VerificationStage.run { stage in
            let used = try await stage.teleTAN(.test)
            _ = try await stage.register(.teleTAN(used))
            let expired = try await stage.teleTAN(.test)
            let registered = HashedGUID.numbered(1)
            _ = try await stage.register(.guid(registered))
            stage.clock.advance(by: 3600)
            let before = try await stage.rows()

            let bodies = [
                "unknown teleTAN": #"{"key":"FE9A5MAK6C","keyType":"TELETAN"}"#,
                "used teleTAN": #"{"key":"\#(used.text)","keyType":"TELETAN"}"#,
                "expired teleTAN": #"{"key":"\#(expired.text)","keyType":"TELETAN"}"#,
                "teleTAN with a typing error": #"{"key":"FE9A5MAK6D","keyType":"TELETAN"}"#,
                "registered GUID": #"{"key":"\#(registered.text)","keyType":"GUID"}"#,
                "malformed": "{",
            ]
            let answers = try await stage.raw { client in
                var answers: [String: RawAnswer] = [:]
                for (name, body) in bodies {
                    answers[name] = try await client.post("/version/v1/registrationToken", body)
                }
                return answers
            }
            let first = try #require(answers["malformed"])
            #expect(first.status == 400)
            #expect(first.body.isEmpty)
            #expect(first.fields.map(\.name) == ["cache-control", "content-length"])
            for (name, answer) in answers { #expect(answer == first, "\(name)") }
            // Refused teleTANs are counted, and nothing else is changed.
            let after = try await stage.rows()
            #expect(after.filter { !$0.hasPrefix("refused_tele_tan") }.sorted() == before.sorted())
        }
    }

    @Test(
        "a teleTAN is valid for an hour, one for an event for two days",
        arguments: [(TeleTANKind.test, 3600.0), (.event, 2 * 86_400.0)])
    func teleTANLifetime(kind: TeleTANKind, lifetime: Double) async throws {
        try await VerificationStage.run { stage in
            let early = try await stage.teleTAN(kind)
            let late = try await stage.teleTAN(kind)
            stage.clock.advance(by: lifetime - 1)
            _ = try await stage.register(.teleTAN(early))
            stage.clock.advance(by: 1)
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.register(.teleTAN(late)) }
        }
    }

    @Test("a GUID stays registered as long as the test result server may have its result")
    func tombstone() async throws {
        try await VerificationStage.run { stage in
            _ = try await stage.register(.guid(.numbered(1)))
            stage.clock.advance(by: 82 * 86_400)
            #expect(try await stage.applyRetention() == 1)
            #expect(try await stage.counts() == ["registered_guid": 1])
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.register(.guid(.numbered(1))) }
            // No finer time than the day is known.
            stage.clock.advance(by: 86_400)
            #expect(try await stage.applyRetention() == 1)
            _ = try await stage.register(.guid(.numbered(1)))
        }
    }

    @Test("a registration is stored as the token's digest and the id of the result")
    func stored() async throws {
        try await VerificationStage.run { stage in
            let token = try await stage.register(.guid(.numbered(1)))
            let rows = try await stage.rows()
            let session = try #require(rows.first { $0.hasPrefix("session ") })
            #expect(session.contains(token.digest.hex))
            #expect(session.contains(HashedGUID.numbered(1).text))
            let guid = try #require(rows.first { $0.hasPrefix("registered_guid ") })
            #expect(guid.contains(HashedGUID.numbered(1).digest.hex))
            #expect(!guid.contains(HashedGUID.numbered(1).text))
        }
    }
}
