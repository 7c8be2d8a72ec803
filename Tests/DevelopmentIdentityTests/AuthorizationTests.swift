import DevelopmentIdentityAPI
import Foundation
import HTTPContract
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

@Suite("Authorization endpoint", .timeLimit(.minutes(5))) struct AuthorizationTests {
    @Test("the discovery document names the provider and what it demands")
    func discovery() async throws {
        try await Stage.with { stage in
            let answer = try await stage.get("/.well-known/openid-configuration")
            #expect(answer.fields["content-type"] == ["application/json"])
            let document = try #require(
                try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
            #expect(document["issuer"] as? String == Stage.issuer)
            #expect(document["authorization_endpoint"] as? String == "\(Stage.issuer)/authorize")
            #expect(document["token_endpoint"] as? String == "\(Stage.issuer)/token")
            #expect(document["jwks_uri"] as? String == "\(Stage.issuer)/keys")
            #expect(document["end_session_endpoint"] as? String == "\(Stage.issuer)/logout")
            #expect(document["code_challenge_methods_supported"] as? [String] == ["S256"])
            #expect(document["authorization_response_iss_parameter_supported"] as? Bool == true)
            #expect(document["backchannel_logout_supported"] as? Bool == true)
            #expect(document["backchannel_logout_session_supported"] as? Bool == true)
        }
    }

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
        }
    }

    static let wrong: [(change: [String: String?], error: String)] = [
        (["response_type": "token"], "unsupported_response_type"),
        (["response_type": "code id_token"], "unsupported_response_type"),
        (["response_type": nil], "unsupported_response_type"),
        (["scope": "profile"], "invalid_scope"), (["scope": "openid everything"], "invalid_scope"),
        (["scope": nil], "invalid_scope"), (["nonce": nil], "invalid_request"), (["nonce": ""], "invalid_request"),
        (["state": nil], "invalid_request"), (["code_challenge": nil], "invalid_request"),
        (["code_challenge_method": nil], "invalid_request"), (["code_challenge_method": "plain"], "invalid_request"),
        (["code_challenge": "short"], "invalid_request"), (["response_mode": "fragment"], "invalid_request"),
        (["prompt": "none login"], "invalid_request"), (["prompt": "strange"], "invalid_request"),
        (["max_age": "-1"], "invalid_request"), (["max_age": "soon"], "invalid_request"),
        (["request": "x"], "request_not_supported"), (["request_uri": "x"], "request_uri_not_supported"),
        (["prompt": "none"], "login_required"),
    ]

    @Test("every other mistake is told to the client, with its state and our name", arguments: wrong.indices)
    func mistakes(index: Int) async throws {
        let (change, error) = Self.wrong[index]
        try await Stage.with { stage in
            var request = Stage.authorization
            for (name, value) in change { request[name] = value }
            let answer = try await stage.get("/authorize", request)
            #expect(answer.status == 303)
            #expect(answer.fields["location"].first?.hasPrefix(Stage.redirectURI + "?") == true)
            let query = try Stage.query(of: answer)
            #expect(query["error"] == error)
            #expect(query["state"] == request["state"])
            #expect(query["iss"] == Stage.issuer)
            #expect(query["code"] == nil)
        }
    }

    @Test("a parameter that occurs twice is refused without a redirect")
    func twice() async throws {
        try await Stage.with { stage in
            let answer = try await stage.get("/authorize?client_id=portal&client_id=portal")
            #expect(answer.status == 400)
            #expect(answer.fields["location"].isEmpty)
        }
    }

    @Test("somebody who has signed in gets a code at once, unless the client wants a new sign-in")
    func singleSignOn() async throws {
        try await Stage.with { stage in
            let first = try Stage.query(of: try await stage.signIn())
            #expect(first["state"] == "st-1" && first["iss"] == Stage.issuer)
            let second = try await stage.get("/authorize", Stage.authorization)
            #expect(try Stage.query(of: second)["code"] != nil)
            #expect(try Stage.query(of: second)["code"] != first["code"])
            let silent = try await stage.get("/authorize", Stage.authorization.merging(["prompt": "none"]) { $1 })
            #expect(try Stage.query(of: silent)["code"] != nil)
            let again = try await stage.get("/authorize", Stage.authorization.merging(["prompt": "login"]) { $1 })
            #expect(again.status == 200)
            stage.clock.advance(by: 61)
            let old = try await stage.get("/authorize", Stage.authorization.merging(["max_age": "60"]) { $1 })
            #expect(old.status == 200)
            let young = try await stage.get("/authorize", Stage.authorization.merging(["max_age": "62"]) { $1 })
            #expect(young.status == 303)
        }
    }

    @Test("a session ends after half an hour without use, and after ten hours")
    func sessionEnds() async throws {
        try await Stage.with { stage in
            _ = try await stage.signIn()
            stage.clock.advance(by: 1_801)
            #expect(try await stage.get("/authorize", Stage.authorization).status == 200)
            _ = try await stage.signIn()
            for _ in 0..<20 {
                stage.clock.advance(by: 1_790)
                #expect(try await stage.get("/authorize", Stage.authorization).status == 303)
            }
            stage.clock.advance(by: 300)
            #expect(try await stage.get("/authorize", Stage.authorization).status == 200)
        }
    }
}
