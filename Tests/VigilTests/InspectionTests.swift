import Crypto
import ExposureFormat
import ExposureKeys
import Foundation
import TestSupport
import Testing
import Vigil

@Suite("vigil inspect")
struct InspectionTests {
    private static let key = P256.Signing.PrivateKey()

    /// An archive of two hours without keys, 2026-11-21 from 13 to 15 o'clock.
    private static func archive() throws -> [UInt8] {
        let header = try #require(
            ExportHeader(startTimestamp: 1_795_266_000, endTimestamp: 1_795_273_200, region: "DE", batch: .only))
        let identity = SigningIdentity(appBundleID: "de.rki.coronawarnapp-dev")
        let files = try KeyExport.files(of: KeySet([]), headers: [header], signers: [identity])
        let export = try #require(files.first)
        return try export.archive(signatures: [Array(key.signature(for: export.digest).derRepresentation)])
    }

    @Test("says window, region, key count, batch and the signature's verdict")
    func describes() async throws {
        try await inspecting(try Self.archive(), with: Self.key.publicKey) { inspect in
            let text = try inspect()
            #expect(
                text == """
                    window     2026-11-21T13:00:00Z to 2026-11-21T15:00:00Z
                    region     DE
                    keys       0
                    batch      1 of 1
                    signature  de.rki.coronawarnapp-dev, key 262 v1: The signature matches.
                    """)
        }
    }

    @Test("without a public key says that nothing was checked")
    func unchecked() async throws {
        try await inspecting(try Self.archive(), with: nil) { inspect in
            let text = try inspect()
            #expect(text.contains("Not checked; give --public-key."))
        }
    }

    @Test("refuses another key's signature with status 1")
    func otherKey() async throws {
        try await inspecting(try Self.archive(), with: P256.Signing.PrivateKey().publicKey) { inspect in
            let refusal = #expect(throws: CommandFailure.self) { try inspect() }
            #expect(refusal?.exitStatus == 1)
            #expect(refusal?.description.contains("No signature matches export.bin") == true)
        }
    }

    @Test(
        "says what is damaged, with status 1",
        arguments: [
            ("cut off", "is not a ZIP archive, or it was cut off"),
            ("one bit in the middle", "export."),
            ("empty", "is not a ZIP archive, or it was cut off"),
            ("text", "is not a ZIP archive, or it was cut off"),
        ])
    func damaged(kind: String, words: String) async throws {
        var bytes = try Self.archive()
        switch kind {
        case "cut off": bytes.removeLast(30)
        case "one bit in the middle": bytes[bytes.count / 4] ^= 0x40
        case "empty": bytes = []
        default: bytes = Array("an exposure".utf8)
        }
        try await inspecting(bytes, with: Self.key.publicKey) { inspect in
            let refusal = #expect(throws: CommandFailure.self) { try inspect() }
            #expect(refusal?.exitStatus == 1)
            #expect(refusal?.description.contains(words) == true)
        }
    }

    @Test("says so if the file or the key can't be read")
    func unreadable() async throws {
        try await withScratchFolder { scratch in
            #expect(throws: CommandFailure.self) { try Inspection(file: "\(scratch)/none.zip", publicKeyFile: nil) }
            #expect(throws: CommandFailure.self) { try Inspection(file: scratch, publicKeyFile: nil) }
            #expect(throws: CommandFailure.self) {
                try Inspection(file: "\(scratch)/none.zip", publicKeyFile: "\(scratch)/none.pem")
            }
        }
    }

    private func inspecting(
        _ archive: [UInt8], with publicKey: P256.Signing.PublicKey?, _ body: (() throws -> String) throws -> Void
    ) async throws {
        try await withScratchFolder { scratch in
            try Data(archive).write(to: URL(filePath: "\(scratch)/file.zip"))
            if let publicKey {
                try Data(publicKey.pemRepresentation.utf8).write(to: URL(filePath: "\(scratch)/key.pem"))
            }
            try body {
                try Inspection(
                    file: "\(scratch)/file.zip", publicKeyFile: publicKey == nil ? nil : "\(scratch)/key.pem"
                ).text
            }
        }
    }
}
