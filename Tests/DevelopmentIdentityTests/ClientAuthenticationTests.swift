import Crypto
import Foundation
import HTTPContract
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

@Suite("Client authentication", .timeLimit(.minutes(5))) struct ClientAuthenticationTests {
    /// What a client is told that proves itself and has a wrong code. Whoever doesn't prove himself hears `invalid_client`.
    private func ask(
        _ stage: Stage, _ form: [String: String], headers: [(String, String)] = []
    ) async throws -> Answer {
        let base = [
            "grant_type": "authorization_code", "code": "x", "redirect_uri": "https://other.test/callback",
            "code_verifier": Stage.verifier,
        ]
        return try await stage.submit("/token", base.merging(form) { $1 }, headers: headers)
    }

    private func asserting(_ assertion: String) -> [String: String] {
        [
            "client_assertion": assertion,
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        ]
    }

    @Test("a signed assertion proves a client, addressed to the provider or to the token endpoint")
    func proven() async throws {
        try await Stage.with { stage in
            for audience: Any in [Stage.issuer, "\(Stage.issuer)/token", [Stage.issuer]] {
                let answer = try await ask(stage, asserting(stage.assertion(["aud": audience])))
                #expect(answer.error == "invalid_grant")
            }
        }
    }

    @Test("an assertion is refused the second time")
    func replay() async throws {
        try await Stage.with { stage in
            let form = asserting(try stage.assertion())
            #expect(try await ask(stage, form).error == "invalid_grant")
            let again = try await ask(stage, form)
            #expect(again.status == 401)
            #expect(again.error == "invalid_client")
        }
    }

    @Test(
        "an assertion with a wrong claim is refused",
        arguments: [
            "iss", "sub", "aud", "audiences", "exp", "old", "long", "jti", "empty jti", "future", "not yet",
        ])
    func wrongClaims(name: String) async throws {
        try await Stage.with { stage in
            let now = Int(stage.clock.now.timeIntervalSince1970)
            let changes: [String: Any] =
                switch name {
                case "iss": ["iss": "other"]
                case "sub": ["sub": "stranger"]
                case "aud": ["aud": "https://elsewhere.test"]
                case "audiences": ["aud": [Stage.issuer, "https://elsewhere.test"]]
                case "exp": ["exp": NSNull()]
                case "old": ["exp": now - 20]
                case "long": ["exp": now + 3600]
                case "jti": ["jti": NSNull()]
                case "empty jti": ["jti": ""]
                case "future": ["iat": now + 60]
                default: ["nbf": now + 60]
                }
            let answer = try await ask(stage, asserting(stage.assertion(changes)))
            #expect(answer.status == 401)
            #expect(answer.error == "invalid_client")
        }
    }

    @Test("an assertion of another key, without signature, or of another algorithm is refused")
    func wrongSignatures() async throws {
        try await Stage.with { stage in
            let good = try stage.assertion()
            let unsigned = good.split(separator: ".").dropLast().joined(separator: ".") + "."
            for assertion in [
                try stage.assertion(key: P256.Signing.PrivateKey()), try stage.assertion(key: stage.providerKey),
                try stage.assertion(header: #"{"alg":"none"}"#), try stage.assertion(header: #"{"alg":"HS256"}"#),
                unsigned, "x", "",
            ] {
                let answer = try await ask(stage, asserting(assertion))
                #expect(answer.error == "invalid_client")
            }
            var wrongType = asserting(good)
            wrongType["client_assertion_type"] = "jwt"
            #expect(try await ask(stage, wrongType).error == "invalid_client")
        }
    }

    @Test("a secret proves a client, in the header or in the form, but not in both")
    func secret() async throws {
        try await Stage.with { stage in
            let basic = "Basic " + Data("other:s%3Acret%2F%2B".utf8).base64EncodedString()
            let header = try await ask(stage, [:], headers: [("authorization", basic)])
            #expect(header.error == "invalid_grant")
            let form = ["client_id": "other", "client_secret": "s:cret/+"]
            #expect(try await ask(stage, form).error == "invalid_grant")
            #expect(try await ask(stage, form, headers: [("authorization", basic)]).error == "invalid_request")
        }
    }

    @Test("a wrong secret, none, and a method that isn't the client's are refused")
    func wrongSecrets() async throws {
        try await Stage.with { stage in
            let wrong = try await ask(stage, ["client_id": "other", "client_secret": "wrong"])
            #expect(wrong.status == 401 && wrong.fields["www-authenticate"].isEmpty)
            let basic = "Basic " + Data("other:wrong".utf8).base64EncodedString()
            let header = try await ask(stage, [:], headers: [("authorization", basic)])
            #expect(header.status == 401 && !header.fields["www-authenticate"].isEmpty)
            for form in [
                [:], ["client_id": "other"], ["client_id": "portal"], ["client_id": "portal", "client_secret": ""],
                ["client_id": "portal", "client_secret": "s:cret/+"],
            ] as [[String: String]] {
                #expect(try await ask(stage, form).error == "invalid_client")
            }
            let other = try stage.assertion(["iss": "other", "sub": "other"])
            #expect(try await ask(stage, asserting(other)).error == "invalid_client")
        }
    }
}
