import Foundation
import HTTPContract
import TestSupport
import Testing

@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(10)))
struct LogOutTests {
    @Test("log-out ends the session here, empties the browser's memory, and leads to the provider's log-out")
    func logOut() async throws {
        try await PortalStage.run { stage in
            var browser = try await stage.officer()
            let session = browser.cookies
            let answer = try await browser.post("/logout")
            #expect(answer.status == 303)
            #expect(answer.fields["clear-site-data"] == ["\"cache\""])
            #expect(browser.cookies["__Host-session"] == nil)
            let location = try #require(answer.fields["location"].first)
            #expect(location.hasPrefix("\(stage.provider.issuer)/logout?"))
            let query = try URLEncodedValues(decoding: location.drop { $0 != "?" }.dropFirst())
            #expect(query["id_token_hint"]?.split(separator: ".").count == 3)
            #expect(query["post_logout_redirect_uri"] == "\(browser.base)/")
            #expect(query["state"]?.isEmpty == false)
            #expect(try await stage.rows().isEmpty)
            // A copy of the cookie opens nothing.
            browser.cookies = session
            #expect(try await browser.get("/codes").refusal == "notSignedIn")
            // Without a session it leads to the start.
            #expect(try await browser.post("/logout").fields["location"] == ["/"])
        }
    }

    @Test("an end-session endpoint of another origin is not used")
    func foreignEndSession() async throws {
        try await PortalStage.run(isProviderUp: false) { stage in
            stage.provider.behave { $0.discovery = { $0["end_session_endpoint"] = #""https://evil.example/logout""# } }
            stage.clock.advance(by: 60)
            let location = try await stage.provider.run {
                var browser = try await stage.officer()
                return try await browser.post("/logout").fields["location"]
            }
            #expect(location == ["/"])
        }
    }

    @Test("the provider's log-out ends a session on every replica with its answer")
    func backChannel() async throws {
        try await PortalStage.run(replicas: 2) { stage in
            var browser = try await stage.officer()
            let other = try await stage.officer(.init(subject: "officer-2", session: "session-2"))
            // Both replicas know the session, under either's address.
            browser.base = stage.bases[1]
            #expect(try await browser.get("/codes").status == 200)

            let token = try stage.provider.logOutToken()
            let answer = try await stage.logOut(token, replica: 0)
            #expect(answer.status == 200)
            #expect(answer.fields["cache-control"] == ["no-store"])
            #expect(try await browser.get("/codes").refusal == "notSignedIn")
            var kept = other
            #expect(try await kept.get("/codes").status == 200)
            // Once is enough, on whichever replica.
            #expect(try await stage.logOut(token, replica: 1).status == 400)
        }
    }

    @Test("a token with a session ends that one; one without ends all of the officer's")
    func sessionOrSubject() async throws {
        try await PortalStage.run { stage in
            _ = try await stage.officer(.init(session: "session-1"))
            _ = try await stage.officer(.init(session: "session-2"))
            _ = try await stage.officer(.init(subject: "officer-2", session: "session-3"))
            #expect(try await stage.logOut(try stage.provider.logOutToken()).status == 200)
            #expect(try await stage.rows().count == 2)
            #expect(try await stage.logOut(try stage.provider.logOutToken { $0["sub"] = nil }).status == 200)
            #expect(try await stage.rows().count == 2)
            #expect(try await stage.logOut(try stage.provider.logOutToken { $0["sid"] = nil }).status == 200)
            #expect(try await stage.rows().count == 1)
        }
    }

    @Test("a log-out token that isn't in order ends nothing")
    func refused() async throws {
        try await PortalStage.run { stage in
            _ = try await stage.officer()
            let provider = stage.provider
            let now = Int(PortalStage.start.timeIntervalSince1970)
            let nonce = #""\#(String(repeating: "0", count: 64))""#
            let wrong: [(String, String)] = [
                ("a nonce", try provider.logOutToken { $0["nonce"] = nonce }),
                ("a nonce that is null", try provider.logOutToken { $0["nonce"] = "null" }),
                ("no event", try provider.logOutToken { $0["events"] = nil }),
                ("another event", try provider.logOutToken { $0["events"] = #"{"http://example.org/event":{}}"# }),
                ("another issuer", try provider.logOutToken { $0["iss"] = #""https://localhost/""# }),
                ("another audience", try provider.logOutToken { $0["aud"] = #""account""# }),
                ("too old", try provider.logOutToken { $0["iat"] = "\(now - 121)" }),
                ("from the future", try provider.logOutToken { $0["iat"] = "\(now + 61)" }),
                ("expired", try provider.logOutToken { $0["exp"] = "\(now - 60)" }),
                ("no identifier", try provider.logOutToken { $0["jti"] = nil }),
                (
                    "nobody",
                    try provider.logOutToken {
                        $0["sub"] = nil; $0["sid"] = nil
                    }
                ),
                (
                    "an empty session",
                    try provider.logOutToken {
                        $0["sub"] = nil; $0["sid"] = #""""#
                    }
                ),
                ("a foreign key", try provider.logOutToken(signature: .foreign)),
                ("no signature", try provider.logOutToken(signature: .none)),
                ("alg none", try provider.logOutToken(header: #"{"alg":"none","kid":"one"}"#, signature: .none)),
                ("HS256", try provider.logOutToken(header: #"{"alg":"HS256","kid":"one"}"#, signature: .publicKey)),
                ("garbage", "x"), ("nothing", ""),
            ]
            for (name, token) in wrong {
                let answer = try await stage.logOut(token)
                #expect(answer.status == 400, "\(name)")
            }
            #expect(try await stage.rows().count == 1)
            // The control: the same token without a flaw.
            #expect(try await stage.logOut(try provider.logOutToken()).status == 200)
            #expect(try await stage.rows().isEmpty)
        }
    }

    @Test("numbers, dates and sizes that nobody expects end nothing, and the service stays")
    func hostile() async throws {
        try await PortalStage.run { stage in
            _ = try await stage.officer()
            let provider = stage.provider
            for value in HostileJSON.values {
                #expect(try await stage.logOut(try provider.logOutToken { $0["iat"] = value }).status == 400)
                for claim in ["iss", "aud", "exp", "jti", "events", "sub", "sid", "nonce", "x"] {
                    // A far end, a strange name and an unknown claim are in order; no such token names a session of ours.
                    let token = try provider.logOutToken {
                        $0["sid"] = #""other""#
                        $0[claim] = value
                    }
                    let status = try await stage.logOut(token).status
                    #expect(status == 400 || status == 200 && ["exp", "jti", "sub", "sid", "x"].contains(claim), "\(claim) \(value)")
                }
            }
            let long = String(repeating: "A", count: 17 << 10)
            #expect(try await stage.logOut(long).status == 413)
            for header in [#"{"alg":"ES256","kid":"\(long.prefix(9000))"}"#, "{\"alg\":\(HostileJSON.deep)}"] {
                #expect(try await stage.logOut(try provider.logOutToken(header: header)).status == 400)
            }
            #expect(try await stage.rows().count == 1)
            #expect(try await stage.logOut(try provider.logOutToken()).status == 200)
        }
    }

    @Test("browsers find no log-out by the provider, and the provider finds no page")
    func listeners() async throws {
        try await PortalStage.run { stage async throws in
            var browser = stage.browser()
            #expect(try await browser.post("/backchannel-logout").status == 404)
            browser.base = stage.providerBases[0]
            #expect(try await browser.get("/").status == 404)
        }
    }
}
