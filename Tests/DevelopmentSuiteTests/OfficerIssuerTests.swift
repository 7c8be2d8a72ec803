import DevelopmentSuite
import Foundation
import TestSupport
import Testing
import Vigil

/// A library that shares no code with this project (`Tests/Python/verify_token.py`) reads the tokens.
@Suite("Officers' tokens", .enabled(if: TestPython.isAvailable, "VIGIL_TEST_PYTHON is not set"))
struct OfficerIssuerTests {
    private struct Token: Decodable {
        struct Header: Decodable {
            let alg: String
            let kid: String
        }

        struct Claims: Decodable {
            struct RealmAccess: Decodable {
                let roles: [String]
            }

            let iss: String
            let aud: String
            let exp: Double
            let nbf: Double
            let preferred_username: String
            let realm_access: RealmAccess
        }

        let header: Header
        let claims: Claims
    }

    /// Nil if the token doesn't verify.
    private static func verify(_ token: String, against keySet: String, in scratch: String) throws -> Token? {
        let folder = URL(filePath: scratch)
        try keySet.write(to: folder.appending(path: "keys.json"), atomically: true, encoding: .utf8)
        try token.write(to: folder.appending(path: "token"), atomically: true, encoding: .utf8)
        let process = try TestPython.process("verify_token.py", ["keys.json", "token"])
        process.currentDirectoryURL = folder
        let output = Pipe()
        process.standardOutput = output
        try process.start()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return nil }
        return try JSONDecoder().decode(Token.self, from: text)
    }

    @Test("verify against the published key set, by key id", arguments: OfficerIssuer.OfficerRole.allCases)
    func verifies(role: OfficerIssuer.OfficerRole) async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            try folder.prepare()
            try SuiteSecrets.prepare(in: folder)
            let issuer = try OfficerIssuer(in: folder, issuer: "https://localhost:8080")
            let instant = Date(timeIntervalSince1970: 1_800_000_000.75)
            let token = try issuer.token(role: role, at: instant, lifetime: 300)

            let keySet = try #require(try folder.read(SuiteSecrets.officerKeysFile(in: folder)))
            let verified = try #require(try Self.verify(token, against: keySet, in: scratch))
            #expect(verified.header.alg == "ES256")
            #expect(verified.claims.iss == "https://localhost:8080")
            #expect(verified.claims.aud == OfficerIssuer.audience)
            #expect(verified.claims.nbf == 1_800_000_000)
            #expect(verified.claims.exp == 1_800_000_300)
            #expect(verified.claims.realm_access.roles == [role.rawValue])
        }
    }

    @Test("of another issuer do not verify")
    func refusesOthers() async throws {
        try await withScratchFolder { scratch in
            let (own, other) = (StateFolder("\(scratch)/own"), StateFolder("\(scratch)/other"))
            try own.prepare()
            try other.prepare()
            let token = try OfficerIssuer(in: other, issuer: "https://localhost:8080").token(
                role: .test, at: Date(), lifetime: 300)
            try SuiteSecrets.prepare(in: own)
            let keySet = try #require(try own.read(SuiteSecrets.officerKeysFile(in: own)))
            #expect(try Self.verify(token, against: keySet, in: scratch) == nil)
        }
    }
}
