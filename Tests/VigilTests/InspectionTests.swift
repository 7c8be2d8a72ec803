import Crypto
import ExposureFormat
import ExposureKeys
import Foundation
import TestSupport
import Testing
import Venues

@testable import Vigil

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

    /// An archive with other content than keys.
    private static func archive(_ export: [UInt8], signer: String = "de.rki.coronawarnapp-dev") throws -> [UInt8] {
        let signature = try key.signature(for: SHA256.hash(data: export)).derRepresentation
        let identity = SigningIdentity(appBundleID: signer)
        return try SignedArchive(
            export: export, signatures: [ArchiveSignature(identity: identity, batch: .only, bytes: Array(signature))]
        ).zipped()
    }

    @Test("says what a bundle of venue reports holds, and refuses one that is damaged")
    func venueReports() async throws {
        let reports = try (0..<3).map { try #require(VenueReport([UInt8](repeating: $0, count: 57))) }
        let bundle = try VenueReportPackage(containing: Hour(number: 498_551), reports: reports).bundle()
        let signature = try Self.key.signature(for: SHA256.hash(data: bundle)).derRepresentation
        let identity = SigningIdentity(appBundleID: "de.rki.coronawarnapp-dev")
        let file = try VenueReportPackage.file(
            of: bundle, signatures: [ArchiveSignature(identity: identity, batch: .only, bytes: Array(signature))])
        let path = "version/v1/venue-reports/498550"
        try await inspecting(file, path: path, with: Self.key.publicKey) { inspect in
            let text = try inspect()
            #expect(
                text == """
                    content    venue reports
                    window     2026-11-15T22:00:00Z to 2026-11-16T00:00:00Z
                    reports    3
                    bytes      \(bundle.count)
                    \(Self.signed)
                    """)
        }
        try await inspecting(Array(file.dropLast()), path: path, with: Self.key.publicKey) { inspect in
            #expect(throws: (any Error).self) { try inspect() }
        }
    }

    private static let signed = "signature  de.rki.coronawarnapp-dev, key 262 v1: The signature matches."

    @Test("says what check-in reports, messages and lists hold, by their path")
    func others() async throws {
        let reports = try (0..<3).map { try #require(CheckInReport([UInt8](repeating: $0, count: 96))) }
        let package = ReportPackage(hour: Hour(number: 498_551), region: "DE", reports: reports)
        let cases: [(path: String, export: [UInt8], text: String)] = [
            (
                "version/v2/twp/country/DE/hour/498551", try package.encoded(),
                """
                content    check-in reports
                hour       2026-11-15T23:00:00Z
                region     DE
                reports    3
                bytes      \(try package.encoded().count)
                """
            ),
            (
                "version/v1/stats", try StaticMessage.statistics.encode(json: Array(#"{"cardIdSequence": [1]}"#.utf8)),
                """
                content    Statistics
                bytes      3
                value      {"cardIdSequence":[1]}
                rules      The apps take it.
                """
            ),
            (
                "version/v1/ehn-dgc/onboarded-countries", [0x81, 0x62] + Array("de".utf8),
                """
                content    onboarded countries
                bytes      4
                value      ["de"]
                rules      [0] must be a country of two capital letters.
                """
            ),
            (
                "version/v1/else", [1, 2],
                """
                content    unknown for the path version/v1/else
                bytes      2
                """
            ),
        ]
        for (path, export, text) in cases {
            try await inspecting(try Self.archive(export), path: path, with: Self.key.publicKey) { inspect in
                let found = try inspect()
                #expect(found == text + "\n" + Self.signed)
            }
        }
        try await inspecting(try Self.archive([]), with: Self.key.publicKey) { inspect in
            let found = try inspect()
            #expect(found.hasPrefix("content    not keys; give --path"))
        }
        try await inspecting([], path: "version/v2/twp/country/DE/hour/498550", with: nil) { inspect in
            let found = try inspect()
            #expect(found == "content    an hour without check-in reports")
        }
    }

    @Test("bytes that don't belong at the path are refused")
    func elsewhere() async throws {
        for path in [
            "version/v1/stats", "version/v2/twp/country/DE/hour/1", "version/v1/ccl/config-v3",
            "version/v1/diagnosis-keys/country/DE/date/2026-11-20",
        ] {
            try await inspecting(try Self.archive([0xFF, 0xFF]), path: path, with: Self.key.publicKey) { inspect in
                let refusal = #expect(throws: CommandFailure.self) { try inspect() }
                #expect(refusal?.exitStatus == 1)
            }
        }
    }

    @Test("the same as JSON, with the whole content")
    func json() async throws {
        struct Keys: Decodable, Equatable {
            let window: [String: String]
            let region: String
            let keys: Int
            let batch: [String: Int]
            let signatures: [[String: JSONValue]]
        }
        try await inspecting(try Self.archive(), with: Self.key.publicKey, as: \.json) { inspect in
            let found = try JSONDecoder().decode(Keys.self, from: Data(inspect().utf8))
            #expect((found.region, found.keys, found.batch) == ("DE", 0, ["number": 1, "size": 1]))
            #expect(found.window == ["start": "2026-11-21T13:00:00Z", "end": "2026-11-21T15:00:00Z"])
            #expect(found.signatures.map { $0["matches"] } == [.bool(true)])
        }
        let rules = try StaticList.certificateRules.encode(json: Array(#"[{"Identifier": "a", "x": [1.5]}]"#.utf8))
        let path = "version/v1/booster-notification-rules"
        try await inspecting(try Self.archive(rules), path: path, with: nil, as: \.json) { inspect in
            let found = try JSONDecoder().decode([String: JSONValue].self, from: Data(inspect().utf8))
            #expect(found["value"] == .array([.object(["Identifier": .text("a"), "x": .array([.number(1.5)])])]))
            #expect(found["rules"] == .array([]))
        }
    }

    @Test("what could upset a terminal is replaced, in the text and in JSON")
    func printable() async throws {
        let evil = try Self.archive([], signer: "a\u{1B}[2Jb\n\u{202E}")
        try await inspecting(evil, with: Self.key.publicKey) { inspect in
            let found = try inspect()
            #expect(found.hasSuffix("signature  a?[2Jb??, key 262 v1: The signature matches."))
        }
        try await inspecting(evil, with: nil, as: \.json) { inspect in
            let text = try inspect()
            #expect(text.allSatisfy { $0.isASCII && ($0 >= " " || $0 == "\n") })
            let found = try JSONDecoder().decode([String: JSONValue].self, from: Data(text.utf8))
            guard case .array(let signatures)? = found["signatures"], case .object(let first)? = signatures.first else {
                return #expect(Bool(false))
            }
            #expect(first["app"] == .text("a\u{1B}[2Jb\n\u{202E}"))
        }
    }

    @Test("whatever bytes stand at whatever path, there is a description or a sentence")
    func mutations() async throws {
        var randomness = SeededGenerator(seed: 0x696E_7370)
        let archive = Data(
            try Self.archive(StaticList.certificateLogic.encode(json: Array(#"[{"Identifier": "a"}]"#.utf8))))
        for path in ["version/v1/ccl/config-v3", "version/v1/stats", "version/v2/twp/country/DE/hour/1"] {
            for _ in 0..<50 {
                let bytes = Array(archive.mutated(using: &randomness))
                try await inspecting(bytes, path: path, with: nil) { inspect in
                    do {
                        let found = try inspect()
                        #expect(!found.isEmpty)
                    } catch let failure as CommandFailure {
                        #expect(failure.description.hasSuffix("."))
                    }
                }
            }
        }
    }

    @Test(
        "the path is the file's name from its last folder version on",
        arguments: [
            ("published/version/v1/stats", "version/v1/stats"),
            ("/version/x/version/v2/twp/country/DE/hour/1", "version/v2/twp/country/DE/hour/1"),
            (
                "a/version/v1/diagnosis-keys/country/DE/date/2026-11-20/index",
                "version/v1/diagnosis-keys/country/DE/date/2026-11-20"
            ),
            ("version", nil), ("stats.zip", nil), ("", nil),
        ])
    func paths(file: String, path: String?) {
        #expect(PublishedPath(in: file)?.path == path)
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
        _ archive: [UInt8], path: String? = nil, with publicKey: P256.Signing.PublicKey?,
        as form: @escaping (Inspection) -> String = \.text, _ body: (() throws -> String) throws -> Void
    ) async throws {
        try await withScratchFolder { scratch in
            try Data(archive).write(to: URL(filePath: "\(scratch)/file.zip"))
            if let publicKey {
                try Data(publicKey.pemRepresentation.utf8).write(to: URL(filePath: "\(scratch)/key.pem"))
            }
            try body {
                form(
                    try Inspection(
                        file: "\(scratch)/file.zip", path: path,
                        publicKeyFile: publicKey == nil ? nil : "\(scratch)/key.pem"))
            }
        }
    }
}
