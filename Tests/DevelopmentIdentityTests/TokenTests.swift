import Crypto
import DevelopmentIdentityAPI
import Foundation
import HTTPContract
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

@Suite("Token endpoint", .timeLimit(.minutes(5))) struct TokenTests {
    private func code(_ stage: Stage) async throws -> String {
        try Stage.query(of: try await stage.signIn())["code"] ?? ""
    }

    @Test("a code is exchanged for tokens like Keycloak's, which an independent library verifies")
    func exchange() async throws {
        try await Stage.with { stage in
            let answer = try await stage.submit("/token", stage.exchange(try await code(stage)))
            #expect(answer.status == 200)
            #expect(answer.fields["cache-control"] == ["no-store"])
            let tokens = try TokenAnswer(answer)
            #expect(tokens.expiresIn == 300)
            let now = Int(stage.clock.now.timeIntervalSince1970)
            let access = try await stage.verified(tokens.access, as: AnyClaims.self)
            #expect(access.iss == Stage.issuer && access.aud == "verification-server" && access.azp == "portal")
            #expect(access.realm_access?.roles == ["c19hotline"])
            #expect(access.exp == now + 300 && access.typ == "Bearer")
            let id = try await stage.verified(tokens.id, as: AnyClaims.self)
            #expect(id.iss == Stage.issuer && id.aud == "portal" && id.azp == "portal" && id.nonce == "n-1")
            #expect(id.sub == access.sub && id.sid == access.sid && id.sid != nil)
            #expect(id.realm_access == nil)
            #expect(id.auth_time == now && id.acr == "2" && id.name == "Ada Amt")
            #expect(id.at_hash == Stage.base64URL(Array(SHA256.hash(data: Data(tokens.access.utf8))).prefix(16)))
        }
    }

    @Test(
        "roles are the user's",
        arguments: [
            (DevelopmentUser.eventOfficer, ["c19hotline", "c19hotline_event"]), (.analyst, ["vigil_statistics"]),
            (.operator, ["vigil_operator"]), (.visitor, []), (.hostile, ["c19hotline"]), (.endless, ["c19hotline"]),
        ])
    func roles(user: DevelopmentUser, roles: [String]) async throws {
        try await Stage.with { stage in
            let access = try await stage.verified(try await stage.tokens(user).access, as: AnyClaims.self)
            #expect(access.realm_access?.roles == roles)
        }
    }

    @Test("a code used twice is refused, and what it gave is worth nothing any more")
    func reuse() async throws {
        try await Stage.with { stage in
            let code = try await code(stage)
            let tokens = try TokenAnswer(try await stage.submit("/token", stage.exchange(code)))
            #expect(try await stage.submit("/token", stage.exchange(code)).error == "invalid_grant")
            #expect(try await stage.submit("/token", stage.refresh(tokens.refresh)).error == "invalid_grant")
        }
    }

    @Test(
        "a code is refused with another verifier or address, without them, and to another grant",
        arguments: [
            (["code_verifier": "x123456789-0123456789-0123456789-0123456789"], "invalid_grant"),
            (["code_verifier": ""], "invalid_grant"), (["code_verifier": nil], "invalid_request"),
            (["redirect_uri": "https://portal.test/other"], "invalid_grant"),
            (["redirect_uri": nil], "invalid_request"),
            (["code": "unknown"], "invalid_grant"), (["code": nil], "invalid_request"),
            (["grant_type": nil], "invalid_request"), (["grant_type": "password"], "unsupported_grant_type"),
        ] as [([String: String?], String)])
    func wrong(change: [String: String?], expected: String) async throws {
        try await Stage.with { stage in
            var form = try stage.exchange(try await code(stage))
            for (name, value) in change { form[name] = value }
            let answer = try await stage.submit("/token", form)
            #expect(answer.status == 400)
            #expect(answer.error == expected)
        }
    }

    @Test("a wrong verifier uses the code up")
    func oneTry() async throws {
        try await Stage.with { stage in
            let code = try await code(stage)
            let wrong = try stage.exchange(code).merging(["code_verifier": String(repeating: "x", count: 43)]) { $1 }
            #expect(try await stage.submit("/token", wrong).status == 400)
            #expect(try await stage.submit("/token", stage.exchange(code)).error == "invalid_grant")
        }
    }

    @Test("a code lasts a minute")
    func expired() async throws {
        try await Stage.with { stage in
            let code = try await code(stage)
            stage.clock.advance(by: 61)
            #expect(try await stage.submit("/token", stage.exchange(code)).error == "invalid_grant")
        }
    }

    @Test("another client can't exchange a code")
    func stolen() async throws {
        try await Stage.with { stage in
            var form = try stage.exchange(try await code(stage))
            form["client_assertion"] = nil
            form["client_assertion_type"] = nil
            form["client_id"] = "other"
            form["client_secret"] = "s:cret/+"
            #expect(try await stage.submit("/token", form).error == "invalid_grant")
        }
    }

    @Test("a refresh token gives new tokens once; used again, it ends them all")
    func refresh() async throws {
        try await Stage.with { stage in
            let first = try await stage.tokens()
            stage.clock.advance(by: 290)
            let second = try TokenAnswer(try await stage.submit("/token", stage.refresh(first.refresh)))
            let id = try await stage.verified(second.id, as: AnyClaims.self)
            #expect(id.nonce == nil)
            #expect(id.auth_time == Int(stage.clock.now.timeIntervalSince1970) - 290)
            #expect(second.refresh != first.refresh)
            let third = try TokenAnswer(try await stage.submit("/token", stage.refresh(second.refresh)))
            #expect(try await stage.submit("/token", stage.refresh(first.refresh)).error == "invalid_grant")
            #expect(try await stage.submit("/token", stage.refresh(third.refresh)).error == "invalid_grant")
        }
    }

    @Test("a refresh token ends with its session, and can't ask for more")
    func refreshEnds() async throws {
        try await Stage.with { stage in
            let tokens = try await stage.tokens()
            let more = try stage.refresh(tokens.refresh).merging(["scope": "openid everything"]) { $1 }
            #expect(try await stage.submit("/token", more).error == "invalid_scope")
            stage.clock.advance(by: 1_801)
            #expect(try await stage.submit("/token", stage.refresh(tokens.refresh)).error == "invalid_grant")
            #expect(try await stage.submit("/token", stage.refresh("nonsense")).error == "invalid_grant")
        }
    }

    @Test("a body that is no form, or names something twice, is an invalid request")
    func malformed() async throws {
        try await Stage.with { stage in
            let json = try await stage.request(.POST, "/token", "{}", headers: [], type: "application/json")
            #expect(json.error == "invalid_request")
            let twice = try await stage.request(.POST, "/token", "grant_type=a&grant_type=b", headers: [])
            #expect(twice.error == "invalid_request")
            #expect(try await stage.get("/token").status == 405)
        }
    }
}
