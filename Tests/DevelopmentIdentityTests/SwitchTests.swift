import DevelopmentIdentityAPI
import Foundation
import HTTPContract
import Synchronization
import TestSupport
import Testing

/// What a provider does that isn't ours, by switches.
@Suite("Switches", .timeLimit(.minutes(5))) struct SwitchTests {
    @Test("after a rotation a new, published key signs; tokens of the old one are good until that is removed")
    func rotation() async throws {
        try await Stage.with { stage in
            let before = try await stage.tokens()
            let rotated = try await stage.control("rotate-key", "{}")
            let names = try JSONDecoder().decode([String: String].self, from: Data(rotated.body.utf8))
            let key = try #require(names["key"])
            let after = try await stage.tokens()
            #expect(after.id.hasPrefix(Stage.base64URL(#"{"alg":"ES256","kid":"\#(key)","typ":"JWT"}"#.utf8)))
            _ = try await stage.verified(after.id)
            _ = try await stage.verified(before.id)
            #expect(try await stage.refresh(before.refresh).status == 200)
            _ = try await stage.control("rotate-key", #"{"removesOld":true}"#)
            await #expect(throws: Missing.self) { _ = try await stage.verified(after.id) }
            _ = try await stage.verified(try await stage.tokens().id)
        }
    }

    @Test("keys without an algorithm verify as before")
    func algorithms() async throws {
        try await Stage.with { stage in
            #expect(try await stage.get("/keys").body.contains(#""alg""#))
            _ = try await stage.control("behaviour", #"{"kind":"well","omitsAlgorithms":true}"#)
            #expect(try await !stage.get("/keys").body.contains(#""alg""#))
            _ = try await stage.verified(try await stage.tokens().id)
        }
    }

    @Test("its clock moves its tokens, and what it takes for a proof of the future", arguments: [-17, 0, 17])
    func clock(ahead: Int) async throws {
        try await Stage.with { stage in
            _ = try await stage.control("behaviour", #"{"kind":"well","clockAhead":\#(ahead)}"#)
            let answer = try await stage.exchange(try await stage.code())
            if ahead < 0 {
                #expect(answer.status == 401 && answer.error == "invalid_client")
            } else {
                let claims = try await stage.verified(try TokenAnswer(answer).id)
                #expect(claims.iat == Int(stage.clock.now.timeIntervalSince1970) + ahead)
            }
        }
    }

    @Test("a disabled user can't sign in or refresh, and no client is told")
    func disabled() async throws {
        try await Stage.with { stage in
            let tokens = try await stage.tokens()
            #expect(try await stage.control("disable", #"{"user":"officer"}"#).status == 204)
            #expect(try await stage.refresh(tokens.refresh).error == "invalid_grant")
            #expect(stage.told.withLock { $0.isEmpty })
            let number = try Stage.number(in: try await stage.get("/authorize", Stage.authorization))
            let form = ["number": number, "user": "officer", "password": DevelopmentUser.password]
            #expect(try await stage.submit("/log-in", form).body.contains(#"role="alert""#))
            #expect(try await stage.control("disable", #"{"user":"officer","enabled":true}"#).status == 204)
            _ = try await stage.tokens()
        }
    }

    @Test("a client can push its request: its address is good for one browser, a minute and that client")
    func pushed() async throws {
        try await Stage.with { stage in
            func push(_ change: [String: String?] = [:]) async throws -> Answer {
                var form = Stage.authorization.merging(stage.asserting(try stage.assertion())) { $1 }
                for (name, value) in change { form[name] = value }
                return try await stage.submit("/par", form)
            }
            func address() async throws -> String {
                struct Pushed: Decodable {
                    let request_uri: String
                    let expires_in: Int
                }
                let answer = try await push()
                #expect(answer.status == 201)
                let pushed = try JSONDecoder().decode(Pushed.self, from: Data(answer.body.utf8))
                #expect(pushed.expires_in == 60)
                return pushed.request_uri
            }
            #expect(try await stage.get("/.well-known/openid-configuration").body.contains("\(Stage.issuer)/par"))
            let first = try await address()
            let back = try await stage.signIn(.officer, ["client_id": "portal", "request_uri": first])
            let query = try Stage.query(of: back)
            #expect(query["state"] == "st-1")
            #expect(try await stage.exchange(query["code"] ?? "").status == 200)
            // Used, another's, and too old.
            for client in ["portal", "other"] {
                let address = client == "portal" ? first : try await address()
                #expect(try await stage.get("/authorize", ["client_id": client, "request_uri": address]).status == 400)
            }
            let old = try await address()
            stage.clock.advance(by: 61)
            #expect(try await stage.get("/authorize", ["client_id": "portal", "request_uri": old]).status == 400)

            #expect(try await push(["client_assertion": "x"]).error == "invalid_client")
            #expect(try await push(["client_id": "other"]).error == "invalid_client")
            #expect(try await push(["redirect_uri": "https://other.test/callback"]).error == "invalid_request")
            #expect(try await push(["scope": "everything"]).error == "invalid_scope")
            #expect(try await push(["request_uri": first]).error == "invalid_request")
        }
    }
}
