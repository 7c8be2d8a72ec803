import ExposureFormat
import ExposureKeys
import Foundation
import Running
import TestSupport
import Testing

@testable import Distribution

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .heavy, .timeLimit(.minutes(15)))
struct StaticPublishingTests {
    private static let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let ios = "version/v2/app_config_ios"

    /// A stage whose static files are a copy of those that come with the project.
    private static func run(
        settings: [String: String] = [:], _ body: @Sendable (PublishingStage, _ folder: URL) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
        try FileManager.default.copyItem(at: checkout.appending(path: "deploy/static"), to: folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await PublishingStage.run(settings: settings.merging(["static": folder.path]) { $1 }) { stage in
            try await stage.foldEmpty(Samples.noon...Samples.noon)
            try await body(stage, folder)
        }
    }

    private static func export(_ stage: PublishingStage, _ path: String) throws -> [UInt8]? {
        guard let archive = try stage.files()[path] else { return nil }
        let opened = try SignedArchive.read(Array(archive))
        try opened.requireSignature(of: [stage.verificationKey])
        return opened.export
    }

    @Test(
        "the files in deploy/static are published and signed, with the index of countries, and keep their bytes"
    )
    func defaults() async throws {
        try await Self.run { stage, folder in
            try await stage.publish(through: Samples.noon)
            let files = try stage.files()
            for path in [
                Self.ios, "version/v2/app_config_android", "version/v1/app_config_ios", "version/v1/app_config_android",
                "version/v1/configuration/country/DE/app_config",
            ] {
                #expect(try Self.export(stage, path) != nil, "\(path)")
            }
            #expect(files["version/v1/configuration/country/index"] == Data(#"["DE"]"#.utf8))
            let flaws = try await stage.verify().flaws
            #expect(flaws == [])
            #expect(try await stage.publish(through: Samples.noon).changes == 0)
            try stage.removeTree()
            try await stage.publish(through: Samples.noon)
            let isSame = try stage.files() == files
            #expect(isSame)
        }
    }

    @Test("a configuration that contradicts the published levels isn't published", arguments: [1, 3, 5])
    func levels(lowest: Int) async throws {
        try await Self.run(settings: ["lowestRiskLevel": "\(lowest)"]) { stage, _ in
            let report = try await stage.publish(through: Samples.noon)
            #expect(report.refusedFiles == (lowest == 3 ? 0 : 4))
            #expect(try (Self.export(stage, Self.ios) != nil) == (lowest == 3))
        }
    }

    @Test("a changed file is published again, an invalid one keeps its archive, a removed one leaves the tree")
    func changes() async throws {
        try await Self.run { stage, folder in
            try await stage.publish(through: Samples.noon)
            let before = try #require(try Self.export(stage, Self.ios))
            let file = folder.appending(path: "\(Self.ios).json")
            let text = try String(contentsOf: file, encoding: .utf8)

            // Any bytes of the contract, and a change.
            let list = folder.appending(path: "version/v1/other.bin")
            try FileManager.default.createDirectory(
                at: list.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data([1, 2, 3]).write(to: list)
            let country = #""supportedCountries": ["#
            try #require(text.contains(country))
            try Data(text.replacing(country, with: country + #""AT", "#).utf8).write(to: file)
            #expect(try await stage.publish(through: Samples.noon).changes == 2)
            let after = try #require(try Self.export(stage, Self.ios))
            #expect(after != before)
            #expect(try Self.export(stage, "version/v1/other") == [1, 2, 3])

            try Data(text.replacing(country, with: #""nonsense": ["#).utf8).write(to: file)
            let publisher = try stage.publisher
            let report = try await publisher.publish(asOf: Samples.noon.end)
            #expect((report.refusedFiles, report.changes) == (1, 0))
            let warnings = publisher.refusedFiles.warnings
            #expect(warnings.count == 1)
            #expect(warnings.first?.contains("\(Self.ios).json is refused") == true)
            #expect(try Self.export(stage, Self.ios) == after)

            // A folder that is away keeps neither keys nor what was published from phones.
            let elsewhere = folder.appendingPathExtension("away")
            try FileManager.default.moveItem(at: folder, to: elsewhere)
            let without = try await publisher.publish(asOf: Samples.noon.end)
            #expect((without.refusedFiles, without.changes) == (1, 0))
            #expect(publisher.refusedFiles.warnings.first?.contains("The folder can't be read.") == true)
            try FileManager.default.moveItem(at: elsewhere, to: folder)

            try FileManager.default.removeItem(at: file)
            try FileManager.default.removeItem(at: list)
            let last = try await publisher.publish(asOf: Samples.noon.end)
            #expect((last.refusedFiles, last.changes) == (0, 2))
            #expect(publisher.refusedFiles.warnings == [])
            #expect(try Self.export(stage, Self.ios) == nil)
            #expect(try Self.export(stage, "version/v1/other") == nil)
        }
    }

    @Test("a running service names a refused file in /ready from its first answer on, with the reason, and is ready")
    func ready() async throws {
        try await Self.run { stage, folder in
            let file = folder.appending(path: "\(Self.ios).json")
            try Data(#"{"nonsense": 1}"#.utf8).write(to: file)
            try await withRunningService(
                "distribution", settings: stage.settings, serve: { try await Distribution.run($0) }
            ) { runtime in
                let answer = try await send(.GET, "http://127.0.0.1:\(try await runtime.adminPort)/ready")
                #expect(answer.status == 200)
                #expect(answer.body.contains("\(Self.ios).json is refused"))
                #expect(answer.body.contains("nonsense"))
            }
        }
    }
}
