import Crypto
import DevelopmentIdentityAPI
import Foundation
import HTTPContract
import Synchronization
import TestSupport
import Testing

/// What Keycloak refuses, endpoint by endpoint.
@Suite("Refusals", .timeLimit(.minutes(5))) struct RefusalTests {
    @Test(
        "an unknown client, and an address that isn't registered exactly, get a page and no redirect",
        arguments: [
            ["client_id": "stranger"], ["client_id": ""], ["redirect_uri": "https://portal.test/callback/"],
            ["redirect_uri": "https://portal.test/callback?x=1"], ["redirect_uri": "https://PORTAL.test/callback"],
            ["redirect_uri": "https://portal.test.evil.test/callback"], ["redirect_uri": "http://portal.test/callback"],
            ["redirect_uri": ""], ["redirect_uri": "https://other.test/callback"],
        ])
    func unregistered(change: [String: String]) async throws {
        try await Stage.with { stage in
            let answer = try await stage.get("/authorize", Stage.authorization.merging(change) { $1 })
            #expect(answer.status == 400)
            #expect(answer.fields["location"].isEmpty)
            #expect(answer.body.contains("<h1>"))
            #expect(try await stage.get("/authorize?client_id=portal&client_id=portal").status == 400)
        }
    }

    @Test("every other mistake of an authorization request is told to the client, with its state and our name")
    func authorization() async throws {
        let wrong: [(change: [String: String?], error: String)] = [
            (["response_type": "token"], "unsupported_response_type"),
            (["response_type": "code id_token"], "unsupported_response_type"),
            (["response_type": nil], "unsupported_response_type"),
            (["scope": "profile"], "invalid_scope"), (["scope": "openid everything"], "invalid_scope"),
            (["scope": nil], "invalid_scope"), (["nonce": nil], "invalid_request"), (["nonce": ""], "invalid_request"),
            (["state": nil], "invalid_request"), (["code_challenge": nil], "invalid_request"),
            (["code_challenge_method": nil], "invalid_request"),
            (["code_challenge_method": "plain"], "invalid_request"), (["code_challenge": "short"], "invalid_request"),
            (["response_mode": "fragment"], "invalid_request"), (["prompt": "none login"], "invalid_request"),
            (["prompt": "strange"], "invalid_request"), (["max_age": "-1"], "invalid_request"),
            (["max_age": "soon"], "invalid_request"), (["request": "x"], "request_not_supported"),
            (["request_uri": "x"], "request_uri_not_supported"), (["prompt": "none"], "login_required"),
        ]
        try await Stage.with { stage in
            for (change, error) in wrong {
                var request = Stage.authorization
                for (name, value) in change { request[name] = value }
                let answer = try await stage.get("/authorize", request)
                #expect(answer.status == 303)
                #expect(answer.fields["location"].first?.hasPrefix(Stage.redirectURI + "?") == true)
                let query = try Stage.query(of: answer)
                #expect(query["error"] == error, "\(change)")
                #expect(query["state"] == request["state"] && query["iss"] == Stage.issuer && query["code"] == nil)
            }
        }
    }

    @Test("a wrong password, an unknown user and a wrong, used or late one-time code lead to no session")
    func logIn() async throws {
        try await Stage.with { stage in
            stage.clock.set(Date(timeIntervalSince1970: 1_900_000_020))
            let number = try Stage.number(in: try await stage.get("/authorize", Stage.authorization))
            var bodies: Set<String> = []
            for (user, password) in [("officer", "wrong"), ("nobody", DevelopmentUser.password), ("", "")] {
                let answer = try await stage.submit("/log-in", ["number": number, "user": user, "password": password])
                #expect(answer.body.contains(#"role="alert""#) && !answer.body.contains("one-time-code"))
                bodies.insert(answer.body)
            }
            #expect(bodies.count == 1)
            // The second factor without the password.
            let code = try await stage.oneTimeCode(.officer)
            #expect(try await stage.submit("/second-factor", ["number": number, "code": code]).status == 400)
            let second = try await stage.afterPassword()
            for wrong in ["", "000000x", try await stage.oneTimeCode(.analyst)] {
                #expect(try await stage.submit("/second-factor", ["number": second, "code": wrong]).status == 200)
            }
            stage.clock.advance(by: 61)
            #expect(try await stage.submit("/second-factor", ["number": second, "code": code]).status == 200)
            stage.clock.advance(by: -31)
            #expect(try await stage.submit("/second-factor", ["number": second, "code": code]).status == 303)
            stage.forgetCookies()
            let third = try await stage.afterPassword()
            #expect(try await stage.submit("/second-factor", ["number": third, "code": code]).status == 200)
        }
    }

    @Test("a sign-in that began in another browser, or half an hour ago, is over")
    func otherBrowser() async throws {
        try await Stage.with { stage in
            let number = try Stage.number(in: try await stage.get("/authorize", Stage.authorization))
            let form = ["number": number, "user": "officer", "password": DevelopmentUser.password]
            stage.forgetCookies()
            #expect(try await stage.submit("/log-in", form).status == 400)
            _ = try await stage.get("/authorize", Stage.authorization)
            #expect(try await stage.submit("/log-in", form).status == 400)
            let own = try Stage.number(in: try await stage.get("/authorize", Stage.authorization))
            stage.clock.advance(by: 1_801)
            #expect(try await stage.submit("/log-in", form.merging(["number": own]) { $1 }).status == 400)
        }
    }

    @Test("an assertion with a wrong claim, of another key or algorithm, or used before proves nothing")
    func assertions() async throws {
        try await Stage.with { stage in
            let now = Int(stage.clock.now.timeIntervalSince1970)
            let (good, unknown) = (try stage.assertion(), "invalid_grant")
            let unsigned = good.split(separator: ".").dropLast().joined(separator: ".") + "."
            // `unknown`: the client has proven itself, and its code is wrong.
            let attempts: [(assertion: String, error: String)] = [
                (good, unknown), (good, "invalid_client"),
                (try stage.assertion(["aud": "\(Stage.issuer)/token"]), unknown),
                (try stage.assertion(["aud": [Stage.issuer]]), unknown),
                (try stage.assertion(["aud": [Stage.issuer, "\(Stage.issuer)/token"]]), "invalid_client"),
                (try stage.assertion(["aud": "https://elsewhere.test"]), "invalid_client"),
                (try stage.assertion(["iss": "other"]), "invalid_client"),
                (try stage.assertion(["sub": "stranger"]), "invalid_client"),
                (try stage.assertion(["iss": "other", "sub": "other"]), "invalid_client"),
                (try stage.assertion(["exp": NSNull()]), "invalid_client"),
                // A clock that is behind: the assertion has ended. One that is ahead: fifteen seconds, and no more.
                (try stage.assertion(["iat": now - 59, "exp": now + 1]), unknown),
                (try stage.assertion(["iat": now - 60, "exp": now]), "invalid_client"),
                (try stage.assertion(["iat": now + 15, "exp": now + 75]), unknown),
                (try stage.assertion(["iat": now + 18, "exp": now + 78]), "invalid_client"),
                (try stage.assertion(["nbf": now + 18]), "invalid_client"),
                (try stage.assertion(["exp": now + 300]), unknown),
                (try stage.assertion(["exp": now + 301]), "invalid_client"),
                (try stage.assertion(["jti": NSNull()]), "invalid_client"),
                (try stage.assertion(["jti": ""]), "invalid_client"),
                (try stage.assertion(key: P256.Signing.PrivateKey()), "invalid_client"),
                (try stage.assertion(key: stage.providerKey), "invalid_client"),
                (try stage.assertion(header: #"{"alg":"none"}"#), "invalid_client"),
                (try stage.assertion(header: #"{"alg":"HS256"}"#), "invalid_client"),
                (unsigned, "invalid_client"), ("x", "invalid_client"), ("", "invalid_client"),
            ]
            for (index, (assertion, error)) in attempts.enumerated() {
                let form = ["redirect_uri": "https://other.test/callback"].merging(stage.asserting(assertion)) { $1 }
                let answer = try await stage.exchange("unknown", form)
                #expect(answer.error == error, "attempt \(index)")
                #expect(answer.status == (error == unknown ? 400 : 401))
            }
            let jwt = try await stage.exchange("unknown", ["client_assertion_type": "jwt"])
            #expect(jwt.error == "invalid_client")
        }
    }

    @Test("a secret proves a client in the header or in the form; a wrong one, both, or another's method doesn't")
    func secrets() async throws {
        func basic(_ text: String) -> [(String, String)] {
            [("authorization", "Basic \(Data(text.utf8).base64EncodedString())")]
        }
        let right = ["client_id": "other", "client_secret": "s:cret/+"]
        let attempts: [(headers: [(String, String)], form: [String: String], error: String)] = [
            (basic("other:s%3Acret%2F%2B"), [:], "invalid_grant"), ([], right, "invalid_grant"),
            (basic("other:s%3Acret%2F%2B"), right, "invalid_request"), (basic("other:wrong"), [:], "invalid_client"),
            ([], ["client_id": "other", "client_secret": "wrong"], "invalid_client"), ([], [:], "invalid_client"),
            ([], ["client_id": "other"], "invalid_client"), ([], ["client_id": "portal"], "invalid_client"),
            ([], ["client_id": "portal", "client_secret": ""], "invalid_client"),
            ([], ["client_id": "portal", "client_secret": "s:cret/+"], "invalid_client"),
        ]
        try await Stage.with { stage in
            let base = [
                "grant_type": "authorization_code", "code": "x", "redirect_uri": "https://other.test/callback",
                "code_verifier": Stage.verifier,
            ]
            for (headers, form, error) in attempts {
                let answer = try await stage.submit("/token", base.merging(form) { $1 }, headers: headers)
                #expect(answer.error == error, "\(form)")
                let namesScheme = error == "invalid_client" && !headers.isEmpty
                #expect(answer.fields["www-authenticate"].isEmpty == !namesScheme)
            }
        }
    }

    @Test("a code is refused with anything but its own verifier, address, grant and client, and a second time")
    func codes() async throws {
        let wrong: [(change: [String: String?], error: String)] = [
            (["code_verifier": "x123456789-0123456789-0123456789-0123456789"], "invalid_grant"),
            (["code_verifier": ""], "invalid_grant"), (["code_verifier": nil], "invalid_request"),
            (["redirect_uri": "https://portal.test/other"], "invalid_grant"),
            (["redirect_uri": nil], "invalid_request"),
            (["code": "unknown"], "invalid_grant"), (["code": nil], "invalid_request"),
            (["grant_type": nil], "invalid_request"), (["grant_type": "password"], "unsupported_grant_type"),
            (
                [
                    "client_assertion": nil, "client_assertion_type": nil, "client_id": "other",
                    "client_secret": "s:cret/+",
                ], "invalid_grant"
            ),
        ]
        try await Stage.with { stage in
            for (change, error) in wrong {
                let answer = try await stage.exchange(try await stage.code(), change)
                #expect(answer.status == 400)
                #expect(answer.error == error, "\(change)")
            }
            // A wrong verifier uses the code up, and so does the right one.
            let code = try await stage.code()
            #expect(try await stage.exchange(code, ["code_verifier": String(repeating: "x", count: 43)]).status == 400)
            #expect(try await stage.exchange(code).error == "invalid_grant")
            let used = try await stage.code()
            let tokens = try TokenAnswer(try await stage.exchange(used))
            #expect(try await stage.exchange(used).error == "invalid_grant")
            // What it gave is worth nothing any more.
            #expect(try await stage.refresh(tokens.refresh).error == "invalid_grant")
            let late = try await stage.code()
            stage.clock.advance(by: 61)
            #expect(try await stage.exchange(late).error == "invalid_grant")
            let json = try await stage.request(.POST, "/token", "{}", headers: [], type: "application/json")
            #expect(json.error == "invalid_request")
            #expect(try await stage.submit("/token?x", [:]).error == "invalid_client")
        }
    }

    @Test("a refresh token is refused a second time, for more, and after its session; the second use ends them all")
    func refreshTokens() async throws {
        try await Stage.with { stage in
            let first = try await stage.tokens()
            #expect(try await stage.refresh(first.refresh, ["scope": "openid everything"]).error == "invalid_scope")
            let second = try TokenAnswer(try await stage.refresh(first.refresh))
            #expect(try await stage.refresh(first.refresh).error == "invalid_grant")
            #expect(try await stage.refresh(second.refresh).error == "invalid_grant")
            let other = try await stage.tokens()
            stage.clock.advance(by: 1_801)
            #expect(try await stage.refresh(other.refresh).error == "invalid_grant")
            #expect(try await stage.refresh("nonsense").error == "invalid_grant")
        }
    }

    @Test("a log-out without our ID token, or to an address that isn't registered, ends nothing")
    func logOut() async throws {
        try await Stage.with { stage in
            let tokens = try await stage.tokens()
            for query in [
                [:], ["id_token_hint": tokens.access], ["id_token_hint": try stage.assertion()], ["id_token_hint": ""],
                ["id_token_hint": tokens.id, "post_logout_redirect_uri": "https://portal.test/signed-out/"],
                ["id_token_hint": tokens.id, "client_id": "other"],
            ] as [[String: String]] {
                let answer = try await stage.get("/logout", query)
                #expect(answer.status == 400)
                #expect(answer.fields["location"].isEmpty)
                #expect(try await stage.get("/authorize", Stage.authorization).status == 303)
            }
            #expect(stage.told.withLock { $0.isEmpty })
        }
    }
}
