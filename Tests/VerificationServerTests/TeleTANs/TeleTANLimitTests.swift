import Calling
import Credentials
import Foundation
import HTTPContract
import HTTPTypes
import Running
import TestSupport
import Testing
import VerificationAPI

/// How many teleTANs officers may issue and callers may guess.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct TeleTANLimitTests {
    private func ask(_ officer: String, on stage: VerificationStage) async throws -> Bool {
        var claims = OfficerTokens.Claims()
        claims.sub = "\"\(officer)\""
        let request = TeleTANRequest(officerToken: try stage.officers.token(claims), kind: .test)
        do {
            _ = try await stage.portal.call(VerificationAPI.teleTAN, request)
            return true
        } catch {
            #expect(error == .refused(.tooManyRequests))
            return false
        }
    }

    private func ask(_ officers: [String], on stage: VerificationStage) async throws -> [Bool] {
        var answers: [Bool] = []
        for officer in officers { answers.append(try await ask(officer, on: stage)) }
        return answers
    }

    @Test("each officer has a limit per hour of the clock")
    func officer() async throws {
        try await VerificationStage.run(settings: ["teleTAN.officerHourlyLimit": "2"]) { stage in
            let within = try await ask(["one", "one", "one", "other"], on: stage)
            stage.clock.advance(by: 3600)
            let later = try await ask(["one"], on: stage)
            #expect(within == [true, true, false, true])
            #expect(later == [true])
        }
    }

    /// The digests under which officers are stored.
    private func officers(on stage: VerificationStage) async throws -> [String] {
        try await stage.rows().filter { $0.hasPrefix("officer_hour") }.map { String($0.prefix { $0 != "," }) }
    }

    @Test("no name of an officer is stored, nor anything that is the same in two hours")
    func pseudonym() async throws {
        try await VerificationStage.run { stage in
            _ = try await ask("officer-name", on: stage)
            let first = try await officers(on: stage)
            stage.clock.advance(by: 3600)
            _ = try await ask("officer-name", on: stage)
            let both = try await officers(on: stage)
            #expect(Set(both).count == 2)
            #expect(both.allSatisfy { !$0.contains("officer-name") })
            try await stage.applyRetention()
            let left = try await officers(on: stage)
            #expect(left.count == 1)
            #expect(Set(left).isDisjoint(with: first))
        }
    }

    @Test("a token without a subject is refused", arguments: [nil, "\"\""] as [String?])
    func nameless(subject: String?) async throws {
        var claims = OfficerTokens.Claims()
        claims.sub = subject
        let nameless = claims
        try await VerificationStage.run { stage in
            let request = TeleTANRequest(officerToken: try stage.officers.token(nameless), kind: .test)
            await #expect(throws: CallError.refused(.unauthorized)) {
                try await stage.portal.call(VerificationAPI.teleTAN, request)
            }
        }
    }

    private func guess(_ times: Int, on stage: VerificationStage) async throws {
        var randomness = SystemRandomNumberGenerator()
        for _ in 0..<times {
            let guess = TeleTAN(using: &randomness)
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.register(.teleTAN(guess)) }
        }
    }

    private func isStrained(_ stage: VerificationStage, _ number: Int) async throws -> Bool {
        try await stage.apps.call(
            VerificationAPI.registrationToken, RegistrationTokenRequest(.guid(.numbered(number)))
        ).isStrained
    }

    @Test("when guesses exhaust the hourly budget the proxy is told, and codes can still be redeemed")
    func strained() async throws {
        try await VerificationStage.run(settings: ["teleTAN.refusalBudget": "3"]) { stage in
            let good = try await stage.teleTAN(.event)
            try await guess(2, on: stage)
            let early = try await isStrained(stage, 1)
            #expect(!early)
            try await guess(1, on: stage)
            let usedUp = try await isStrained(stage, 2)
            #expect(usedUp)
            _ = try await stage.register(.teleTAN(good))
            #expect(stage.runtime.metrics.text.contains("teletan_registration_closed 0"))

            stage.clock.advance(by: 3600)
            let later = try await isStrained(stage, 3)
            #expect(!later)
        }
    }

    @Test("twice the budget of guesses closes teleTANs for the rest of the hour, and GUIDs are not affected")
    func guessing() async throws {
        try await VerificationStage.run(settings: ["teleTAN.refusalBudget": "3"]) { stage in
            let good = try await stage.teleTAN(.event)
            try await guess(6, on: stage)
            await #expect(throws: CallError.unavailable) { try await stage.register(.teleTAN(good)) }
            _ = try await stage.register(.guid(.numbered(1)))
            let text = stage.runtime.metrics.text
            #expect(text.contains("teletan_registration_closed 1"))
            #expect(text.contains("teletan_refusals_total 6"))

            stage.clock.advance(by: 3600)
            _ = try await stage.register(.teleTAN(good))
        }
    }

    @Test("a repeat with its key doesn't count as a guess")
    func repeats() async throws {
        try await VerificationStage.run(settings: ["teleTAN.refusalBudget": "1"]) { stage in
            let good = try await stage.teleTAN(.test)
            let key = IdempotencyKey.fresh
            let token = try await stage.register(.teleTAN(good), key)
            for _ in 0..<3 {
                let again = try await stage.register(.teleTAN(good), key)
                #expect(again == token)
            }
        }
    }
}
