import DevelopmentSuite
import Foundation
import JWTKit
import TestSupport
import Testing
import Vigil

@Suite("Officers' tokens")
struct OfficerIssuerTests {
    private struct Claims: JWTPayload {
        struct RealmAccess: Codable {
            let roles: [String]
        }

        let iss: String
        let aud: AudienceClaim
        let exp: Double
        let nbf: Double
        let preferred_username: String
        let realm_access: RealmAccess

        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    @Test("verify against the published key set, by key id", arguments: OfficerIssuer.OfficerRole.allCases)
    func verifies(role: OfficerIssuer.OfficerRole) async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            try folder.prepare()
            try SuiteSecrets.prepare(in: folder)
            let issuer = try OfficerIssuer(in: folder, issuer: "https://localhost:8080")
            let instant = Date(timeIntervalSince1970: 1_800_000_000.75)
            let token = try await issuer.token(role: role, at: instant, lifetime: 300)

            let keySet = try #require(try folder.read(SuiteSecrets.officerKeysFile(in: folder)))
            let claims = try await JWTKeyCollection().add(jwksJSON: keySet).verify(token, as: Claims.self)
            #expect(claims.iss == "https://localhost:8080")
            #expect(claims.aud.value == [OfficerIssuer.audience])
            #expect(claims.nbf == 1_800_000_000)
            #expect(claims.exp == 1_800_000_300)
            #expect(claims.realm_access.roles == [role.rawValue])
        }
    }

    @Test("of another issuer do not verify")
    func refusesOthers() async throws {
        try await withScratchFolder { scratch in
            let (own, other) = (StateFolder("\(scratch)/own"), StateFolder("\(scratch)/other"))
            try own.prepare()
            try other.prepare()
            let token = try await OfficerIssuer(in: other, issuer: "https://localhost:8080").token(
                role: .test, at: Date(), lifetime: 300)
            try SuiteSecrets.prepare(in: own)
            let keySet = try #require(try own.read(SuiteSecrets.officerKeysFile(in: own)))
            let keys = try await JWTKeyCollection().add(jwksJSON: keySet)
            await #expect(throws: (any Error).self) { try await keys.verify(token, as: Claims.self) }
        }
    }
}
