import Foundation
import HTTPContract
import HTTPTypes
import Running
import TestSupport
import Testing

@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(10)))
struct SignInTests {
    @Test("an officer signs in, with a challenge and a nonce, and has a session that only this browser can use")
    func works() async throws {
        try await PortalStage.run { stage in
            var browser = stage.browser()
            let login = try await browser.get("/login")
            #expect(login.status == 303)
            let location = try #require(login.fields["location"].first)
            let query = try URLEncodedValues(decoding: location.drop { $0 != "?" }.dropFirst())
            #expect(query["redirect_uri"] == "\(browser.base)/callback")
            #expect(query["scope"] == "openid")
            #expect(query["ui_locales"] == "de")
            #expect(query["state"]?.count == 64)
            #expect(query["code_challenge"]?.count == 43)
            let cookie = try #require(login.fields["set-cookie"].first)
            #expect(cookie.hasPrefix("__Host-login="))
            #expect(cookie.hasSuffix("; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=600"))
            // The cookie shows none of it.
            #expect(!cookie.contains(try #require(query["state"])))

            let answer = try await browser.callBack(try stage.provider.authorize(location))
            #expect(answer.status == 303)
            #expect(answer.fields["location"] == ["/codes"])
            let session = try #require(answer.fields["set-cookie"].first { $0.hasPrefix("__Host-session=") })
            #expect(
                session.wholeMatch(of: #/__Host-session=[0-9a-f]{64}; Path=/; Secure; HttpOnly; SameSite=Lax/#) != nil)
            #expect(browser.cookies["__Host-login"] == nil)
            #expect(try await browser.get("/codes").officer == "Ada Lovelace")
            #expect(try await browser.get("/").fields["location"] == ["/codes"])
            #expect(stage.metric(#"portal_sign_ins_total{outcome="signed_in"}"#) == "1")
            #expect(stage.metric(#"portal_provider_calls_total{call="code",outcome="answered"}"#) == "1")
        }
    }

    @Test(
        "the first page is one that the roles allow; without any, a page says so",
        arguments: [
            (["c19hotline"], "/codes"), (["c19hotline_event"], "/codes"), (["vigil_statistics"], "/statistics"),
            (["vigil_operator"], "/status"), (["vigil_audit"], "/"), ([], "/"),
        ])
    func firstPage(roles: [String], path: String) async throws {
        try await PortalStage.run { stage in
            var browser = stage.browser()
            let answer = try await browser.signIn(.init(roles: roles))
            #expect(answer.fields["location"] == [path])
            if path == "/" {
                let page = try await browser.get("/")
                #expect(page.status == 403)
                #expect(page.refusal == "noRole")
                #expect(page.officer == "Ada Lovelace")
            }
        }
    }

    // MARK: The address with which the browser returns

    private struct Return: Sendable {
        let name: String
        let change: @Sendable (inout [String: String], inout Browser) -> Void
        var refusal = "signInFailed"
    }

    private static let wrongReturns: [Return] = [
        Return(name: "no state") { query, _ in query["state"] = nil },
        Return(name: "another state") { query, _ in query["state"] = String(repeating: "0", count: 64) },
        Return(name: "an empty state") { query, _ in query["state"] = "" },
        Return(name: "no issuer, although it was announced") { query, _ in query["iss"] = nil },
        Return(name: "another issuer") { query, _ in query["iss"] = "https://localhost/realms/other" },
        Return(name: "no code") { query, _ in query["code"] = nil },
        Return(name: "an unknown code") { query, _ in query["code"] = "x" },
        Return(name: "a code with 10,000 characters") { query, _ in
            query["code"] = String(repeating: "x", count: 10_000)
        },
        Return(name: "no attempt") { _, browser in browser.cookies["__Host-login"] = nil },
        Return(name: "a changed attempt") { _, browser in
            browser.cookies["__Host-login"]? += "00"
        },
        Return(name: "no hexadecimal attempt") { _, browser in browser.cookies["__Host-login"] = "x" },
        Return(
            name: "an error",
            change: { query, _ in
                query = ["error": "access_denied", "state": query["state"] ?? "", "iss": query["iss"] ?? ""]
            }, refusal: "signInRefused"),
        Return(name: "an error without state") { query, _ in query = ["error": "access_denied"] },
    ]

    @Test("a return that isn't an answer to this browser's attempt opens no session, and ends the attempt")
    func returns() async throws {
        try await PortalStage.run { stage in
            for wrong in Self.wrongReturns {
                var browser = stage.browser()
                var query = try await browser.begin()
                wrong.change(&query, &browser)
                let answer = try await browser.callBack(query)
                #expect(answer.status == (wrong.refusal == "signInRefused" ? 403 : 400), "\(wrong.name)")
                #expect(answer.refusal == wrong.refusal, "\(wrong.name)")
                let set = answer.fields["set-cookie"]
                #expect(set.count == 1 && set[0].hasPrefix("__Host-login=;"), "\(wrong.name)")
            }
            #expect(try await stage.rows().isEmpty)
            #expect(stage.metric(#"portal_sign_ins_total{outcome="refused"}"#) == "1")
            #expect(stage.metric(#"portal_sign_ins_total{outcome="failed"}"#) == "\(Self.wrongReturns.count - 1)")
        }
    }

    @Test("a parameter that occurs twice opens no session")
    func twice() async throws {
        try await PortalStage.run { stage in
            for name in ["state", "code", "iss"] {
                var browser = stage.browser()
                let query = try await browser.begin()
                let value = try #require(query[name])
                let answer = try await browser.ask(
                    .GET,
                    "/callback?\(URLEncodedValues(query).encoded)&\(URLEncodedValues([name: value]).encoded)")
                #expect(answer.status == 400)
                #expect(answer.refusal == "signInFailed")
                #expect(browser.cookies.isEmpty)
            }
        }
    }

    @Test("an attempt ends after ten minutes, and is good for one return")
    func attempts() async throws {
        try await PortalStage.run { stage in
            var browser = stage.browser()
            var query = try await browser.begin()
            stage.clock.advance(by: 601)
            #expect(try await browser.callBack(query).refusal == "signInFailed")

            query = try await browser.begin()
            stage.clock.advance(by: 599)
            let attempt = browser.cookies
            #expect(try await browser.callBack(query).status == 303)
            // Somebody who read along sends everything again.
            browser.cookies = attempt
            #expect(try await browser.callBack(query).refusal == "signInFailed")
            // Another browser's attempt doesn't take this one's code.
            let stolen = try await browser.begin()
            var other = stage.browser()
            _ = try await other.begin()
            #expect(try await other.callBack(stolen).refusal == "signInFailed")
        }
    }

    // MARK: Tokens

    private struct Lie: Sendable {
        let name: String
        let change: @Sendable (inout TestProvider.Behaviour) -> Void

        init(_ name: String, _ change: @escaping @Sendable (inout TestProvider.Behaviour) -> Void) {
            self.name = name
            self.change = change
        }

        init(_ name: String, claim: String, _ value: String?) {
            self.init(name) { $0.idToken = { $0[claim] = value } }
        }

        /// Seconds from the clock's time.
        init(_ name: String, claim: String, seconds: Double) {
            let value = "\(Int(PortalStage.start.timeIntervalSince1970 + seconds))"
            self.init(name, claim: claim, value)
        }
    }

    private static let lies: [Lie] = [
        Lie("another issuer", claim: "iss", #""https://localhost/realms/other""#),
        Lie("no issuer", claim: "iss", nil),
        Lie("another audience", claim: "aud", #""account""#),
        Lie("no audience", claim: "aud", "[]"),
        Lie("two audiences without an authorized party", claim: "aud", #"["health-portal","account"]"#),
        Lie("another authorized party", claim: "azp", #""account""#),
        Lie("another nonce", claim: "nonce", #""\#(String(repeating: "0", count: 64))""#),
        Lie("no nonce", claim: "nonce", nil),
        Lie("another access token's hash", claim: "at_hash", #""AAAAAAAAAAAAAAAAAAAAAA""#),
        Lie("expired", claim: "exp", seconds: -60),
        Lie("no expiry", claim: "exp", nil),
        Lie("made in the future", claim: "iat", seconds: 61),
        Lie("made long ago", claim: "iat", seconds: -601),
        Lie("no time", claim: "iat", nil),
        Lie("no subject", claim: "sub", nil),
        Lie("an empty subject", claim: "sub", #""""#),
        Lie("a subject that the access token doesn't have", claim: "sub", #""officer-2""#),
        Lie("alg none") {
            $0.header = #"{"alg":"none","kid":"one"}"#
            $0.signature = .none
        },
        Lie("HS256 with the public key") {
            $0.header = #"{"alg":"HS256","kid":"one"}"#
            $0.signature = .publicKey
        },
        Lie("no signature") { $0.signature = .none },
        Lie("another key's signature") { $0.signature = .foreign },
        Lie("an unknown key") { $0.header = #"{"alg":"ES256","kid":"two"}"# },
        Lie("no key") { $0.header = #"{"alg":"ES256"}"# },
        Lie("a critical extension") { $0.header = #"{"alg":"ES256","kid":"one","crit":["exp"]}"# },
        Lie("an access token that has ended") {
            $0.accessToken = { $0["exp"] = "\(Int(PortalStage.start.timeIntervalSince1970))" }
        },
        Lie("an access token that is no JSON web token") { $0.tokens = .says(#"{"access_token":"x","id_token":"y"}"#) },
        Lie("no ID token") { $0.tokens = .says(#"{"access_token":"x"}"#) },
    ]

    /// The reason in the log for each of them.
    private static let reasons = [
        "another issuer": "issuer",
        "no issuer": "token_form",
        "another audience": "audience",
        "no audience": "token_form",
        "two audiences without an authorized party": "authorized_party",
        "another authorized party": "authorized_party",
        "another nonce": "nonce",
        "no nonce": "nonce",
        "another access token's hash": "access_token_hash",
        "expired": "expired",
        "no expiry": "token_form",
        "made in the future": "future",
        "made long ago": "age",
        "no time": "token_form",
        "no subject": "token_form",
        "an empty subject": "subject",
        "a subject that the access token doesn't have": "access_token_subject",
        "alg none": "algorithm",
        "HS256 with the public key": "algorithm",
        "no signature": "signature",
        "another key's signature": "signature",
        "an unknown key": "key_unknown",
        "no key": "token_form",
        "a critical extension": "token_form",
        "an access token that has ended": "access_token_ended",
        "an access token that is no JSON web token": "token_form",
        "no ID token": "id_token_missing",
    ]

    @Test("an ID token that isn't in order opens no session, and the log says why in one word")
    func tokens() async throws {
        let log = CapturedLog()
        try await PortalStage.run(logger: log.logger()) { stage in
            for lie in Self.lies {
                let reasons = { log.lines.filter { $0.contains(#""reason":"#) && $0.contains("identity provider") } }
                let before = reasons().count
                stage.provider.behave { behaviour in
                    behaviour = .init()
                    lie.change(&behaviour)
                }
                var browser = stage.browser()
                let answer = try await browser.signIn()
                #expect(answer.status == 400, "\(lie.name)")
                #expect(answer.refusal == "signInFailed", "\(lie.name)")
                #expect(browser.cookies.isEmpty, "\(lie.name)")
                let reason = try #require(Self.reasons[lie.name])
                let line = #""reason":"\#(reason)""#
                // Another lie may have had the same reason within this minute.
                #expect(reasons().contains { $0.contains(line) }, "\(lie.name)")
                #expect(reasons().dropFirst(before).allSatisfy { $0.contains(line) }, "\(lie.name)")
            }
            #expect(try await stage.rows().isEmpty)
        }
    }

    @Test("numbers, dates and sizes that nobody expects in the provider's tokens end in a page or a session")
    func hostile() async throws {
        try await PortalStage.run(settings: ["provider.maxAge": "3600", "signIn.attemptsPerMinute": "100000"]) {
            stage in
            let now = "\(Int(PortalStage.start.timeIntervalSince1970))"
            for value in HostileJSON.values {
                for claim in ["iat", "exp", "auth_time", "aud", "name"] {
                    for isAccessToken in [false, true] {
                        stage.provider.behave { behaviour in
                            behaviour = .init()
                            behaviour.idToken = {
                                $0["auth_time"] = now
                                if !isAccessToken { $0[claim] = value }
                            }
                            if isAccessToken { behaviour.accessToken = { $0[claim] = value } }
                        }
                        var browser = stage.browser()
                        let answer = try await browser.signIn()
                        #expect(
                            answer.status == 303 || answer.refusal == "signInFailed",
                            "\(claim) \(value.prefix(40)): \(answer.status)")
                        if answer.status == 303 { #expect(try await browser.get("/codes").status == 200) }
                    }
                }
            }
        }
    }

    private static let truths: [Lie] = [
        Lie("two audiences with our name as the authorized party") {
            $0.idToken = {
                $0["aud"] = #"["health-portal","account"]"#
                $0["azp"] = #""health-portal""#
            }
        },
        Lie("no hash of the access token", claim: "at_hash", nil),
        Lie("expired by less than the clocks may differ", claim: "exp", seconds: -59),
        Lie("made in a future by which the clocks may differ", claim: "iat", seconds: 60),
        Lie("no session at the provider", claim: "sid", nil),
        Lie("no name", claim: "name", nil),
    ]

    @Test("an unusual ID token that is in order opens a session")
    func unusual() async throws {
        try await PortalStage.run { stage in
            for truth in Self.truths {
                stage.provider.behave { behaviour in
                    behaviour = .init()
                    truth.change(&behaviour)
                }
                var browser = stage.browser()
                let answer = try await browser.signIn()
                #expect(answer.status == 303, "\(truth.name)")
            }
        }
    }

    @Test("the configured context class and age of the authentication are demanded")
    func context() async throws {
        try await PortalStage.run(settings: ["provider.acr": "gold,silver", "provider.maxAge": "3600"]) { stage in
            let now = Int(PortalStage.start.timeIntervalSince1970)
            let cases: [(acr: String?, authenticated: Int?, status: Int)] = [
                (#""gold""#, now, 303), (#""silver""#, now - 3660, 303), (#""bronze""#, now, 400), (nil, now, 400),
                (#""gold""#, now - 3661, 400), (#""gold""#, nil, 400),
            ]
            for (acr, authenticated, status) in cases {
                stage.provider.behave {
                    $0.idToken = {
                        $0["acr"] = acr
                        $0["auth_time"] = authenticated.map { "\($0)" }
                    }
                }
                var browser = stage.browser()
                let answer = try await browser.get("/login")
                let location = try #require(answer.fields["location"].first)
                #expect(location.contains("acr_values=gold%20silver") && location.contains("max_age=3600"))
                #expect(try await browser.signIn().status == status, "\(acr ?? "-") \(authenticated ?? 0)")
            }
        }
    }

    // MARK: The provider

    @Test("a provider that is slow, broken, redirecting or talkative ends in a page, without a session")
    func brokenProvider() async throws {
        try await PortalStage.run { stage in
            let broken: [TestProvider.TokenEndpoint] = [
                .silence, .huge, .redirects, .status(.internalServerError), .status(.serviceUnavailable),
                .status(.tooManyRequests), .says(""), .says("[]"), .says("null"),
            ]
            for tokens in broken {
                stage.provider.behave { $0.tokens = tokens }
                var browser = stage.browser()
                let answer = try await browser.signIn()
                #expect(answer.status == 503, "\(tokens)")
                #expect(answer.refusal == "providerAway", "\(tokens)")
                #expect(browser.cookies.isEmpty)
            }
            #expect(try await stage.rows().isEmpty)
            #expect(stage.metric(#"portal_sign_ins_total{outcome="provider_away"}"#) == "\(broken.count)")
        }
    }

    @Test("a discovery document of another issuer, with an address that isn't https, or with a name twice, is not used")
    func wrongDiscovery() async throws {
        let lies: [@Sendable (inout [String: String]) -> Void] = [
            { $0["issuer"] = #""https://localhost/realms/other""# }, { $0["issuer"] = nil },
            { $0["token_endpoint"] = #""http://localhost/token""# }, { $0["jwks_uri"] = #""file:///etc/passwd""# },
            { $0["authorization_endpoint"] = #""https://user@evil.example/""# },
            { $0["token_endpoint"] = HostileJSON.deep }, { $0["jwks_uri"] = "1e999" },
            { $0["another"] = #"0,"another":0"# },
        ]
        try await PortalStage.run(isProviderUp: false) { stage in
            for lie in lies {
                stage.provider.behave { $0.discovery = lie }
                stage.clock.advance(by: 60)
                let refusal = try await stage.provider.run {
                    var browser = stage.browser()
                    return try await browser.get("/login").refusal
                }
                #expect(refusal == "providerAway")
            }
            stage.provider.behave { $0.discovery = { _ in } }
            stage.clock.advance(by: 60)
            let status = try await stage.provider.run {
                var browser = stage.browser()
                return try await browser.signIn().status
            }
            #expect(status == 303)
        }
    }

    @Test("without the provider the portal starts and is ready, and officers sign in as soon as it is there")
    func downAtStart() async throws {
        try await PortalStage.run(isProviderUp: false) { stage in
            let admin = "http://127.0.0.1:\(try await stage.runtimes[0].adminPort)"
            #expect(try await send(.GET, admin + "/ready").status == 200)
            var browser = stage.browser()
            #expect(try await browser.get("/").status == 200)
            let answer = try await browser.get("/login")
            #expect(answer.status == 503)
            #expect(answer.refusal == "providerAway")
            stage.clock.advance(by: 60)
            let status = try await stage.provider.run { try await browser.signIn().status }
            #expect(status == 303)
        }
    }

    @Test("the attempts of one network in a minute are limited, and the page says until when")
    func limit() async throws {
        try await PortalStage.run(settings: ["signIn.attemptsPerMinute": "4"]) { stage in
            var browser = stage.browser()
            for _ in 0..<4 { #expect(try await browser.get("/login").status == 303) }
            stage.clock.advance(by: 20)
            let refused = try await browser.get("/login")
            #expect(refused.status == 429)
            #expect(refused.fields["retry-after"] == ["40"])
            stage.clock.advance(by: 40)
            #expect(try await browser.get("/login").status == 303)
            #expect(stage.metric(#"portal_sign_ins_total{outcome="limited"}"#) == "1")
        }
    }
}
