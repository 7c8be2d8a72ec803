import CompactJOSE
import Crypto
import DeviceCheck
import Foundation
import TestSupport
import Testing

@Suite struct DeviceCheckKeyTests {
    @Test func `a token has ES256, the key's name, the team and the time, and nothing else`() throws {
        let text = try Sample.teamKey.token(at: Sample.now + 0.7)
        let token = try #require(CompactJWS(text, longest: 1000))
        let parts = text.split(separator: ".")
        let header = try #require(Base64URL.bytes(parts[0]))
        #expect(String(decoding: header, as: UTF8.self) == #"{"alg":"ES256","kid":"ABC123DEFG"}"#)
        #expect(String(decoding: token.payload, as: UTF8.self) == #"{"iat":1795521540,"iss":"A1B2C3D4E5"}"#)
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: token.signature)
        #expect(Sample.key.publicKey.isValidSignature(signature, for: token.signedBytes))
    }

    @Test func `another key, or another name, is refused`() {
        let pem = Sample.key.pemRepresentation
        let wrong: [(String, String, String)] = [
            ("", Sample.keyID, Sample.team), (Sample.key.publicKey.pemRepresentation, Sample.keyID, Sample.team),
            (P384.Signing.PrivateKey().pemRepresentation, Sample.keyID, Sample.team),
            (Sample.key.derRepresentation.base64EncodedString(), Sample.keyID, Sample.team),
            (pem, "ABC123DEF", Sample.team), (pem, "ABC123DEFGH", Sample.team), (pem, "abc123defg", Sample.team),
            (pem, "ABC123DEF\"", Sample.team), (pem, "", Sample.team), (pem, Sample.keyID, ""),
            (pem, Sample.keyID, "A1B2C3D4Eé"), (pem, Sample.keyID, "A1B2C3D4E5\n"),
        ]
        for (pem, keyID, team) in wrong {
            #expect(throws: UnusableDeviceCheckKey()) { try DeviceCheckKey(pem: pem, keyID: keyID, team: team) }
        }
    }

    @Test func `no text of a key or of the error reveals it`() throws {
        let key = try Sample.teamKey
        let secret = Sample.key.pemRepresentation.split(separator: "\n")[1].prefix(40)
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), "\([key])", dumped] {
            #expect(text.contains("key for DeviceCheck"))
            #expect(!text.contains(secret))
        }
        #expect("\(UnusableDeviceCheckKey())".hasPrefix("This is not a private key"))
    }
}

/// A library that shares no code with this project reads the token.
@Suite(.heavy, .timeLimit(.minutes(5)), .enabled(if: TestPython.isAvailable, "VIGIL_TEST_PYTHON is not set"))
struct IndependentTokenTests {
    @Test func `jwcrypto accepts the token`() async throws {
        try await withScratchFolder { folder in
            let folder = URL(filePath: folder)
            try Sample.key.publicKey.pemRepresentation.write(
                to: folder.appending(path: "key.pem"), atomically: true, encoding: .utf8)
            try Sample.teamKey.token(at: Sample.now).write(
                to: folder.appending(path: "token"), atomically: true, encoding: .utf8)
            let process = try TestPython.process(
                "../PlayIntegrityTests/Independent/tokens.py", ["jwt", "key.pem", "token"])
            process.currentDirectoryURL = folder
            let output = Pipe()
            process.standardOutput = output
            try process.start()
            let text = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0)
            struct Read: Decodable, Equatable {
                let alg: String
                let kid: String
                let iss: String
                let iat: Int
            }
            #expect(
                try JSONDecoder().decode(Read.self, from: text)
                    == Read(alg: "ES256", kid: Sample.keyID, iss: Sample.team, iat: 1_795_521_540))
        }
    }
}
