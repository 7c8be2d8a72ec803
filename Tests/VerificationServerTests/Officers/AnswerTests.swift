import Foundation
import HTTPContract
import HTTPTypes
import TestSupport
import Testing

/// The call to the identity provider, for its keys, and each answer that a party outside may give.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct AnswerTests {
    enum Call: CaseIterable, Sendable {
        case keys
    }

    /// What an officer is told before any keys were read, and the reason in the log.
    private struct Row {
        let answer: OfficerKeyServer.Answer
        let status: Int
        /// Nil if nobody has to know.
        var reason: String?
    }

    private static func row(_ call: Call, _ answer: OutsideAnswer, _ keys: String) -> Row {
        switch answer {
        case .refusedWithReason: Row(answer: .refused, status: 503, reason: "status")
        case .refusedWithoutReason: Row(answer: .status(.forbidden), status: 503, reason: "status")
        // Keys are read, and nothing is done for it.
        case .lateButDone: Row(answer: .silence, status: 503, reason: "late")
        case .addedField:
            Row(answer: .keys(keys.replacing(#"{""#, with: #"{"added_later":[1],""#)), status: 201)
        case .clockAhead, .clockBehind: Row(answer: .keys(keys), status: 201)
        }
    }

    @Test(
        "each answer of the identity provider ends as the README says, and the log names its cause",
        arguments: Call.allCases, OutsideAnswer.allCases)
    func answers(_ call: Call, _ answer: OutsideAnswer) async throws {
        let log = CapturedLog()
        // Its clock is in its tokens.
        let officers = OfficerTokens(
            clock: ManualClock(VerificationStage.start.addingTimeInterval(answer.secondsAhead)))
        var claims = OfficerTokens.Claims()
        // Even one that has ended a moment ago, if the provider is behind.
        claims.exp = 10
        let row = Self.row(call, answer, officers.keySet)
        let provider = try OfficerKeyServer(row.answer)
        try await provider.run {
            try await VerificationStage.run(settings: provider.settings, logger: log.logger()) { stage in
                func ask() async throws -> Int {
                    let token = try officers.token(claims)
                    return try await stage.rawPortal(.portal) {
                        try await $0.send(
                            "POST", "/version/v1/tan/teletan", fields: ["authorization": "Bearer \(token)"]
                        ).status
                    }
                }
                let asked = try await ask()
                #expect(asked == row.status)
                let message = "not accepted of the identity provider"
                if let reason = row.reason {
                    #expect(log.has(LoggedCause(message, ["reason": reason])))
                    #expect(log.has(LoggedCause(message, ["reason": "keys_unread"])))
                    provider.set(.keys(officers.keySet))
                    // Reads begin five seconds apart.
                    stage.clock.advance(by: 5)
                    let again = try await ask()
                    #expect(again == 201)
                } else {
                    #expect(!log.has(LoggedCause(message)))
                }
            }
        }
    }
}
