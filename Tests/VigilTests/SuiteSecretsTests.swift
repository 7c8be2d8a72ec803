import Foundation
import Schema
import TestSupport
import Testing
import Vigil

@Suite("The secrets of a suite")
struct SuiteSecretsTests {
    @Test("are made once, each different, readable for the owner alone")
    func madeOnce() async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            try folder.prepare()
            try SuiteSecrets.prepare(in: folder)
            let first = try contents(of: folder)
            try SuiteSecrets.prepare(in: folder)
            #expect(try contents(of: folder) == first)
            #expect(Set(first.values).count == first.count)
            for name in first.keys {
                let attributes = try FileManager.default.attributesOfItem(atPath: folder.secret(name))
                #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
            }
        }
    }

    @Test("for keyed hashes are 32 bytes in hexadecimal", arguments: ["tan-key", "tele-tan-key", "tag-key"])
    func keys(name: String) async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            try folder.prepare()
            try SuiteSecrets.prepare(in: folder)
            let key = try #require(try folder.read(folder.secret(name)))
            #expect(key.count == 64 && key.allSatisfy { $0.isHexDigit })
        }
    }

    @Test("of login roles are in libpq's password files")
    func passwords() async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            try folder.prepare()
            let role = DatabaseRole.testResults.rawValue
            let password = try SuiteSecrets.password(of: role, in: folder)
            #expect(SuiteSecrets.passwordFile(of: role, in: folder) == folder.secret("pgpass-test-results"))
            #expect(try folder.read(folder.secret("pgpass-test-results")) == "*:*:*:\(role):\(password)")
            #expect(try SuiteSecrets.password(of: role, in: folder) == password)
        }
    }

    @Test("a signing key that is damaged is not silently replaced")
    func damagedKey() async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            try folder.prepare()
            try folder.write("nonsense\n", to: folder.secret(SuiteSecrets.signingKey))
            #expect(throws: CommandFailure.self) { try SuiteSecrets.prepareSigningKey(in: folder) }
        }
    }

    private func contents(of folder: StateFolder) throws -> [String: String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.secrets)
        return try Dictionary(
            uniqueKeysWithValues: names.map { ($0, try #require(try folder.read(folder.secret($0)))) })
    }
}
