import ExposureFormat
import ExposureKeys
import Foundation
import TestSupport
import Testing

@testable import Distribution

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct BatchTests {
    @Test("more keys than a file may have are split into batches of nearly equal size, and none is lost")
    func split() async throws {
        try await PublishingStage.run { stage in
            let keys = try Samples.keys(0..<1001)
            try await stage.fold(Samples.noon, keys)
            try await stage.foldEmpty(Samples.noon.advanced(by: 1)...Samples.day.lastHour)
            var publisher = try stage.publisher
            publisher.keysPerFile = 500
            _ = try await publisher.publish(asOf: Samples.day.lastHour.end)
            for path in [PublishingStage.path(of: Samples.noon), PublishingStage.path(of: Samples.day)] {
                let first = path.replacing("/index", with: "")
                let batches = try [path, "\(first).2", "\(first).3"].map { try #require(try stage.package($0)) }
                #expect(batches.map(\.header.batch.number) == [1, 2, 3])
                #expect(batches.allSatisfy { $0.header.batch.size == 3 })
                #expect(batches.allSatisfy { $0.archive.signatures.map(\.batch) == [$0.header.batch] })
                #expect(batches.map(\.keys.count) == [333, 334, 334])
                // One after the other they are what one file would be.
                #expect(batches.flatMap { $0.keys.map(\.data) } == keys.sorted().map(\.data))
                #expect(try stage.package("\(first).4") == nil)
            }
            // The indexes know one name for all of them.
            let files = try stage.files()
            let hours = "\(PublishingStage.countries)/DE/date/\(Samples.day.name)/hour"
            #expect(try files.list(of: Int.self, "\(hours)/index").contains(12))
            #expect(try files.list(of: String.self, "\(PublishingStage.countries)/DE/date/index") == [Samples.day.name])
            #expect(try await publisher.publish(asOf: Samples.day.lastHour.end).changes == 0)
        }
    }

    @Test("no batch is smaller than the minimum", arguments: [1, 140, 141, 500, 501, 999, 1000, 1001, 4999])
    func balance(count: Int) throws {
        let keys = try Samples.keys(0..<count)
        let batches = KeySet.batches(of: keys.shuffled().map(PublishedKey.init), atMost: 500)
        #expect(batches.map(\.count).reduce(0, +) == count)
        #expect(batches.allSatisfy { $0.count <= 500 && ($0.count >= 250 || count <= 500) })
        #expect(batches.count == KeySet.batchCount(for: count, atMost: 500))
    }
}
