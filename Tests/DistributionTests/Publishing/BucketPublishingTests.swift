import ExposureKeys
import Foundation
import ObjectStore
import PublishedTree
import TestSupport
import Testing

@testable import Distribution

/// A tree in a bucket of a real S3 server that checks signatures.
@Suite(
    .enabled(if: TestPostgres.isAvailable && TestPython.isAvailable, "VIGIL_TEST_PYTHON is not set"),
    .heavy, .timeLimit(.minutes(15)))
struct BucketPublishingTests {
    private static let first = Samples.day.lastHour
    private static let hours = (0..<3).map { first.advanced(by: $0) }

    private static func fold(on stage: PublishingStage) async throws {
        for (offset, hour) in hours.enumerated() {
            try await stage.fold(hour, try Samples.keys(offset * 1000..<offset * 1000 + 150))
            try await stage.fold(hour, try Samples.reports(offset * 1000..<offset * 1000 + 150))
        }
    }

    private static func content(of tree: some TreeStore) async throws -> [TreeKey: [UInt8]] {
        var content: [TreeKey: [UInt8]] = [:]
        for key in try await tree.objects().keys { content[key] = try await tree.read(key) }
        return content
    }

    @Test("a bucket gets the same tree as a directory, only changes are written, and the tree verifies")
    func same() async throws {
        try await TestBucket.with { bucket in
            try await PublishingStage.run(settings: bucket.settings) { stage in
                try await Self.fold(on: stage)
                let publisher = try stage.publisher
                for hour in Self.hours { _ = try await publisher.publish(asOf: hour.end) }
                let inBucket = try await Self.content(of: publisher.tree)
                #expect(inBucket.count > 15)

                let directory = DirectoryStore(root: stage.root)
                _ = try await stage.publisher(for: directory).publish(asOf: Self.hours[2].end)
                let isSame = try await Self.content(of: directory) == inBucket
                #expect(isSame)
                let verdict = try await VerifyTree(
                    tree: publisher.tree, publicKeys: [stage.verificationKey], minimum: 140, instant: .distantPast
                ).verdict()
                #expect(verdict.flaws == [])

                #expect(try await publisher.publish(asOf: Self.hours[2].end).changes == 0)
                try await publisher.tree.write([1], to: TreeKey("version"))
                try await publisher.tree.remove([TreeKey("version/index-v2"), try #require(inBucket.keys.min())])
                _ = try await publisher.publish(asOf: Self.hours[2].end)
                let isRepaired = try await Self.content(of: publisher.tree) == inBucket
                #expect(isRepaired)
            }
        }
    }

    @Test("wherever a run to a bucket fails, the tree verifies, and the next run finishes it")
    func interrupted() async throws {
        try await TestBucket.with { bucket in
            try await PublishingStage.run(settings: bucket.settings) { stage in
                try await Self.fold(on: stage)
                let whole = try stage.publisher
                _ = try await whole.publish(asOf: Self.hours[2].end)
                let end = try await Self.content(of: whole.tree)
                for changes in stride(from: 0, to: end.count, by: 3) {
                    try await whole.tree.remove(Array(end.keys))
                    try await stage.forget(after: Self.hours[0].advanced(by: -1))
                    let failing = FailingStore(whole.tree, after: changes)
                    await #expect(throws: (any Error).self) {
                        _ = try await stage.publisher(for: failing).publish(asOf: Self.hours[2].end)
                    }
                    let present = try await Self.content(of: whole.tree)
                    let isPart = present.allSatisfy { end[$0.key] == $0.value }
                    // Two files are written at a time: when one fails, the other may be given up.
                    #expect(isPart && present.count <= changes)
                    let verdict = try await VerifyTree(
                        tree: whole.tree, publicKeys: [stage.verificationKey], minimum: 140, instant: .distantPast
                    ).verdict()
                    // Indexes that aren't there yet name nothing.
                    let flaws = verdict.flaws.filter {
                        !$0.contains("it is missing") && !$0.contains("no index names it")
                    }
                    #expect(flaws == [], "after \(changes)")
                    _ = try await whole.publish(asOf: Self.hours[2].end)
                    let isFinished = try await Self.content(of: whole.tree) == end
                    #expect(isFinished, "after \(changes)")
                }
            }
        }
    }
}
