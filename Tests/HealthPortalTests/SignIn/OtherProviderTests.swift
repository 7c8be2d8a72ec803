import Foundation
import HTTPContract
import HTTPTypes
import TestSupport
import Testing

/// A provider that isn't ours: it replaces keys when it likes, is slow, has a clock of its own, and refuses with a reason.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(10)))
struct OtherProviderTests {
    /// Whether the log has a line with this reason.
    private func has(_ reason: String, _ log: CapturedLog) -> Bool {
        log.lines.contains { $0.contains(#""reason":"\#(reason)""#) }
    }

    // MARK: Keys

    @Test("keys that are replaced right after they were read cost no sign-in and no session")
    func rotation() async throws {
        try await PortalStage.run { stage async throws in
            var officer = try await stage.officer()
            for _ in 0..<3 {
                stage.provider.rotate()
                var browser = stage.browser()
                #expect(try await browser.signIn().status == 303)
            }
            stage.clock.advance(by: 250)
            for _ in 0..<3 {
                stage.provider.rotate()
                #expect(try await officer.get("/codes").status == 200)
                stage.clock.advance(by: 241)
            }
            #expect(stage.provider.refreshCalls == 3)
        }
    }

    @Test("a key that is published late costs no session, and the log says so; sign-ins wait for it")
    func late() async throws {
        let log = CapturedLog()
        try await PortalStage.run(logger: log.logger()) { stage async throws in
            var officer = try await stage.officer()
            stage.provider.rotate(isPublished: false)
            stage.clock.advance(by: 250)
            #expect(try await officer.get("/codes").status == 200)
            #expect(has("key_unknown", log))
            // With the new tokens, not with the old ones.
            stage.clock.advance(by: 100)
            #expect(try await officer.get("/codes").status == 200)
            #expect(stage.provider.refreshCalls == 1)
            var browser = stage.browser()
            #expect(try await browser.signIn().refusal == "signInFailed")
        }
    }

    @Test("keys that name no algorithm verify what their type does")
    func noAlgorithm() async throws {
        try await PortalStage.run { stage async throws in
            stage.provider.behave { $0.omitsAlgorithms = true }
            stage.provider.rotate()
            var browser = stage.browser()
            #expect(try await browser.signIn().status == 303)
        }
    }

    // MARK: Time

    @Test("a refresh that takes four seconds has spent the refresh token, and signs nobody out")
    func slow() async throws {
        try await PortalStage.run { stage async throws in
            var officer = try await stage.officer()
            stage.provider.behave { $0.tokens = .late(.seconds(4)) }
            stage.clock.advance(by: 250)
            #expect(try await officer.get("/codes").status == 200)
            stage.provider.behave { $0.tokens = .works }
            stage.clock.advance(by: 100)
            #expect(try await officer.get("/codes").status == 200)
            #expect(stage.provider.refreshCalls == 1)
        }
    }

    @Test("the clocks may differ by a minute either way", arguments: [-60.0, -17, 17, 59])
    func clocks(ahead: Double) async throws {
        try await PortalStage.run { stage async throws in
            stage.provider.behave { $0.clockAhead = ahead }
            var browser = stage.browser()
            #expect(try await browser.signIn().status == 303)
            stage.clock.advance(by: 300)
            #expect(try await browser.get("/codes").status == 200)
        }
    }

    // MARK: Refusals

    @Test(
        "a provider that doesn't accept the portal isn't away: page, count and log say so",
        arguments: ["invalid_client", "invalid_dpop_proof", "strange"])
    func registration(error: String) async throws {
        let log = CapturedLog()
        try await PortalStage.run(logger: log.logger()) { stage async throws in
            stage.provider.behave { $0.tokens = .refuses(error) }
            for _ in 0..<3 {
                var browser = stage.browser()
                let answer = try await browser.signIn()
                #expect(answer.status == 502)
                #expect(answer.refusal == "misconfigured")
            }
            let reason = error == "strange" ? "other_error" : error
            #expect(log.lines.count { $0.contains(#""reason":"\#(reason)""#) } == 1)
            #expect(!log.lines.contains { $0.contains("Ada") || $0.contains("strange") })
            #expect(stage.metric(#"portal_sign_ins_total{outcome="misconfigured"}"#) == "3")
            #expect(stage.metric(#"portal_sign_ins_total{outcome="provider_away"}"#) == "0")
            #expect(stage.metric(#"portal_provider_calls_total{call="code",outcome="client_refused"}"#) == "3")
        }
    }

    @Test("while the provider doesn't accept the portal, sessions go on until their token ends, and go on afterwards")
    func registrationLater() async throws {
        try await PortalStage.run { stage async throws in
            var officer = try await stage.officer()
            stage.provider.behave { $0.tokens = .refuses("invalid_client") }
            stage.clock.advance(by: 250)
            #expect(try await officer.get("/codes").status == 200)
            stage.clock.advance(by: 50)
            // The second one doesn't ask the provider again.
            for _ in 0..<2 { #expect(try await officer.get("/codes").refusal == "misconfigured") }
            #expect(stage.provider.refreshCalls == 2)
            stage.provider.behave { $0.tokens = .works }
            stage.clock.advance(by: 60)
            #expect(try await officer.get("/codes").status == 200)
        }
    }

    @Test("a return that isn't in order, or an error of the provider's, leaves its reason in the log")
    func returns() async throws {
        let log = CapturedLog()
        try await PortalStage.run(logger: log.logger()) { stage async throws in
            let cases: [(reason: String, change: @Sendable (inout [String: String]) -> Void)] = [
                ("state", { $0["state"] = "x" }), ("return_issuer", { $0["iss"] = "x" }),
                ("return_form", { $0["code"] = nil }), ("invalid_grant", { $0["code"] = "x" }),
                ("access_denied", { $0["error"] = "access_denied" }), ("other_error", { $0["error"] = "signature" }),
            ]
            for (reason, change) in cases {
                var browser = stage.browser()
                var query = try await browser.begin()
                change(&query)
                _ = try await browser.callBack(query)
                #expect(has(reason, log), "\(reason)")
            }
            var stranger = stage.browser()
            _ = try await stranger.callBack(["state": "x"])
            #expect(has("attempt", log))
            #expect(!has("signature", log))
        }
    }

    @Test("a discovery document that can't be used leaves its reason, and a sentence that an operator can act on")
    func discovery() async throws {
        let log = CapturedLog()
        try await PortalStage.run(isProviderUp: false, logger: log.logger()) { stage async throws in
            var browser = stage.browser()
            _ = try await browser.get("/login")
            #expect(has("no_connection", log))
            let lies: [(reason: String, change: @Sendable (inout [String: String]) -> Void)] = [
                ("document_issuer", { $0["issuer"] = #""https://localhost/realms/health/""# }),
                ("document_form", { $0["token_endpoint"] = #""http://localhost/token""# }),
            ]
            for (reason, lie) in lies {
                stage.provider.behave { $0.discovery = lie }
                stage.clock.advance(by: 60)
                try await stage.provider.run { _ = try await browser.get("/login") }
                #expect(has(reason, log), "\(reason)")
            }
        }
    }

    @Test("a log-out token that isn't in order leaves its reason")
    func logOut() async throws {
        let log = CapturedLog()
        try await PortalStage.run(logger: log.logger()) { stage async throws in
            let cases: [(reason: String, change: (inout [String: String]) -> Void)] = [
                ("issuer", { $0["iss"] = #""x""# }), ("audience", { $0["aud"] = #""x""# }),
                ("log_out_form", { $0["nonce"] = #""x""# }), ("token_form", { $0["jti"] = nil }),
            ]
            for (reason, change) in cases {
                #expect(try await stage.logOut(try stage.provider.logOutToken(change)).status == 400)
                #expect(has(reason, log), "\(reason)")
            }
            let token = try stage.provider.logOutToken()
            #expect(try await stage.logOut(token).status == 200)
            #expect(try await stage.logOut(token).status == 400)
            #expect(has("log_out_used", log))
        }
    }

    @Test("a token that the verification server refuses isn't a missing role")
    func officerToken() async throws {
        let log = CapturedLog()
        try await PortalStage.run(logger: log.logger()) { stage async throws in
            var officer = try await stage.officer()
            stage.verification.fail(with: .unauthorized)
            let answer = try await officer.post("/codes", ["kind": "TEST", "form": try await officer.form()])
            #expect(answer.refusal == "misconfigured")
            #expect(has("officer_token", log))
        }
    }

    // MARK: Requests handed over beforehand

    @Test("a provider that takes requests beforehand gets them from the portal, and the address has nothing of them")
    func pushed() async throws {
        let log = CapturedLog()
        try await PortalStage.run(isProviderUp: false, logger: log.logger()) { stage async throws in
            stage.provider.behave { $0.takesPushed = true }
            stage.clock.advance(by: 60)
            try await stage.provider.run {
                var browser = stage.browser()
                let location = try #require(try await browser.get("/login").fields["location"].first)
                let query = try URLEncodedValues(decoding: location.drop { $0 != "?" }.dropFirst())
                #expect(query["request_uri"]?.hasPrefix("urn:ietf:params:oauth:request_uri:") == true)
                #expect(query["code_challenge"] == nil && query["redirect_uri"] == nil && query["state"] == nil)
                #expect(try await browser.callBack(try stage.provider.authorize(location)).status == 303)
                #expect(stage.metric(#"portal_provider_calls_total{call="push",outcome="answered"}"#) == "1")

                stage.provider.behave { $0.tokens = .refuses("invalid_request") }
                let refused = try await browser.get("/login")
                #expect(refused.refusal == "misconfigured")
                #expect(has("invalid_request", log))
            }
            var browser = stage.browser()
            #expect(try await browser.get("/login").refusal == "providerAway")
        }
    }
}
