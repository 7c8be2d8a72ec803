package import Crypto
import Foundation

/// Software tokens, made with SoftHSM's and OpenSC's tools.
///
/// SoftHSM reads its configuration and its list of tokens once in a process's life, so all tests share these tokens, and tests
/// that change a token's state have one of their own. deploy/test.sh says where the tokens lie (SOFTHSM2_CONF)
/// and which module reaches them (VIGIL_TEST_SOFTHSM).
package struct SoftHSM: Sendable {
    /// Whether tests that need it should run.
    package static let isAvailable = environment["VIGIL_TEST_SOFTHSM"] != nil && environment["SOFTHSM2_CONF"] != nil
    private static let environment = ProcessInfo.processInfo.environment

    /// Made for the first test that needs them.
    package static let tokens = Result { try SoftHSM() }

    /// The module's file.
    package let module: String
    /// The key `imported` of the token `vigil`.
    package let imported: P256.Signing.PrivateKey
    private let folder: URL

    /// Of every token.
    package static let pin = "471108"

    /// A tool ended with an error.
    package struct ToolFailure: Error {
        let tool: String
        let words: String
    }

    private init() throws {
        module = Self.environment["VIGIL_TEST_SOFTHSM"] ?? ""
        imported = P256.Signing.PrivateKey()
        // Beside the configuration, with which deploy/test.sh removes it.
        folder = URL(filePath: Self.environment["SOFTHSM2_CONF"] ?? "").deletingLastPathComponent()
            .appending(path: "pins-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try write(Self.pin + "\n", to: pinFile, mode: 0o600)
        try write("999999\n", to: wrongPINFile, mode: 0o600)
        try write(Self.pin + "\n", to: openPINFile, mode: 0o644)

        for label in ["vigil", "guarded", "fragile", "changing", "double", "double"] {
            try Self.run(
                "softhsm2-util", ["--init-token", "--free", "--label", label, "--so-pin", "0815", "--pin", Self.pin])
        }
        for token in ["vigil", "guarded", "fragile", "changing"] {
            try generate("EC:prime256v1", "signing", id: "01", token: token)
        }
        try generate("EC:secp384r1", "curve384", id: "02")
        try generate("rsa:2048", "rsa", id: "03")
        try generate("rsa:3072", "rsa3072", id: "09")
        try generate("EC:prime256v1", "twin", id: "04")
        try generate("EC:prime256v1", "twin", id: "05")
        try generate("EC:prime256v1", "alone", id: "06")
        try token("vigil", ["--delete-object", "--type", "pubkey", "--id", "06"])
        try generate("EC:prime256v1", "mismatched", id: "08")
        try token("vigil", ["--delete-object", "--type", "pubkey", "--id", "08"])
        let stranger = folder.appending(path: "stranger.der")
        try P256.Signing.PrivateKey().publicKey.derRepresentation.write(to: stranger)
        try token("vigil", ["--write-object", stranger.path, "--type", "pubkey", "--id", "08"])
        let pem = folder.appending(path: "imported.pem").path
        try write(imported.pemRepresentation, to: pem, mode: 0o600)
        try Self.run(
            "softhsm2-util",
            ["--import", pem, "--token", "vigil", "--label", "imported", "--id", "07", "--pin", Self.pin])
    }

    /// Only its owner can read it.
    package var pinFile: String { folder.appending(path: "pin").path }
    /// Holds another PIN.
    package var wrongPINFile: String { folder.appending(path: "wrong-pin").path }
    /// Everybody can read it.
    package var openPINFile: String { folder.appending(path: "open-pin").path }

    /// The URI of a key, for the setting.
    package func uri(_ key: String, token: String = "vigil", pinFile: String? = nil) -> String {
        "pkcs11:token=\(token);\(key)?module-path=\(module)&pin-source=file:\(pinFile ?? self.pinFile)"
    }

    private func generate(_ type: String, _ label: String, id: String, token name: String = "vigil") throws {
        try token(name, ["--keypairgen", "--key-type", type, "--label", label, "--id", id])
    }

    private func token(_ name: String, _ arguments: [String]) throws {
        try Self.run(
            "pkcs11-tool", ["--module", module, "--token-label", name, "--login", "--pin", Self.pin] + arguments)
    }

    private func write(_ text: String, to path: String, mode: Int) throws {
        guard
            FileManager.default.createFile(
                atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: mode])
        else { throw ToolFailure(tool: "createFile", words: path) }
    }

    /// Runs a tool and returns its output.
    @discardableResult
    package static func run(_ tool: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [tool] + arguments
        process.standardInput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.start()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let words = String(decoding: output, as: UTF8.self)
        guard process.terminationStatus == 0 else { throw ToolFailure(tool: tool, words: words) }
        return words
    }
}
