import Foundation
import FurtherAPI
import Logging
import ObjectStore
import Postgres
import PublishedTree
import Schema
import TestSupport
import Testing

@testable import Further

/// What the lists say, and what they don't.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct PublishListsTests {
    private static let day: Double = 86_400

    /// A publisher of its own, beside that of the stage's service, with an empty folder.
    private static func publishing(
        of stage: FurtherStage, countingFrom age: PublicReports.Age = .lastUpdate, features: URL? = nil,
        _ body: (PublishLists, DirectoryStore) async throws -> Void
    ) async throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        let store = DirectoryStore(root: root)
        try await stage.asService { client, clock in
            try await body(
                PublishLists(
                    reports: PublicReports(client, countingFrom: age), store: store, features: features,
                    databaseClock: clock, logger: Logger(label: "lists")), store)
        }
    }

    private static func list(_ list: FurtherList, in store: DirectoryStore) async throws -> [HealthReport] {
        let content = try #require(try await store.read(list.key))
        let compressed = try #require(try await store.read(list.compressedKey))
        #expect(try gunzip(compressed) == content)
        return try JSONDecoder().decode([HealthReport].self, from: Data(content))
    }

    private static func ids(in store: DirectoryStore) async throws -> Set<UUID> {
        Set(try await list(.data, in: store).map(\.id))
    }

    @Test func `phones get ids and days, everybody else answers and hours under ids of one list only`() async throws {
        try await FurtherStage.run { stage in
            let ids = (0..<40).map { _ in UUID() }
            for (number, id) in ids.enumerated() {
                let report = HealthReport(
                    id: id, feelingSick: number.isMultiple(of: 2), hasBeenTested: number.isMultiple(of: 3),
                    testResult: true, lastUpdate: stage.now - Double(number) * 3600 - 17.25)
                #expect(try await stage.report(report) == 200)
            }
            let stored = try await stage.asSuperuser {
                try $0.rows(
                    "SELECT feeling_sick, has_been_tested, last_update / 3600 * 3600 FROM further.report",
                    as: Bool.self,
                    Bool.self, Int64.self)
            }
            try await Self.publishing(of: stage) { lists, store in
                try await lists.publish(at: stage.clock.now)
                let (data, first) = (
                    try await Self.list(.data, in: store), try await Self.list(.responses, in: store)
                )
                #expect(Set(data.map(\.id)) == Set(ids))
                #expect(data.map(\.id.uuidString) == data.map(\.id.uuidString).sorted())
                #expect(data.allSatisfy { !$0.feelingSick && !$0.hasBeenTested && $0.testResult })
                #expect(data.allSatisfy { $0.lastUpdate.truncatingRemainder(dividingBy: Self.day) == 0 })
                #expect(first.map(\.id.uuidString) == first.map(\.id.uuidString).sorted())
                let answers = first.map { "\($0.feelingSick) \($0.hasBeenTested) \(Int64($0.lastUpdate))" }.sorted()
                #expect(answers == stored.map { "\($0.0) \($0.1) \($0.2)" }.sorted())

                stage.clock.advance(by: 300)
                try await lists.publish(at: stage.clock.now)
                let second = try await Self.list(.responses, in: store)
                #expect(first.count == 40 && second.count == 40)
                let published = [ids, first.map(\.id), second.map(\.id)].flatMap { $0 }
                #expect(Set(published).count == 120)
                // Version 4, as the app's own ids.
                #expect((first + second).allSatisfy { $0.id.uuidString.dropFirst(14).first == "4" })
                #expect((first + second).allSatisfy { "89AB".contains($0.id.uuidString.dropFirst(19).first ?? " ") })
            }
        }
    }

    @Test func `the order says nothing about arrival`() throws {
        // Arrived in the order of their hours. Afterwards neighbours in time are as far apart as any two.
        let arrived = (0..<2000).map { hour in
            PublicReport(
                high: .random(in: 0 ... .max), low: .random(in: 0 ... .max), hour: hour, feelingSick: true,
                hasBeenTested: true)
        }
        func neighbours(_ reports: [PublicReport]) -> Int {
            zip(reports, reports.dropFirst()).count { abs($0.hour - $1.hour) <= 5 }
        }
        var (known, rotated) = (arrived, arrived)
        known.sortByID()
        try rotated.rotateIDs()
        // The control: 1999 pairs. By chance ten of them are neighbours.
        #expect(neighbours(arrived) == 1999)
        #expect(neighbours(known) < 40)
        #expect(neighbours(rotated) < 40)
    }

    @Test func `a report is public for less than 14 days after its last update, and until it is taken back`()
        async throws
    {
        try await FurtherStage.run { stage in
            let (old, gone) = (UUID(), UUID())
            for id in [old, gone] { #expect(try await stage.report(.sample(id, true, at: stage.now)) == 200) }
            try await Self.publishing(of: stage) { lists, store in
                try await lists.publish(at: stage.clock.now)
                #expect(try await Self.ids(in: store) == [old, gone])
                #expect(try await stage.report(.sample(gone, false, at: stage.now)) == 200)
                // Reports go with all of their day.
                let today = stage.now - stage.now.truncatingRemainder(dividingBy: Self.day)
                stage.clock.advance(by: today + 14 * Self.day - 300 - stage.now)
                try await lists.publish(at: stage.clock.now)
                #expect(try await Self.ids(in: store) == [old])
                stage.clock.advance(by: 300)
                try await lists.publish(at: stage.clock.now)
                #expect(try await store.read(FurtherList.data.key) == Array("[]".utf8))
                #expect(try await store.read(FurtherList.responses.key) == Array("[]".utf8))
            }
        }
    }

    @Test(arguments: [(PublicReports.Age.lastUpdate, true), (.firstPositive, false)])
    func `who reports again stays, unless the operator counts from the first positive answer`(
        _ age: PublicReports.Age, _ stays: Bool
    ) async throws {
        try await FurtherStage.run { stage in
            let id = UUID()
            for _ in 0..<5 {
                #expect(try await stage.report(.sample(id, true, at: stage.now)) == 200)
                stage.clock.advance(by: 3 * Self.day)
            }
            try await Self.publishing(of: stage, countingFrom: age) { lists, store in
                try await lists.publish(at: stage.clock.now)
                #expect(try await Self.ids(in: store) == (stays ? [id] : []))
            }
        }
    }

    @Test(arguments: [("6", true), ("0", false)])
    func `who watches every list doesn't see which ids one batch brought, but would if they came at once`(
        _ spread: String, _ isHidden: Bool
    ) async throws {
        try await FurtherStage.run(settings: ["batch.spreadHours": spread]) { stage in
            let ids = Set((0..<14).map { _ in UUID() })
            #expect(try await stage.batch(ids.map { .sample($0, true, at: stage.now) }) == 200)
            try await Self.publishing(of: stage) { lists, store in
                var (seen, together): (Set<UUID>, [Int]) = ([], [])
                for _ in 0...72 {
                    stage.clock.advance(by: 300)
                    try await lists.publish(at: stage.clock.now)
                    let new = try await Self.ids(in: store).subtracting(seen)
                    seen.formUnion(new)
                    if !new.isEmpty { together.append(new.count) }
                }
                #expect(seen == ids)
                // More than seven of 14 within the same five minutes of six hours: once in a billion batches.
                #expect(((together.max() ?? 14) <= 7) == isHidden)
            }
        }
    }

    @Test func `the ids of a batch go at midnight, with all of their day`() async throws {
        try await FurtherStage.run { stage in
            let (batch, others) = ((0..<14).map { _ in UUID() }, (0..<10).map { _ in UUID() })
            #expect(try await stage.batch(batch.map { .sample($0, true, at: stage.now) }) == 200)
            for (number, id) in others.enumerated() {
                #expect(try await stage.report(.sample(id, true, at: stage.now - Double(number) * 3000)) == 200)
            }
            try await Self.publishing(of: stage) { lists, store in
                let today = stage.now - stage.now.truncatingRemainder(dividingBy: Self.day)
                stage.clock.advance(by: today + 14 * Self.day - 300 - stage.now)
                try await lists.publish(at: stage.clock.now)
                #expect(try await Self.ids(in: store) == Set(batch + others))
                stage.clock.advance(by: 300)
                try await lists.publish(at: stage.clock.now)
                #expect(try await Self.ids(in: store).isEmpty)
            }
        }
    }

    @Test func `of several processes one builds each list`() async throws {
        try await FurtherStage.run { stage in
            try await Self.publishing(of: stage) { lists, store in
                let now = stage.clock.now
                let built = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for _ in 0..<3 { group.addTask { try await lists.publish(at: now) } }
                    return try await group.reduce(into: [Bool]()) { $0.append($1) }
                }
                #expect(built.count { $0 } == 1)
                // A list that is lost with its folder is built again.
                try await store.remove([PublishLists.builtKey])
                #expect(try await lists.publish(at: now))
                #expect(try await !lists.publish(at: PublishLists.following(now).addingTimeInterval(-0.1)))
                stage.clock.advance(by: 300)
                #expect(try await lists.publish(at: stage.clock.now))
                // Whose clock is behind builds no older list over it.
                #expect(try await !lists.publish(at: now))
            }
        }
    }

    @Test func `a process that is overtaken at its first change makes no other`() async throws {
        try await FurtherStage.run { stage in
            try await Self.publishing(of: stage) { lists, store in
                var lists = lists
                lists.store = GuardedTree(store) {
                    try await stage.asService { client, _ in
                        try await client.session { _ = try $0.execute("SELECT vigil.begin_epoch('lists')") }
                    }
                }
                await #expect(throws: LostLead.self) { try await lists.publish(at: stage.clock.now) }
                let objects = try await store.objects()
                #expect(objects.count == 1)
            }
        }
    }

    @Test func `lists are due at multiples of five minutes`() {
        let instant = Date(timeIntervalSince1970: 1_794_301_800)
        #expect(PublishLists.following(instant) == instant.addingTimeInterval(300))
        #expect(PublishLists.following(instant.addingTimeInterval(299.9)) == instant.addingTimeInterval(300))
    }

    @Test func `switches come from the file, and stay while the file is invalid`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try await FurtherStage.run { stage in
            func published(_ lists: PublishLists, _ store: DirectoryStore) async throws -> String {
                stage.clock.advance(by: 300)
                try await lists.publish(at: stage.clock.now)
                return String(decoding: try #require(try await store.read(FurtherList.features.key)), as: UTF8.self)
            }
            let all = #"{"allowDetection":true,"allowQuestions":true,"allowStories":true}"#
            let fewer = #"{"allowDetection":true,"allowQuestions":false,"allowStories":true}"#
            try await Self.publishing(of: stage) { lists, store in
                let switches = try await published(lists, store)
                #expect(switches == all)
            }
            try await Self.publishing(of: stage, features: file) { lists, store in
                let switches = try await published(lists, store)
                #expect(switches == all)
                try Data(#"{"allowStories": true, "allowDetection": true, "allowQuestions": false, "x": 1}"#.utf8)
                    .write(to: file)
                #expect(try await published(lists, store) == fewer)
                for damaged in [#"{"allowDetection":true,"allowQuestions":true}"#, "", "[]", #"{"allowStories":1}"#] {
                    try Data(damaged.utf8).write(to: file)
                    #expect(try await published(lists, store) == fewer)
                }
            }
        }
    }
}
