import DevelopmentAttestation
import Foundation
import PlayIntegrity
import TestSupport
import Testing

/// Tokens by libraries that share no code with this project (`tokens.py`), and the other way round.
@Suite(.heavy, .timeLimit(.minutes(5)), .enabled(if: TestPython.isAvailable, "VIGIL_TEST_PYTHON is not set"))
struct IndependentTokenTests {
    private struct Made: Decodable {
        let decryption: String
        let verification: String
        let good: [String: String]
        let bad: [String: String]
    }

    /// What the script prints, if it succeeds.
    private static func run(_ arguments: [String], in folder: URL) throws -> Data {
        let process = try TestPython.process("../PlayIntegrityTests/Independent/tokens.py", arguments)
        process.currentDirectoryURL = folder
        let output = Pipe()
        process.standardOutput = output
        try process.start()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return text
    }

    @Test func `tokens by jwcrypto are read, and those with other algorithms aren't`() async throws {
        let payload = Data(try Sample.verdict().json)
        try await withScratchFolder { folder in
            let folder = URL(filePath: folder)
            try payload.write(to: folder.appending(path: "payload"))
            let made = try JSONDecoder().decode(Made.self, from: Self.run(["make", "payload"], in: folder))
            let keys = try PlayIntegrityKeys(decryption: made.decryption, verification: made.verification)
            #expect(made.good.count == 3)
            for (name, token) in made.good {
                let verdict = try PlayIntegrityVerdict(classic: token, keys: keys)
                try Sample.policy().check(verdict, salt: Sample.salt, payload: Sample.payload, now: Sample.now)
                #expect(verdict.packageName == Sample.packageName, "\(name)")
            }
            #expect(made.bad.count == 16)
            for (name, token) in made.bad {
                #expect(throws: PlayIntegrityFlaw.self, "\(name)") {
                    try PlayIntegrityVerdict(classic: token, keys: keys)
                }
            }
        }
    }

    @Test func `jwcrypto reads what the simulated Google makes`() async throws {
        let payload = Data(try Sample.verdict().json)
        try await withScratchFolder { folder in
            let folder = URL(filePath: folder)
            let keys = ["decryption": Sample.mint.decryptionKey, "verification": Sample.mint.verificationKey]
            try JSONEncoder().encode(keys).write(to: folder.appending(path: "keys"))
            try Data(Sample.mint.token(Sample.verdict()).utf8).write(to: folder.appending(path: "token"))
            _ = try Self.run(["read", "keys", "token", "read"], in: folder)
            #expect(try Data(contentsOf: folder.appending(path: "read")) == payload)
        }
    }
}
