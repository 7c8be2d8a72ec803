import Crypto
import ExposureFormat
import ExposureKeys
import Foundation
import ObjectStore
import TestSupport
import Testing

@testable import Distribution

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .heavy, .timeLimit(.minutes(15)))
struct VerifyTests {
    /// Two days with keys and reports, one of which has two batches of keys.
    private static func tree(_ stage: PublishingStage) async throws {
        for (offset, hour) in [0, 5, 26].map({ Samples.day.firstHour.advanced(by: $0) }).enumerated() {
            try await stage.fold(hour, try Samples.keys(offset * 100..<offset * 100 + 10))
            try await stage.fold(hour, try Samples.reports(offset * 100..<offset * 100 + 10))
        }
        let last = Samples.day.advanced(by: 2).firstHour
        try await stage.foldEmpty(Samples.day.firstHour...last)
        var publisher = try stage.publisher
        publisher.keysPerFile = 12
        _ = try await publisher.publish(asOf: last.end)
    }

    @Test("an intact tree has no flaws, and every kind of damage is found")
    func damages() async throws {
        try await PublishingStage.run(minimumKeys: 5) { stage in
            try await Self.tree(stage)
            let whole = try stage.files()
            let verdict = try await stage.verify()
            #expect(verdict.flaws == [])
            #expect((verdict.days, verdict.hours, verdict.reportHours, verdict.objects) == (4, 96, 27, whole.count))

            let dates = "\(PublishingStage.countries)/DE/date"
            let (day, next) = (Samples.day.name, Samples.day.advanced(by: 1).name)
            let hour = "\(dates)/\(day)/hour/5"
            let reports = "version/v2/twp/country/DE/hour/\(Samples.day.firstHour.number)"
            // What is done, and a word of the complaint.
            let damages: [(String, (inout [String: Data]) throws -> Void)] = [
                ("is missing", { $0[hour] = nil }),
                ("is missing", { $0["\(dates)/\(day).2"] = nil }),
                ("is missing", { $0["\(dates)/index"] = nil }),
                ("is missing", { $0[reports] = nil }),
                ("no index names it", { $0["\(dates)/\(next)/hour/24"] = $0[hour] }),
                ("no index names it", { $0["version/v2/twp/country/DE/hour/1"] = $0[reports] }),
                ("doesn't fit its path", { $0["\(dates)/\(day)/hour/1"] = $0[hour] }),
                ("doesn't fit its path", { $0[hour] = $0[hour.replacing("DE", with: "EUR")] }),
                ("doesn't fit its path", { $0["\(dates)/\(day).2"] = $0["\(dates)/\(day)/index"] }),
                ("damaged", { $0["\(dates)/index"] = Data("[".utf8) }),
                ("isn't sorted", { $0["\(dates)/\(day)/hour/index"] = Data("[5,1]".utf8) }),
                ("no index names it", { $0["\(dates)/\(day)/hour/index"] = Data("[1]".utf8) }),
                ("expected names", { $0["version/index"] = Data(#"["v2"]"#.utf8) }),
                ("CRC-32", { $0[hour]?[60] ^= 1 }), ("CRC-32", { $0[reports]?[60] ^= 1 }),
                ("not a ZIP", { $0[hour] = Data() }),
                ("not a ZIP", { $0[hour] = Data("PK".utf8) }), ("not a ZIP", { $0[reports] = Data() }),
                ("signature", { $0[hour] = try Self.signed(by: .init(), Samples.keys(0..<10)) }),
            ]
            for (number, (word, damage)) in damages.enumerated() {
                var files = whole
                try damage(&files)
                let isChanged = files != whole
                #expect(isChanged, "\(number)")
                try stage.restore(files)
                let flaws = try await stage.verify().flaws
                #expect(flaws.contains { $0.contains(word) }, "\(number): \(flaws)")
            }
        }
    }

    @Test("signed packages that break a rule are found: too few keys in the newest hour, repeated keys")
    func contents() async throws {
        let key = P256.Signing.PrivateKey()
        try await PublishingStage.run(minimumKeys: 5) { stage in
            try await Self.tree(stage)
            let whole = try stage.files()
            let dates = "\(PublishingStage.countries)/DE/date"
            let newest = Samples.day.advanced(by: 2).firstHour
            let contents: [(String, Hour, Range<Int>)] = [
                ("fewer than 5", newest, 900..<904), ("repeats a key", newest.advanced(by: -43), 200..<210),
            ]
            for (word, hour, numbers) in contents {
                var files = whole
                files["\(dates)/\(hour.day.name)/hour/\(hour.ofDay)"] = try Self.signed(
                    by: key, Samples.keys(numbers), hour: hour)
                try stage.restore(files)
                let tree = DirectoryStore(root: stage.root)
                let keys = [stage.verificationKey, VerificationKey(key.publicKey)]
                let flaws = try await VerifyTree(tree: tree, publicKeys: keys, minimum: 5, instant: .distantPast)
                    .verdict().flaws
                #expect(flaws.contains { $0.contains(word) }, "\(flaws)")
            }
        }
    }

    @Test("a key is a flaw once its period ended more than 14 days before the tree was written")
    func expired() async throws {
        try await PublishingStage.run(minimumKeys: 5) { stage in
            try await Self.tree(stage)
            // The keys' day and 14 more.
            let end = Samples.day.advanced(by: -2 + 14).firstHour.start
            #expect(try await stage.verify(asOf: end).flaws == [])
            let flaws = try await stage.verify(asOf: end + 1).flaws
            #expect(!flaws.isEmpty && flaws.allSatisfy { $0.contains("ended more than 14 days ago") }, "\(flaws)")
        }
    }

    private static func signed(
        by key: P256.Signing.PrivateKey, _ keys: [DiagnosisKey], hour: Hour = Samples.day.firstHour
    ) throws -> Data {
        let identity = SigningIdentity(appBundleID: "de.rki.coronawarnapp-dev")
        let header = ExportHeader(hours: hour..<hour.advanced(by: 1), region: "DE")
        let files = try KeyExport.files(of: KeySet(keys), headers: [header], signers: [identity])
        let export = try #require(files.first)
        let signature = try key.signature(for: export.digest).derRepresentation
        return Data(try export.archive(signatures: [Array(signature)]))
    }
}
