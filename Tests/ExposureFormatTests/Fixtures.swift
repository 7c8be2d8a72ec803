import ExposureFormat
import ExposureKeys
import FoundationEssentials
import TestSupport
import Testing

/// Committed files and fixed values of these tests.
enum Fixtures {
    /// The folder of this source file.
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    /// A module's schemas and what was generated from them.
    static func protobuf(of module: String) -> URL {
        folder.deletingLastPathComponent().deletingLastPathComponent().appending(
            path: "Shared/Formats/\(module)/Protobuf")
    }

    static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appending(path: "Fixtures").appending(path: name)))
    }

    static func text(_ name: String) throws -> String {
        String(decoding: try bytes(name), as: UTF8.self)
    }

    static func path(_ name: String) -> String {
        folder.appending(path: "Fixtures").appending(path: name).path
    }

    /// A message in JSON with a distinct value in every field.
    static func everyField(of message: StaticMessage) throws -> [UInt8] {
        try bytes("static/\(message.rawValue).json")
    }

    /// deploy/static.
    static let staticFolder =
        folder.deletingLastPathComponent().deletingLastPathComponent().appending(path: "deploy/static")

    /// A file of deploy/static, as distribution reads it in Germany.
    /// - Parameter path: in the tree, of its message.
    static func shipped(_ path: String) throws -> [UInt8] {
        let file = path.replacing("country/DE/", with: "country/ORIGIN/")
        let json = try Data(contentsOf: staticFolder.appending(path: "\(file).json"))
        return Array(json).replacing(#""ORIGIN""#.utf8, with: #""DE""#.utf8)
    }

    static let identity = SigningIdentity(appBundleID: "de.rki.coronawarnapp")

    /// A key for these tests only.
    static func signingKey() throws -> SigningKey {
        try SigningKey(pem: text("signing-key.pem"), identity: identity)
    }

    static func verificationKey() throws -> VerificationKey {
        try VerificationKey(pem: text("public-key.pem"))
    }

    /// 2020-06-30, 10:00 to 11:00 UTC.
    static let header = ExportHeader(hours: Hour(number: 442_642)..<Hour(number: 442_643), region: "DE")

    /// A file of keys, by the test key.
    static func export(_ keys: some Sequence<DiagnosisKey>, header: ExportHeader = header) throws -> KeyExport {
        try #require(try KeyExport.files(of: KeySet(keys), headers: [header], signers: [identity]).first)
    }

    /// Its `export.bin`, as an inflater finds it.
    static func encoded(_ export: KeyExport) throws -> [UInt8] {
        try SignedArchive.read(export.archive(signatures: [[]])).export
    }

    /// The file as it is published.
    static func zipped(_ export: KeyExport) throws -> [UInt8] {
        try export.archive(signatures: [signingKey().sign(encoded(export)).bytes])
    }

    /// One key per risk level, on two days, one of them used for less than a day; the same as in `golden.textproto`.
    static func goldenKeys() throws -> [DiagnosisKey] {
        try (1...8).map { level in
            try key(
                data: (0..<16).map { UInt8(truncatingIfNeeded: level * 29 + $0 * 15) },
                start: 2_654_208 + 144 * UInt32(level % 2), length: level == 5 ? 96 : 144, level: level)
        }
    }

    static func key(
        data: [UInt8], start: UInt32 = 2_654_208, length: UInt32 = 144, level: Int = 5,
        onset: Int32 = 4000, reportType: ReportType = .confirmedTest
    ) throws -> DiagnosisKey {
        DiagnosisKey(
            data: try #require(KeyData(data)),
            rollingPeriod: try #require(RollingPeriod(start: IntervalNumber(rawValue: start), length: length)),
            transmissionRiskLevel: try #require(TransmissionRiskLevel(rawValue: level)),
            daysSinceOnsetOfSymptoms: try #require(DaysSinceOnset(rawValue: onset)), reportType: reportType)
    }

    /// Keys of realistic uploads, the same for the same seed.
    static func keys(_ count: Int, seed: UInt64) throws -> [DiagnosisKey] {
        var random = SeededGenerator(seed: seed)
        return try (0..<count).map { _ in
            try key(
                data: (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) },
                start: 2_654_208 + 144 * UInt32.random(in: 0..<14, using: &random),
                length: Bool.random(using: &random) ? 144 : UInt32.random(in: 1...144, using: &random),
                level: Int.random(in: 1...8, using: &random), onset: Int32.random(in: -15...4000, using: &random),
                reportType: ReportType.allCases.randomElement(using: &random) ?? .unknown)
        }
    }
}
