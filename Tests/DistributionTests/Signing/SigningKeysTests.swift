import Crypto
import ExposureFormat
import Foundation
import Running
import Testing

@testable import Distribution

@Suite("The setting signing.keys")
struct SigningKeysTests {
    private let key = P256.Signing.PrivateKey()

    /// Calls with the path of a file that holds a text.
    private func withFile(_ text: String, mode: Int = 0o600, _ body: (String) throws -> Void) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "vigil-key-\(UUID().uuidString)")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        try body(file.path)
    }

    private func sentence(_ keys: String) -> String? {
        do {
            _ = try Signing(Settings(["signing.keys": keys]))
            return nil
        } catch {
            return (error as? ConfigurationProblem)?.description
        }
    }

    @Test("lists keys in order, with the apps' bundle identifier")
    func order() throws {
        try withFile(key.pemRepresentation) { path in
            let settings = Settings([
                "signing.keys": "262/v_2=\(path), 310/V1=\(path)", "signing.bundleID": "org.example.app",
            ])
            let signing = try Signing(settings)
            #expect(signing.identities.map(\.keyID) == ["262", "310"])
            #expect(signing.identities.map(\.keyVersion) == ["v_2", "V1"])
            #expect(signing.identities.map(\.appBundleID) == ["org.example.app", "org.example.app"])
            #expect(signing.verificationKeys.map(\.pem) == Array(repeating: key.publicKey.pemRepresentation, count: 2))
        }
    }

    @Test("at least one key must be named, and ten at most")
    func count() throws {
        #expect(sentence("")?.hasPrefix("signing.keys is not set") == true)
        try withFile(key.pemRepresentation) { path in
            let keys = (1...11).map { "262/v\($0)=\(path)" }
            #expect(sentence(keys.prefix(10).joined(separator: ",")) == nil)
            #expect(sentence(keys.joined(separator: ","))?.contains("has 11 keys") == true)
        }
    }

    @Test("no two keys have the same name")
    func twice() throws {
        try withFile(key.pemRepresentation) { path in
            #expect(sentence("262/v1=\(path),262/v1=\(path)")?.contains("has 262/v1 twice") == true)
            #expect(sentence("262/v1=\(path),262/v2=\(path),263/v1=\(path)") == nil)
        }
    }

    @Test(
        "an invalid entry is refused, and the error doesn't repeat it",
        arguments: [
            "secret.pem", "262=secret.pem", "/v1=secret.pem", "262/=secret.pem", "262/v1=", "262/v1/x=secret.pem",
            "262/v 1=secret.pem", "262/v-1=secret.pem", "26²/v1=secret.pem", "262/v1é=secret.pem",
        ])
    func malformed(entry: String) {
        let sentence = self.sentence(entry)
        #expect(sentence?.contains("ID/VERSION=WHERE") == true)
        #expect(sentence?.contains("secret.pem") == false)
    }

    @Test("an invalid URI is reported without repeating it")
    func uriFlaw() {
        let sentence = self.sentence("262/v1=pkcs11:token=t;object=o?module-path=/m&pin-value=4711")
        #expect(sentence?.contains("262/v1") == true)
        #expect(sentence?.contains("pin-source") == true)
        #expect(sentence?.contains("4711") == false)
    }

    @Test("a private key that others can use is refused", arguments: [0o601, 0o602, 0o604, 0o644, 0o666])
    func openFiles(mode: Int) throws {
        try withFile(key.pemRepresentation, mode: mode) { path in
            #expect(sentence("262/v1=\(path)")?.contains("run chmod 600 \(path)") == true)
        }
    }

    @Test("a private key that its group can change is refused; one that the group can only read is accepted")
    func groupFiles() throws {
        for mode in [0o620, 0o660] {
            try withFile(key.pemRepresentation, mode: mode) { path in
                #expect(sentence("262/v1=\(path)")?.contains("run chmod g-w \(path)") == true)
            }
        }
        for mode in [0o400, 0o440, 0o600, 0o640] {
            try withFile(key.pemRepresentation, mode: mode) { path in
                #expect(sentence("262/v1=\(path)") == nil)
            }
        }
    }

    @Test("a file without a P-256 private key is refused, and its content isn't shown")
    func otherFiles() throws {
        let others = [
            "nonsense", "", key.publicKey.pemRepresentation, P384.Signing.PrivateKey().pemRepresentation,
            String(repeating: "x", count: 70_000),
        ]
        for content in others {
            try withFile(content) { path in
                let sentence = try #require(self.sentence("262/v1=\(path)"))
                #expect(sentence.contains("262/v1"))
                #expect(sentence.contains("name the right file"))
            }
        }
        // Opening a pipe for reading would wait for a writer.
        let pipe = FileManager.default.temporaryDirectory.appending(path: "vigil-pipe-\(UUID().uuidString)").path
        #expect(mkfifo(pipe, 0o600) == 0)
        defer { unlink(pipe) }
        for path in ["/nonexistent", pipe, FileManager.default.temporaryDirectory.path, "/dev/zero"] {
            #expect(sentence("262/v1=\(path)")?.contains("\(path) can't be read") == true)
        }
    }
}
