import Foundation
import HTTPContract
import TestSupport
import Testing

/// Each call to the identity provider, by an officer's browser, and each answer that a party outside may give.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(10)))
struct AnswerTests {
    /// What an officer is told at first, and the reason in the log.
    private struct Row {
        let status: Int
        var refusal: String?
        /// Nil if nobody has to know.
        var reason: String?
    }

    private static func row(_ call: TestProvider.Call, _ answer: OutsideAnswer) -> Row {
        switch (call, answer) {
        // What is read of the provider has no form for reasons.
        case (.discovery, .refusedWithReason), (.discovery, .refusedWithoutReason), (.keys, .refusedWithReason),
            (.keys, .refusedWithoutReason):
            Row(status: 503, refusal: "providerAway", reason: "status")
        case (.code, .refusedWithReason), (.push, .refusedWithReason):
            Row(status: 502, refusal: "misconfigured", reason: "unauthorized_client")
        case (.code, .refusedWithoutReason), (.push, .refusedWithoutReason):
            Row(status: 502, refusal: "misconfigured", reason: "status")
        // The officer's token is still valid for some time.
        case (.refresh, .refusedWithReason): Row(status: 200, reason: "unauthorized_client")
        case (.refresh, .refusedWithoutReason): Row(status: 200, reason: "status")
        case (.refresh, .lateButDone): Row(status: 200, reason: "late")
        case (_, .lateButDone): Row(status: 503, refusal: "providerAway", reason: "late")
        case (.refresh, .addedField), (.refresh, .clockAhead), (.refresh, .clockBehind): Row(status: 200)
        case (_, .addedField), (_, .clockAhead), (_, .clockBehind): Row(status: 303)
        }
    }

    @Test(
        "each answer of the identity provider ends as the README says, and the log names its cause",
        arguments: TestProvider.Call.allCases, OutsideAnswer.allCases)
    func answers(_ call: TestProvider.Call, _ answer: OutsideAnswer) async throws {
        let log = CapturedLog()
        let row = Self.row(call, answer)
        try await PortalStage.run(isProviderUp: false, logger: log.logger()) { stage async throws in
            stage.provider.behave { behaviour in
                behaviour.takesPushed = call == .push
                behaviour.clockAhead = answer.secondsAhead
                if call != .refresh { behaviour.answers[call] = answer }
            }
            stage.clock.advance(by: 60)
            try await stage.provider.run {
                var browser = stage.browser()
                let first = try await ask(call, answer, &browser, stage)
                #expect(first.status == row.status)
                #expect(first.refusal == row.refusal)
                let message = "not accepted of the identity provider"
                if let reason = row.reason {
                    #expect(log.has(LoggedCause(message, ["reason": reason])))
                } else {
                    // At its start the portal looked for the provider, which wasn't there yet.
                    let atStart = [#""reason":"no_connection""#, #""reason":"keys_unread""#]
                    let lines = log.lines.filter { $0.contains(message) }
                    #expect(lines.filter { line in !atStart.contains { line.contains($0) } } == [])
                }
                guard !answer.isRight else { return }
                try await goOn(call, answer, browser, stage)
            }
        }
    }

    /// Makes the portal call the provider.
    private func ask(
        _ call: TestProvider.Call, _ answer: OutsideAnswer, _ browser: inout Browser, _ stage: PortalStage
    ) async throws -> Answer {
        switch call {
        case .discovery, .push:
            let page = try await browser.get("/login")
            guard answer.isRight else { return page }
            let location = try #require(page.fields["location"].first)
            return try await browser.callBack(try stage.provider.authorize(location))
        case .keys, .code: return try await browser.signIn()
        case .refresh:
            #expect(try await browser.signIn().status == 303)
            stage.provider.behave { $0.answers[call] = answer }
            // In the last minute of the token, or after its end by a provider whose clock is behind.
            stage.clock.advance(by: 250 + max(0, answer.secondsAhead))
            let page = try await browser.get("/codes")
            if answer.isRight { #expect(stage.provider.refreshCalls == 1) }
            return page
        }
    }

    /// What follows when the provider answers again.
    private func goOn(
        _ call: TestProvider.Call, _ answer: OutsideAnswer, _ browser: Browser, _ stage: PortalStage
    ) async throws {
        var browser = browser
        stage.provider.behave { $0.answers = [:] }
        stage.clock.advance(by: 10)
        if call == .refresh {
            let page = try await browser.get("/codes")
            guard answer == .lateButDone else {
                #expect(page.status == 200)
                #expect(stage.provider.refreshCalls == 1)
                return
            }
            // The late answer has spent the refresh token.
            #expect(page.refusal == "notSignedIn")
            #expect(try await stage.rows().isEmpty)
        }
        // Nothing is left of the first attempt: neither its code nor its request is used again.
        #expect(try await browser.signIn().status == 303)
        #expect(try await stage.rows().count == 1)
    }
}
