import DevelopmentIdentityAPI
import Foundation
import HTTPContract
import JWTKit
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

@Suite("Log-out", .timeLimit(.minutes(5))) struct LogOutTests {
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
            #expect(try await stage.submit("/token", stage.refresh(tokens.refresh)).status == 400)
            #expect(stage.told.withLock { $0.count } == 1)
        }
    }

    @Test("a log-out token names session and event, has no nonce, and is never the same")
    func logoutToken() async throws {
        try await Stage.with { stage in
            let id = try await stage.verified(try await stage.tokens().id, as: AnyClaims.self)
            let answer = try await stage.control("end-sessions", #"{"user":"officer"}"#)
            #expect(answer.body == #"{"count":1,"notified":1}"#)
            let text = try #require(stage.told.withLock { $0.first })
            let token = try await stage.verified(text, as: AnyClaims.self)
            #expect(token.iss == Stage.issuer && token.aud == "portal" && token.sub == id.sub && token.sid == id.sid)
            #expect(token.events == ["http://schemas.openid.net/event/backchannel-logout": [:]])
            #expect(token.nonce == nil)
            #expect(token.iat == Int(stage.clock.now.timeIntervalSince1970) && token.exp == token.iat + 120)
            let header = try DefaultJWTParser().parse(Array(text.utf8), as: AnyClaims.self).header
            #expect(header.typ == "logout+jwt")
            _ = try await stage.tokens()
            _ = try await stage.control("end-sessions", #"{"user":"officer"}"#)
            let second = try #require(stage.told.withLock { $0.last })
            #expect(try await stage.verified(second, as: AnyClaims.self).jti != token.jti)
        }
    }

    @Test(
        "a log-out without our ID token, or to an address that isn't registered, ends nothing",
        arguments: ["none", "access", "foreign", "address", "client", "empty"])
    func refused(name: String) async throws {
        try await Stage.with { stage in
            let tokens = try await stage.tokens()
            let query: [String: String] =
                switch name {
                case "none": [:]
                case "access": ["id_token_hint": tokens.access]
                case "foreign": ["id_token_hint": try stage.assertion()]
                case "address":
                    ["id_token_hint": tokens.id, "post_logout_redirect_uri": "https://portal.test/signed-out/"]
                case "client": ["id_token_hint": tokens.id, "client_id": "other"]
                default: ["id_token_hint": ""]
                }
            let answer = try await stage.get("/logout", query)
            #expect(answer.status == 400)
            #expect(answer.fields["location"].isEmpty)
            #expect(try await stage.get("/authorize", Stage.authorization).status == 303)
            #expect(stage.told.withLock { $0.isEmpty })
        }
    }

    @Test("only a user's own sessions end, and only clients with tokens are told")
    func others() async throws {
        try await Stage.with { stage in
            _ = try await stage.signIn(.officer)
            #expect(
                try await stage.control("end-sessions", #"{"user":"analyst"}"#).body == #"{"count":0,"notified":0}"#)
            #expect(
                try await stage.control("end-sessions", #"{"user":"officer"}"#).body == #"{"count":1,"notified":0}"#)
            #expect(try await stage.get("/authorize", Stage.authorization).status == 200)
        }
    }

    @Test("the provider can be broken, away, and well again")
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
}
