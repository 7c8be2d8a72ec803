import ArgumentParser
import ExposureKeys
import Foundation
import ObjectStore
import PublishedTree
import Running
import TestSupport
import Testing

@testable import Distribution

/// Stores that don't do what they say, or not what the tree needs.
@Suite(
    .enabled(if: TestPostgres.isAvailable && TestPython.isAvailable, "VIGIL_TEST_PYTHON is not set"),
    .heavy, .timeLimit(.minutes(15)))
struct StoreTests {
    private static let first = Samples.day.lastHour
    private static let hours = (0..<3).map { first.advanced(by: $0) }
    private static let package = TreeKey(PublishingStage.path(of: hours[1]))

    private static func fold(on stage: PublishingStage) async throws {
        for (offset, hour) in hours.enumerated() {
            try await stage.fold(hour, try Samples.keys(offset * 1000..<offset * 1000 + 150))
            try await stage.fold(hour, try Samples.reports(offset * 1000..<offset * 1000 + 150))
        }
    }

    /// What a run that fails says.
    private static func problem(of publisher: Publisher) async throws -> String {
        do {
            let report = try await publisher.publish(asOf: hours[2].end)
            return "\(report)"
        } catch {
            return "\(error)"
        }
    }

    // MARK: Stores that can't hold the tree

    @Test(
        "a store that can't hold the tree is refused before anything is published",
        arguments: [
            (TestBucket.Kind.hiding, "its store doesn't list objects below another object"),
            (.files, "its store keeps no object below another one (409 ExistingObjectIsDirectory)"),
            (.losing, "its store confirmed objects that it doesn't have"),
            (.altering, "its store has other bytes than those that it confirmed"),
        ])
    func unsuitable(kind: TestBucket.Kind, reason: String) async throws {
        try await TestBucket.with(kind) { bucket in
            try await PublishingStage.run(settings: bucket.settings) { stage in
                try await Self.fold(on: stage)
                let publisher = try stage.publisher
                let problem = try await Self.problem(of: publisher)
                #expect(problem.contains(reason), "\(problem)")
                #expect(problem.hasPrefix("The bucket \(bucket.name) can't hold the published tree: "))
                // Nothing of the tree, nor of the trial.
                #expect(try await publisher.tree.objects().isEmpty)
                #expect(try await publisher.tree.read(TreeKey("version")) == nil)
                #expect(try await publisher.tree.read(Self.package) == nil)
            }
        }
    }

    @Test("at start an unsuitable store is refused, and one that can't be reached is left to the run")
    func start() async throws {
        try await TestBucket.with(.hiding) { bucket in
            try await PublishingStage.run(settings: bucket.settings) { stage in
                await #expect(throws: UnsuitableStore.self) { try await stage.publisher.tryStore() }
                let elsewhere = bucket.settings.merging(["s3.bucket": "published-nowhere"]) { $1 }
                let publisher = try stage.publisher(for: Settings(elsewhere).treeStore())
                try await publisher.tryStore()
                await #expect(throws: (any Error).self) { try await publisher.publish(asOf: Self.hours[2].end) }
            }
        }
        try await PublishingStage.run { stage in try await stage.publisher.tryStore() }
    }

    // MARK: A store that changes later

    @Test("a package that was altered in the bucket is found and written again, and wakes nobody")
    func healed() async throws {
        try await TestBucket.with { bucket in
            try await PublishingStage.run(settings: bucket.settings) { stage in
                try await Self.fold(on: stage)
                let publisher = try stage.publisher
                _ = try await publisher.publish(asOf: Self.hours[2].end)
                let reports = TreeKey("version/v2/twp/country/DE/hour/\(Self.hours[0].number)")
                let damaged = [Self.package, reports, TreeKey("version")]
                var whole: [TreeKey: [UInt8]] = [:]
                for key in damaged {
                    whole[key] = try await publisher.tree.read(key)
                    // As many bytes, and fewer.
                    let other = [UInt8](repeating: 7, count: (whole[key]?.count ?? 0) - (key == reports ? 1 : 0))
                    try await publisher.tree.write(other, to: key)
                }
                let report = try await publisher.publish(asOf: Self.hours[2].end)
                #expect(report.changes == damaged.count)
                for key in damaged {
                    let isWhole = try await publisher.tree.read(key) == whole[key]
                    #expect(isWhole, "\(key.path)")
                }
                #expect(try await publisher.publish(asOf: Self.hours[2].end).changes == 0)
            }
        }
    }

    @Test("a package that the store lost after it had confirmed it is in no index", arguments: [true, false])
    func lost(isAltered: Bool) async throws {
        try await PublishingStage.run { stage in
            try await Self.fold(on: stage)
            let directory = DirectoryStore(root: stage.root)
            let tree = FaultyStore(directory, isAltered ? .alters(Self.package) : .loses(Self.package))
            let publisher = try stage.publisher(for: tree)
            let error = await #expect(throws: UnkeptObjects.self) {
                _ = try await publisher.publish(asOf: Self.hours[2].end)
            }
            #expect(error?.keys == [Self.package])
            #expect(try await directory.read(KeyPackage.countries) == nil)
            #expect(try await directory.read(TreeKey("version")) == nil)
            // The next run, in which the store keeps it, heals the tree.
            _ = try await stage.publisher.publish(asOf: Self.hours[2].end)
            #expect(try await stage.verify().flaws == [])
        }
    }

    @Test("expired packages leave a store that doesn't list them, and a repeated run wakes nobody")
    func retention() async throws {
        try await PublishingStage.run { stage in
            try await Self.fold(on: stage)
            let directory = DirectoryStore(root: stage.root)
            let publisher = try stage.publisher(for: FaultyStore(directory, .hides))
            let first = try await publisher.publish(asOf: Self.hours[2].end)
            #expect(first.isNews)
            #expect(try await directory.read(Self.package) != nil)
            #expect(try await !publisher.publish(asOf: Self.hours[2].end).isNews)

            let later = Self.hours[2].advanced(by: PublishedSet.hoursKept)
            try await stage.foldEmpty(Self.hours[2].advanced(by: 1)...later)
            _ = try await publisher.publish(asOf: later.end)
            #expect(try await directory.read(Self.package) == nil)
            #expect(try await stage.verify().flaws == [])
        }
    }

    // MARK: Checking a bucket

    private static func verify(_ arguments: [String]) async throws {
        let command = try Distribution.parseAsRoot(["verify"] + arguments)
        try await #require(command as? VerifyCommand).run()
    }

    @Test("a bucket is verified with the settings of the program that publishes")
    func verified() async throws {
        try await TestBucket.with { bucket in
            try await PublishingStage.run(settings: bucket.settings) { stage in
                try await Self.fold(on: stage)
                let publisher = try stage.publisher
                _ = try await publisher.publish(asOf: Self.hours[2].end)
                let configuration = try stage.writeConfiguration(moving: 0)
                let publicKey = try stage.writePublicKey()
                let arguments = [
                    "--config", configuration.path, "--public-key", publicKey.path, "--as-of", "2026-01-01T00:00:00Z",
                ]
                try await Self.verify(arguments)
                try await publisher.tree.write([1], to: Self.package)
                await #expect(throws: ExitCode.self) { try await Self.verify(arguments) }
                await #expect(throws: (any Error).self, "both a directory and settings") {
                    try await Self.verify(arguments + [stage.root.path])
                }
            }
        }
    }
}

/// A store with a fault.
private struct FaultyStore: TreeStore {
    enum Fault {
        /// Doesn't list objects below another one.
        case hides
        /// Confirms an object and doesn't keep it.
        case loses(TreeKey)
        /// Keeps an object with other bytes.
        case alters(TreeKey)
    }

    private let tree: DirectoryStore
    private let fault: Fault

    init(_ tree: DirectoryStore, _ fault: Fault) {
        self.tree = tree
        self.fault = fault
    }

    func objects() async throws -> [TreeKey: StoredObject] {
        let objects = try await tree.objects()
        guard case .hides = fault else { return objects }
        return objects.filter { key, _ in !objects.keys.contains { key.path.hasPrefix($0.path + "/") } }
    }

    func read(_ key: TreeKey) async throws -> [UInt8]? { try await tree.read(key) }
    func remove(_ keys: [TreeKey]) async throws { try await tree.remove(keys) }

    func write(_ content: [UInt8], to key: TreeKey) async throws {
        switch fault {
        case .loses(key): return
        case .alters(key): try await tree.write(content + [0], to: key)
        default: try await tree.write(content, to: key)
        }
    }
}
