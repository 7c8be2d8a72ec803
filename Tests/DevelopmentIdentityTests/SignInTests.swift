import Crypto
import DevelopmentIdentityAPI
import Foundation
import HTTPContract
import OfficerIdentity
import Synchronization
import TestSupport
import Testing

@testable import DevelopmentIdentity

/// What the portal, the suite's tests and developers rely on.
@Suite("Sign-in", .timeLimit(.minutes(5))) struct SignInTests {
    @Test("the discovery document names the provider and what it demands")
    func discovery() async throws {
        try await Stage.with { stage in
            let answer = try await stage.get("/.well-known/openid-configuration")
            #expect(answer.fields["content-type"] == ["application/json"])
            let document = try #require(
                try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
            #expect(document["issuer"] as? String == Stage.issuer)
            for (name, path) in [
                ("authorization_endpoint", "authorize"), ("token_endpoint", "token"), ("jwks_uri", "keys"),
                ("end_session_endpoint", "logout"),
            ] {
                #expect(document[name] as? String == "\(Stage.issuer)/\(path)")
            }
            #expect(document["code_challenge_methods_supported"] as? [String] == ["S256"])
            #expect(document["authorization_response_iss_parameter_supported"] as? Bool == true)
            #expect(document["backchannel_logout_supported"] as? Bool == true)
        }
    }

    @Test("the pages are forms with labels, in the wanted language, and may lead to the client")
    func pages() async throws {
        try await Stage.with { stage in
            let page = try await stage.get("/authorize", Stage.authorization.merging(["ui_locales": "fr de en"]) { $1 })
            #expect(page.status == 200)
            #expect(page.body.contains(#"<html lang="de">"#))
            #expect(page.body.contains(#"<label for="user">Benutzername</label>"#))
            let policy = page.fields["content-security-policy"].first ?? ""
            #expect(policy.contains("form-action 'self' https://other.test https://portal.test;"))
            #expect(page.fields["strict-transport-security"].isEmpty)
            let style = try #require(page.body.firstMatch(of: /href="(\/assets\/[^"]+)"/))
            #expect(try await stage.get(String(style.1)).fields["content-type"] == ["text/css; charset=utf-8"])
            // Another tab of the same browser doesn't end this one's sign-in.
            let number = try Stage.number(in: page)
            _ = try await stage.get("/authorize", Stage.authorization)
            let form = ["number": number, "user": "officer", "password": DevelopmentUser.password]
            #expect(try await stage.submit("/log-in", form).body.contains("one-time-code"))
        }
    }

    @Test("a code is exchanged for tokens in Keycloak's form, which services verify among keys that they can't use")
    func tokens() async throws {
        try await Stage.with { stage in
            let led = try Stage.query(of: try await stage.signIn())
            #expect(led["state"] == "st-1" && led["iss"] == Stage.issuer)
            let answer = try await stage.exchange(led["code"] ?? "")
            #expect(answer.status == 200)
            #expect(answer.fields["cache-control"] == ["no-store"])
            let tokens = try TokenAnswer(answer)
            #expect(tokens.expiresIn == 300)
            let now = Int(stage.clock.now.timeIntervalSince1970)
            let access = try await stage.verified(tokens.access)
            #expect(access.iss == Stage.issuer && access.azp == "portal" && access.typ == "Bearer")
            #expect(access.aud.names == ["verification-server", "account"] && access.exp == now + 300)
            let id = try await stage.verified(tokens.id)
            #expect(id.iss == Stage.issuer && id.aud.names == ["portal"] && id.azp == "portal" && id.nonce == "n-1")
            #expect(id.sub == access.sub && id.sid == access.sid && id.sid == led["session_state"])
            #expect(id.realm_access == nil && id.auth_time == now && id.acr == "2" && id.name == "Ada Amt")
            #expect(id.at_hash == Stage.base64URL(Array(SHA256.hash(data: Data(tokens.access.utf8))).prefix(16)))
            // For five minutes the portal doesn't ask; then it refreshes.
            stage.clock.advance(by: 290)
            let refreshed = try await stage.verified(
                TokenAnswer(try await stage.refresh(tokens.refresh)).id)
            #expect(refreshed.nonce == nil && refreshed.auth_time == now)
        }
    }

    @Test(
        "roles are the user's, beside those that every user has",
        arguments: [
            (DevelopmentUser.officer, ["c19hotline"]), (.eventOfficer, ["c19hotline", "c19hotline_event"]),
            (.analyst, ["vigil_statistics"]), (.operator, ["vigil_operator"]), (.visitor, []),
            (.hostile, ["c19hotline"]), (.endless, ["c19hotline"]),
        ])
    func roles(user: DevelopmentUser, roles: [String]) async throws {
        try await Stage.with { stage in
            let access = try await stage.verified(try await stage.tokens(user).access)
            let others: Set = ["default-roles-vigil", "offline_access", "uma_authorization"]
            #expect(access.realm_access?.roles.filter { !others.contains($0) } == roles)
        }
    }

    @Test("somebody who has signed in gets a code at once, for half an hour without use and ten hours in all")
    func singleSignOn() async throws {
        try await Stage.with { stage in
            let first = try await stage.code()
            func status(_ change: [String: String] = [:]) async throws -> Int {
                try await stage.get("/authorize", Stage.authorization.merging(change) { $1 }).status
            }
            let second = try Stage.query(of: try await stage.get("/authorize", Stage.authorization))["code"]
            #expect(second != nil && second != first)
            #expect(try await status(["prompt": "none"]) == 303)
            #expect(try await status(["prompt": "login"]) == 200)
            stage.clock.advance(by: 61)
            #expect(try await status(["max_age": "60"]) == 200)
            #expect(try await status(["max_age": "62"]) == 303)
            stage.clock.advance(by: 1_801)
            #expect(try await status() == 200)
            _ = try await stage.signIn()
            for _ in 0..<20 {
                stage.clock.advance(by: 1_790)
                #expect(try await status() == 303)
            }
            stage.clock.advance(by: 300)
            #expect(try await status() == 200)
        }
    }

    @Test("the client's log-out ends the session and leads back with its state; the back channel hears of it")
    func logOut() async throws {
        try await Stage.with { stage in
            let tokens = try await stage.tokens()
            // The hint may have expired.
            stage.clock.advance(by: 600)
            let answer = try await stage.get(
                "/logout",
                ["id_token_hint": tokens.id, "post_logout_redirect_uri": Stage.logoutURI, "state": "bye"])
            #expect(answer.status == 303)
            #expect(answer.fields["location"] == ["\(Stage.logoutURI)?state=bye"])
            #expect(try await stage.get("/authorize", Stage.authorization).status == 200)
            #expect(try await stage.refresh(tokens.refresh).status == 400)
            #expect(stage.told.withLock { $0.count } == 1)
        }
    }

    @Test("a log-out token names session and event, has no nonce, and is never the same")
    func logOutToken() async throws {
        try await Stage.with { stage in
            let id = try await stage.verified(try await stage.tokens().id)
            #expect(
                try await stage.control("end-sessions", #"{"user":"analyst"}"#).body == #"{"count":0,"notified":0}"#)
            let answer = try await stage.control("end-sessions", #"{"user":"officer"}"#)
            #expect(answer.body == #"{"count":1,"notified":1}"#)
            let text = try #require(stage.told.withLock { $0.first })
            let token = try await stage.verified(text)
            #expect(token.iss == Stage.issuer && token.aud.names == ["portal"])
            #expect(token.sub == id.sub && token.sid == id.sid && token.nonce == nil)
            #expect(token.events == ["http://schemas.openid.net/event/backchannel-logout": [:]])
            #expect(token.iat == Int(stage.clock.now.timeIntervalSince1970) && token.exp == token.iat + 120)
            #expect(text.hasPrefix(Stage.base64URL(#"{"alg":"ES256","kid":"k1","typ":"logout+jwt"}"#.utf8)))
            _ = try await stage.tokens()
            _ = try await stage.control("end-sessions", #"{"user":"officer"}"#)
            let second = try #require(stage.told.withLock { $0.last })
            #expect(try await stage.verified(second).jti != token.jti)
            // Who signed in without a client that had tokens: nobody is told.
            _ = try await stage.signIn()
            #expect(
                try await stage.control("end-sessions", #"{"user":"officer"}"#).body == #"{"count":1,"notified":0}"#)
        }
    }

    @Test("the control port gives out codes that haven't been used, and says when there is none")
    func control() async throws {
        try await Stage.with { stage in
            let query = #"{"user":"officer"}"#
            let one = try await stage.control("one-time-code", query)
            #expect(try await stage.control("one-time-code", query).body == one.body)
            for _ in 0..<2 {
                let answer = try await stage.control("one-time-code", query)
                let code = try JSONDecoder().decode([String: String].self, from: Data(answer.body.utf8))["code"] ?? ""
                let number = try await stage.afterPassword()
                #expect(try await stage.submit("/second-factor", ["number": number, "code": code]).status == 303)
                stage.forgetCookies()
            }
            #expect(try await stage.control("one-time-code", query).status == 429)
            #expect(try await stage.control("one-time-code", #"{"user":"officer","forgetsUsed":true}"#).status == 200)
            #expect(try await stage.control("one-time-code", #"{"user":"nobody"}"#).status == 400)
        }
    }

    @Test("the provider can be broken, away, late with what has happened, and well again")
    func behaviour() async throws {
        try await Stage.with { stage in
            _ = try await stage.control("behaviour", #"{"kind":"broken","status":503}"#)
            #expect(try await stage.get("/keys").status == 503)
            _ = try await stage.control("behaviour", #"{"kind":"away"}"#)
            await #expect(throws: (any Error).self) { _ = try await stage.get("/keys") }
            _ = try await stage.control("behaviour", #"{"kind":"slow","seconds":0}"#)
            #expect(try await stage.get("/keys").status == 200)
            _ = try await stage.control("behaviour", #"{"kind":"well"}"#)
            #expect(try await stage.get("/keys").status == 200)
            #expect(try await stage.control("behaviour", #"{"kind":"drunk"}"#).status == 400)
        }
    }

    @Test("one-time codes are those of RFC 6238, appendix B; secrets are read from base 32")
    func vectors() {
        let secret = Array("12345678901234567890".utf8)
        for (second, code) in [
            (59.0, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
            (2_000_000_000, "279037"), (20_000_000_000, "353130"),
        ] {
            let step = OneTimeCode.step(at: Date(timeIntervalSince1970: second))
            #expect(OneTimeCode.text(secret: secret, step: step) == code)
        }
        func bytes(_ secret: String) -> [UInt8]? {
            User(name: "", password: "", secret: secret, subject: "", fullName: "", roles: []).secretBytes
        }
        #expect(bytes("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ") == secret)
        #expect(bytes("GEZDGNBVGY3TQOJQ") == nil)
        #expect(bytes("gezdgnbvgy3tqojqgezdgnbvgy3tqojq") == nil)
        #expect(User.development.allSatisfy { $0.secretBytes?.count == 20 })
    }

    @Test("what is kept is bounded: the oldest gives way")
    func bounded() {
        var kept = Bounded<Int>(capacity: 3)
        for number in 0..<100 {
            kept["\(number)"] = number
            if number.isMultiple(of: 3) { kept["\(number)"] = nil }
        }
        #expect(kept.all.count <= 3)
        #expect(kept["98"] == 98)
        #expect(kept["0"] == nil)
    }
}
