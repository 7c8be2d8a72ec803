import Credentials
import Foundation
import HTTPContract
import HTTPTypes
import Running
import TestSupport
import Testing
import VerificationAPI
import VerificationServer

@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct OfficerTests {
    private static let path = "/version/v1/tan/teletan"

    /// Sends a request as the portal; nil omits a field.
    private func ask(_ authorization: String?, type: String? = nil, on stage: VerificationStage) async throws
        -> RawAnswer
    {
        var fields: [String: String] = [:]
        fields["authorization"] = authorization
        fields["x-cwa-teletan-type"] = type
        return try await stage.rawPortal(.portal) { try await $0.send("POST", Self.path, fields: fields) }
    }

    /// The officer's roles, the requested kind, the answer.
    private static let roles: [(String, String?, Int)] = [
        (#"["c19hotline"]"#, nil, 201), (#"["c19hotline"]"#, "TEST", 201), (#"["c19hotline"]"#, "EVENT", 401),
        (#"["c19hotline_event"]"#, nil, 401), (#"["c19hotline_event"]"#, "TEST", 401),
        (#"["c19hotline_event"]"#, "EVENT", 201), (#"["c19healthauthority"]"#, "TEST", 401),
        (#"["offline_access","c19hotline","c19hotline_event"]"#, "EVENT", 201), ("[]", "TEST", 401),
        (#"["C19HOTLINE"]"#, "TEST", 401), (#"["c19hotline"]"#, "OTHER", 400), (#"["c19hotline"]"#, "test", 400),
    ]

    @Test("a role allows its kind of teleTAN and no other; the default kind is TEST")
    func roleAndKind() async throws {
        try await VerificationStage.run { stage in
            for (roles, kind, status) in Self.roles {
                var claims = OfficerTokens.Claims()
                claims.roles = roles
                let answer = try await ask("Bearer \(try stage.officers.token(claims))", type: kind, on: stage)
                #expect(answer.status == status, "\(roles) \(kind ?? "-")")
            }
            #expect(try await stage.counts()["tele_tan"] == Self.roles.count { $0.2 == 201 })
        }
    }

    /// An officer's token, valid or invalid.
    private struct Token: Sendable {
        let name: String
        let token: @Sendable (OfficerTokens) throws -> String

        init(_ name: String, _ token: @escaping @Sendable (OfficerTokens) throws -> String) {
            self.name = name
            self.token = token
        }

        init(_ name: String, claims change: @escaping @Sendable (inout OfficerTokens.Claims) -> Void) {
            self.init(name) { officers in
                var claims = OfficerTokens.Claims()
                change(&claims)
                return try officers.token(claims)
            }
        }

        init(_ name: String, header: String, _ signature: OfficerTokens.Signature = .right) {
            self.init(name) { try $0.token(header: header, signature: signature) }
        }
    }

    private static let refused: [Token] = [
        Token("another issuer") { $0.iss = "\"https://identity.test/realms/other\"" },
        Token("an issuer with a slash more") { $0.iss = "\"\(OfficerTokens.issuer)/\"" },
        Token("no issuer") { $0.iss = nil },
        Token("a list of issuers") { $0.iss = "[\"\(OfficerTokens.issuer)\"]" },
        Token("another audience") { $0.aud = "\"account\"" },
        Token("other audiences") { $0.aud = #"["account","portal"]"# },
        Token("no audience") { $0.aud = nil },
        Token("an empty list of audiences") { $0.aud = "[]" },
        Token("an audience that is a number") { $0.aud = "7" },
        Token("no expiry") { $0.exp = nil },
        Token("expired, and the clocks' difference used up") { $0.exp = -60 },
        Token("expired long ago") { $0.exp = -86_400 },
        Token("valid from a time that is too far in the future") { $0.nbf = 61 },
        Token("no roles") { $0.roles = nil },
        Token("no subject") { $0.sub = nil },
        Token("an empty subject") { $0.sub = "\"\"" },
        Token("roles that are a string") { $0.roles = "\"c19hotline\"" },
        Token("another key", header: #"{"alg":"ES256","kid":"sig-1"}"#, .foreign),
        Token("the other key of the set", header: #"{"alg":"ES256","kid":"sig-1"}"#, .second),
        Token("no kid", header: #"{"alg":"ES256"}"#),
        Token("an empty kid", header: #"{"alg":"ES256","kid":""}"#),
        Token("an unknown kid", header: #"{"alg":"ES256","kid":"sig-3"}"#),
        Token("the kid of the key to encrypt with", header: #"{"alg":"RS256","kid":"enc-1"}"#),
        Token("no signature", header: #"{"alg":"ES256","kid":"sig-1"}"#, .none),
        Token("alg none", header: #"{"alg":"none","kid":"sig-1"}"#, .none),
        Token("alg none without kid", header: #"{"alg":"none"}"#, .none),
        Token("HS256 with the public key as PEM", header: #"{"alg":"HS256","kid":"sig-1"}"#, .publicKey(.pem)),
        Token("HS256 with the public key as DER", header: #"{"alg":"HS256","kid":"sig-1"}"#, .publicKey(.der)),
        Token("HS256 with the public point", header: #"{"alg":"HS256","kid":"sig-1"}"#, .publicKey(.point)),
        Token("HS256 with x as it is published", header: #"{"alg":"HS256","kid":"sig-1"}"#, .publicKey(.x)),
        Token("HS256 with the RSA key as PEM", header: #"{"alg":"HS256","kid":"sig-rsa"}"#, .publicKey(.rsaPEM)),
        Token("HS256 with the modulus", header: #"{"alg":"HS256","kid":"sig-rsa"}"#, .publicKey(.modulus)),
        Token("RS256 by the key to encrypt with", header: #"{"alg":"RS256","kid":"enc-2"}"#, .rsa),
        Token("PS256 by the RSA key", header: #"{"alg":"PS256","kid":"sig-rsa"}"#, .rsaPSS),
        Token("PSS that says RS256", header: #"{"alg":"RS256","kid":"sig-rsa"}"#, .rsaPSS),
        Token("RS256 by the name of an elliptic key", header: #"{"alg":"RS256","kid":"sig-1"}"#, .rsa),
        Token("ES256 that says RS256", header: #"{"alg":"RS256","kid":"sig-1"}"#),
        Token("a header without alg", header: #"{"kid":"sig-1"}"#),
        Token("RS256 by an elliptic key without alg", header: #"{"alg":"RS256","kid":"sig-none"}"#, .rsa),
        Token("a kid that is a number", header: #"{"alg":"ES256","kid":7}"#),
        Token("a critical extension", header: #"{"alg":"ES256","kid":"sig-1","crit":["exp"]}"#),
        Token("its own key in the header", header: #"{"alg":"ES256","jwk":{"kty":"EC"},"jku":"https://evil.test"}"#),
        Token("a header that is no JSON", header: "ES256"),
        Token("claims that are no JSON") {
            try $0.token(json: "claims", header: #"{"alg":"ES256","kid":"sig-1"}"#, signature: .right)
        },
        Token("one character of the claims changed") { officers in
            var parts = try officers.token().split(separator: ".").map(String.init)
            parts[1] = parts[1].hasPrefix("f") ? "e\(parts[1].dropFirst())" : "f\(parts[1].dropFirst())"
            return parts.joined(separator: ".")
        },
        Token("two parts") { try $0.token().split(separator: ".").prefix(2).joined(separator: ".") },
        Token("four parts") { "\(try $0.token()).e30" },
        Token("two dots") { _ in ".." },
        Token("garbage") { _ in "garbage" },
        Token("bytes that aren't base64") { _ in "!!!.???.***" },
    ]

    @Test("an invalid token is refused")
    func opensNothing() async throws {
        try await VerificationStage.run { stage in
            for token in Self.refused {
                let answer = try await ask("Bearer \(try token.token(stage.officers))", on: stage)
                #expect(answer.status == 401, "\(token.name)")
                #expect(answer.body.isEmpty)
            }
            #expect(try await stage.rows().isEmpty)
        }
    }

    private static let accepted: [Token] = [
        Token("as Keycloak makes them") { try $0.token() },
        Token("our name among the audiences") { $0.aud = #"["account","verification-server"]"# },
        Token("the second key of the set", header: #"{"alg":"ES256","kid":"sig-2"}"#, .second),
        Token("signed with RS256", header: #"{"alg":"RS256","typ":"JWT","kid":"sig-rsa"}"#, .rsa),
        Token("by a key that names no algorithm", header: #"{"alg":"ES256","kid":"sig-none"}"#),
        Token("expired by less than the clocks may differ") { $0.exp = -59 },
        Token("valid from a time that the clocks may differ by") { $0.nbf = 60 },
        Token("without a time from which it is valid") { $0.nbf = nil },
    ]

    @Test("a valid token receives a teleTAN")
    func opens() async throws {
        try await VerificationStage.run { stage in
            for token in Self.accepted {
                let answer = try await ask("Bearer \(try token.token(stage.officers))", on: stage)
                #expect(answer.status == 201, "\(token.name)")
                let value = try #require(answer.body.firstMatch(of: /"value":"([2-9A-Z]{10})"/))
                #expect(TeleTAN(value.1) != nil)
            }
            #expect(try await stage.counts()["tele_tan"] == Self.accepted.count)
        }
    }

    @Test("without a bearer token the request is malformed")
    func noToken() async throws {
        let fields = [nil, "", "Bearer", "Basic b2ZmaWNlcjpzZWNyZXQ=", "eyJhbGciOiJub25lIn0.e30."]
        try await VerificationStage.run { stage in
            for field in fields {
                let answer = try await ask(field, on: stage)
                #expect(answer.status == 400, "\(field ?? "no field")")
            }
            #expect(try await stage.rows().isEmpty)
        }
    }

    @Test("a token that expires while it is in use is refused")
    func expires() async throws {
        try await VerificationStage.run { stage in
            let token = "Bearer \(try stage.officers.token())"
            stage.clock.advance(by: 359)
            #expect(try await ask(token, on: stage).status == 201)
            stage.clock.advance(by: 1)
            #expect(try await ask(token, on: stage).status == 401)
        }
    }

    @Test("no more teleTANs are issued in an hour than configured")
    func limit() async throws {
        try await VerificationStage.run(settings: ["teleTAN.hourlyLimit": "3"]) { stage in
            var claims = OfficerTokens.Claims()
            claims.exp = 86_400
            let token = "Bearer \(try stage.officers.token(claims))"
            for _ in 0..<3 {
                #expect(try await ask(token, on: stage).status == 201)
                stage.clock.advance(by: 60)
            }
            let refused = try await ask(token, on: stage)
            #expect(refused.status == 429)
            #expect(refused.body.isEmpty)
            // A caller without a valid token doesn't learn it.
            #expect(try await ask("Bearer x", on: stage).status == 401)
            #expect(try await stage.counts()["tele_tan"] == 3)
            // The first was made an hour ago.
            stage.clock.set(VerificationStage.start + 3600)
            #expect(try await ask(token, on: stage).status == 201)
            #expect(try await ask(token, on: stage).status == 429)
        }
    }

    @Test("the simulated identity provider is an error at start, if callers from other machines reach the suite")
    func simulatedProvider() async throws {
        let settings = ["officers.issuer": "https://development-identity:8080", "published.addresses": "0.0.0.0"]
        let problem = await #expect(throws: ConfigurationProblem.self) {
            try await VerificationStage.run(settings: settings) { _ in }
        }
        #expect(problem?.description.contains("officers.issuer names the simulated identity provider") == true)
    }

    @Test(
        "a key set without a usable key is an error at start",
        arguments: [
            "", "{}", #"{"keys":[]}"#, #"{"keys":[{"kty":"EC","crv":"P-256","alg":"ES256","x":"AA","y":"AA"}]}"#,
            #"{"keys":[{"kty":"RSA","kid":"e","use":"enc","alg":"RSA-OAEP","n":"AQAB","e":"AQAB"}]}"#,
            #"{"keys":[{"kty":"RSA","kid":"short","use":"sig","alg":"RS256","n":"AQAB","e":"AQAB"}]}"#,
            #"{"keys":[{"kty":"oct","kid":"secret","use":"sig","alg":"HS256","k":"AQAB"}]}"#,
        ])
    func noKeys(set: String) async throws {
        let path = URL.temporaryDirectory.appending(path: "officers-\(UUID().uuidString)").path
        try Data(set.utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let problem = await #expect(throws: ConfigurationProblem.self) {
            try await VerificationStage.run(settings: ["officers.keys": path]) { _ in }
        }
        #expect(problem?.description.contains("officers.keys") == true)
    }
}
