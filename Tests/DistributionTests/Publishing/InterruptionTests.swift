import ExposureKeys
import Foundation
import TestSupport
import Testing

@testable import Distribution

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .heavy, .timeLimit(.minutes(15)))
struct InterruptionTests {
    private static let first = Samples.day.firstHour.advanced(by: 20)
    /// In the second hour of the next day.
    private static let last = first.advanced(by: 5)

    /// Six hours over midnight, three of which have keys. Other countries' keys, two hours of them with and without home keys, are in
    /// one of the two regions.
    private static func fold(on stage: PublishingStage) async throws {
        for offset in 0...5 {
            let keys = offset.isMultiple(of: 2) ? try Samples.keys(offset * 200..<offset * 200 + 150) : []
            try await stage.fold(first.advanced(by: offset), keys)
        }
        for offset in [1, 4] {
            let hour = first.advanced(by: offset)
            try await stage.importKeys(try Samples.keys(foreign(offset)), in: hour, visited: "FRIT")
            try await stage.endImport(of: hour)
        }
    }

    private static func foreign(_ offset: Int) -> Range<Int> { 5000 + offset * 200..<5000 + offset * 200 + 150 }

    @Test("a run that was killed before any of its files is finished by the next one")
    func missingFiles() async throws {
        try await PublishingStage.run { stage in
            try await Self.fold(on: stage)
            try await stage.publish(through: Self.last)
            let tree = try stage.files()
            #expect(tree.count > 20)
            for path in tree.keys {
                try FileManager.default.removeItem(at: stage.root.appending(path: path))
                try await stage.publish(through: Self.last)
                #expect(try stage.files() == tree, "\(path)")
            }
            var random = SeededGenerator(seed: 1)
            for _ in 0..<5 {
                for path in tree.keys.sorted() where Bool.random(using: &random) {
                    try FileManager.default.removeItem(at: stage.root.appending(path: path))
                }
                try await stage.publish(through: Self.last)
                #expect(try stage.files() == tree)
            }
        }
    }

    @Test("a failed write stops the run before an index names the file, and the next run finishes")
    func blockedFiles() async throws {
        let tree = try await PublishingStage.run { stage in
            try await Self.fold(on: stage)
            try await stage.publish(through: Self.last)
            return try stage.files()
        }
        for path in tree.keys {
            try await PublishingStage.run { stage in
                try await Self.fold(on: stage)
                // Where the file should be, there is a folder with something in it.
                let obstacle = stage.root.appending(path: path)
                try FileManager.default.createDirectory(
                    at: obstacle.appending(path: ".obstacle"), withIntermediateDirectories: true)
                await #expect(throws: (any Error).self, "\(path)") { try await stage.publish(through: Self.last) }
                let before = try stage.files()
                #expect(try before.indexed().isSubset(of: before.keys), "\(path)")

                try FileManager.default.removeItem(at: obstacle)
                try await stage.publish(through: Self.last)
                let after = try stage.files()
                #expect(Set(after.keys) == Set(tree.keys))
                #expect(try Set(after.keys) == after.named())
                for hour in Self.first...Self.last {
                    #expect(try stage.keys(of: hour)?.count == (hour.number.isMultiple(of: 2) ? 150 : 0))
                }
            }
        }
    }

    @Test("a run that was killed between decision and writing is finished by the next one")
    func decided() async throws {
        try await PublishingStage.run { stage in
            try await Self.fold(on: stage)
            try await stage.publish(through: Self.first)
            let store = DistributionStore(stage.client)
            let next = Self.first.advanced(by: 1)
            let foreign = TakenKeys(through: next, count: 150, firstEnd: Samples.firstEnd)
            try await store.insert(PublishedHour(hour: next, foreign: foreign))
            try await store.insert(
                PublishedHour(hour: Self.first.advanced(by: 2), keys: 150, firstEnd: Samples.firstEnd))
            try await stage.publish(through: Self.last)
            #expect(try stage.keys(of: next) == [])
            #expect(try stage.keys(of: next, region: "EUR") == Samples.data(Self.foreign(1)))
            #expect(try stage.keys(of: Self.first.advanced(by: 2)) == Samples.data(400..<550))
            #expect(try stage.keys(of: Self.first.advanced(by: 4)) == Samples.data(800..<950))
        }
    }

    @Test("two concurrent runs publish the same as one")
    func twice() async throws {
        try await PublishingStage.run { stage in
            try await Self.fold(on: stage)
            let reports = try await withThrowingTaskGroup(of: Publisher.Report.self) { group in
                for _ in 0..<3 { group.addTask { try await stage.publish(through: Self.last) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(reports.map(\.newHours).sorted() == [0, 0, 6])
            #expect(reports.map(\.newKeys).sorted() == [0, 0, 450])
            #expect(reports.map(\.newForeignKeys).sorted() == [0, 0, 300])
            let tree = try stage.files()
            #expect(try Set(tree.keys) == tree.named())
            try stage.removeTree()
            try await stage.publish(through: Self.last)
            #expect(try stage.files() == tree)
        }
    }

    @Test("a published archive whose keys haven't expired is never changed")
    func unchanged() async throws {
        try await PublishingStage.run { stage in
            try await Self.fold(on: stage)
            try await stage.publish(through: Self.first)
            let tree = try stage.files()
            try await stage.publish(through: Self.last)
            let later = try stage.files()
            for (path, content) in tree where content.starts(with: Data("PK".utf8)) { #expect(later[path] == content) }
        }
    }
}

extension [String: Data] {
    /// The files that those indexes name which are there.
    fileprivate func indexed() throws -> Set<String> {
        var named: Set<String> = []
        for index in keys where index.hasSuffix("/date/index") {
            for day in try list(of: String.self, index) { named.insert("\(index.dropLast(5))\(day)/index") }
        }
        for index in keys where index.contains("/date/") && index.hasSuffix("/hour/index") {
            for hour in try list(of: Int.self, index) { named.insert("\(index.dropLast(5))\(hour)") }
        }
        return named
    }
}
