import ExposureFormat
import ExposureKeys
import Foundation
import TestSupport
import Testing

@testable import Distribution

/// What a stranger makes of a published tree, with other people's libraries (Tests/Python/reader.py).
@Suite(
    .enabled(if: TestPostgres.isAvailable && TestPython.isAvailable, "VIGIL_TEST_PYTHON is not set"),
    .heavy, .timeLimit(.minutes(15)))
struct IndependentReaderTests {
    private struct Found: Decodable, Equatable {
        var days = 0, hours = 0, keys = 0, reportHours = 0, reports = 0, archives = 0, venueBundles = 0,
            venueReports = 0
    }

    private static func read(_ stage: PublishingStage) throws -> (found: Found?, words: String) {
        let publicKey = stage.directory.appending(path: "public.pem")
        try Data(stage.verificationKey.pem.utf8).write(to: publicKey)
        let process = try TestPython.process("reader.py", [stage.root.path, publicKey.path])
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.start()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        let words = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (
            process.terminationStatus == 0 ? try JSONDecoder().decode(Found.self, from: text) : nil,
            String(decoding: words, as: UTF8.self)
        )
    }

    @Test("an independent reader reads every archive: entries, header, message, order, signatures; and notices damage")
    func reader() async throws {
        let configuration = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "deploy/static")
        try await PublishingStage.run(settings: ["static": configuration.path]) { stage in
            let first = Samples.day.firstHour
            let hours = (0..<30).map { first.advanced(by: $0) }
            for (offset, hour) in hours.enumerated() {
                let count = offset % 3 == 0 ? 200 : 60
                let keys = try (offset * 1000..<offset * 1000 + count).map { number in
                    try Samples.key(
                        number, day: Samples.day.advanced(by: -1 - number % 13), level: 1 + number % 8,
                        length: number % 5 == 0 ? UInt32(6 * (1 + number % 24)) : 144)
                }
                try await stage.fold(hour, keys)
                try await stage.fold(hour, try Samples.reports(offset * 1000..<offset * 1000 + count))
                try await stage.fold(hour, try Samples.venueReports(offset * 1000..<offset * 1000 + count))
            }
            var publisher = try stage.publisher
            publisher.keysPerFile = 250
            _ = try await publisher.publish(asOf: hours[29].end)

            let (found, words) = try Self.read(stage)
            #expect(words == "")
            let whole = try #require(found)
            let own = try await stage.verify()
            #expect(own.flaws == [])
            #expect((whole.days, whole.hours, whole.reportHours) == (own.days, own.hours, own.reportHours))
            #expect(whole.venueBundles == 15 && own.venueBundles == 15 && whole.venueReports == 10 * 200 + 20 * 60)
            #expect(whole.days == 2 && whole.hours == 60 && whole.reportHours >= 28)
            #expect(whole.reports >= 20 * 140 && whole.keys > 2 * 2000 && whole.archives > 62)

            let path = PublishingStage.path(of: hours[3])
            let files = try stage.files()
            let other = try #require(files[PublishingStage.path(of: hours[6])])
            for damage in [Data(), other, files[path]?.dropLast(30) ?? Data()] {
                try damage.write(to: stage.root.appending(path: path))
                let (found, words) = try Self.read(stage)
                #expect(found == nil)
                #expect(words.contains("hour/3: "), "\(words)")
            }
        }
    }
}
