import ExposureFormat
import ExposureKeys
import Foundation
import Running
import Schema
import TestSupport
import Testing

@testable import Distribution

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .heavy, .timeLimit(.minutes(15)))
struct PublishingTests {
    @Test("nothing is published for an instant that the database's clock hasn't reached")
    func ahead() async throws {
        try await PublishingStage.run(minimumKeys: 1) { stage in
            try await stage.fold(Samples.noon, try Samples.keys(0..<5))
            let clock = ManualClock(Samples.noon.end)
            let publisher = try Publisher(
                database: stage.client, clock: DatabaseClock(of: stage.client, movedLike: clock.clock), origin: "DE",
                runtime: stage.runtime)
            await #expect(throws: ClockAhead.self) {
                _ = try await publisher.publish(asOf: Samples.noon.end + 30 * 86_400)
            }
            #expect(try stage.files().isEmpty)
            #expect(try await stage.store.publishedHours().isEmpty)
            #expect(try await publisher.publish(asOf: Samples.noon.end).newKeys == 5)
        }
    }

    private static let noon = Samples.noon
    private static let day = Samples.day

    // MARK: Which keys, when

    @Test("with fewer than 140 keys an hour's package is empty and signed; with 140 it has all")
    func threshold() async throws {
        try await PublishingStage.run { stage in
            try await stage.fold(Self.noon, try Samples.keys(0..<139))
            let first = try await stage.publish(through: Self.noon)
            #expect(try stage.keys(of: Self.noon) == [])
            #expect((first.newHours, first.newKeys) == (1, 0))

            let next = Self.noon.advanced(by: 1)
            try await stage.fold(next, try Samples.keys(139..<140))
            let second = try await stage.publish(through: next)
            #expect(try stage.keys(of: next) == Samples.data(0..<140))
            #expect(try stage.keys(of: Self.noon) == [])
            #expect((second.newHours, second.newKeys) == (1, 140))
        }
    }

    @Test("keys of the lowest two levels are never published and don't count towards the minimum")
    func levels() async throws {
        try await PublishingStage.run(minimumKeys: 3) { stage in
            try await stage.fold(Self.noon, try (1...4).map { try Samples.key($0, level: $0) })
            try await stage.publish(through: Self.noon)
            #expect(try stage.keys(of: Self.noon) == [])
            try await stage.fold(Self.noon.advanced(by: 1), try (5...8).map { try Samples.key($0, level: $0) })
            try await stage.publish(through: Self.noon.advanced(by: 1))
            #expect(try stage.keys(of: Self.noon.advanced(by: 1)) == Samples.data(3..<9))
        }
    }

    @Test(
        "which levels are published is configuration, and other values than levels are refused", arguments: [1, 5, 8])
    func configuredLevels(lowest: Int) async throws {
        try await PublishingStage.run(minimumKeys: 1, settings: ["lowestRiskLevel": "\(lowest)"]) { stage in
            try await stage.fold(Self.noon, try (1...8).map { try Samples.key($0, level: $0) })
            try await stage.publish(through: Self.noon)
            #expect(try stage.keys(of: Self.noon) == Samples.data(lowest..<9))
        }
        for wrong in ["0", "9", "high"] {
            #expect(throws: ConfigurationProblem.self) { try Publisher.policy(Settings(["lowestRiskLevel": wrong])) }
        }
    }

    @Test("yesterday's key waits until phones no longer accept its replayed broadcasts")
    func embargo() async throws {
        try await PublishingStage.run(minimumKeys: 1) { stage in
            let midnight = Self.day.firstHour
            let yesterday = try Samples.key(0, day: Self.day.advanced(by: -1))
            // Its day ended at midnight; two hours later, in the third hour, the embargo ends.
            try await stage.fold(midnight, [yesterday, try Samples.key(1)])
            try await stage.foldEmpty(midnight.advanced(by: 1)...midnight.advanced(by: 5))
            try await stage.publish(through: midnight.advanced(by: 5))
            let packages = try (0...5).map { try stage.keys(of: midnight.advanced(by: $0)) }
            #expect(packages == [try Samples.data(1..<2), [], [], [yesterday.data], [], []])
        }
    }

    @Test("a key of today waits for the end of its period and the embargo")
    func today() async throws {
        try await PublishingStage.run(minimumKeys: 1) { stage in
            let midnight = Self.day.firstHour
            // In use until 10:00, uploaded at 10.
            let key = try Samples.key(0, day: Self.day, length: 60)
            try await stage.fold(midnight.advanced(by: 10), [key])
            try await stage.foldEmpty(midnight.advanced(by: 11)...midnight.advanced(by: 14))
            try await stage.publish(through: midnight.advanced(by: 14))
            let packages = try (10...14).map { try stage.keys(of: midnight.advanced(by: $0)) }
            #expect(packages == [[], [], [], [key.data], []])
        }
    }

    @Test("hours that aren't folded, or haven't ended, are never published")
    func unfolded() async throws {
        try await PublishingStage.run(minimumKeys: 1) { stage in
            #expect(try await stage.publish(through: Self.noon).lastHour == nil)
            try await stage.fold(Self.noon, try Samples.keys(0..<2))
            // Not ended.
            #expect(try await stage.publisher.publish(asOf: Self.noon.end.addingTimeInterval(-1)).newHours == 0)
            // Folded no further.
            #expect(try await stage.publish(through: Self.noon.advanced(by: 5)).lastHour == Self.noon.number)
            #expect(try stage.keys(of: Self.noon.advanced(by: 1)) == nil)

            try await stage.fold(Self.noon.advanced(by: 1), try Samples.keys(2..<3))
            try await stage.publish(through: Self.noon.advanced(by: 5))
            #expect(try stage.keys(of: Self.noon.advanced(by: 1)) == Samples.data(2..<3))
        }
    }

    @Test("before the first fold the tree has empty indexes")
    func nothing() async throws {
        try await PublishingStage.run { stage in
            try await stage.publish(through: Self.noon)
            let files = try stage.files()
            #expect(files["version/index"] == Data(#"["v1"]"#.utf8))
            #expect(files["\(PublishingStage.countries)/index"] == Data(#"["DE","EUR"]"#.utf8))
            #expect(files["\(PublishingStage.countries)/DE/date/index"] == Data("[]".utf8))
            #expect(try Set(files.keys) == files.named())
        }
    }

    // MARK: What a package says

    @Test("hour and day packages name their window and region, and the right key signed them")
    func header() async throws {
        try await PublishingStage.run(minimumKeys: 1) { stage in
            try await stage.fold(Self.noon, try Samples.keys(0..<5))
            try await stage.foldEmpty(Self.noon.advanced(by: 1)...Self.day.lastHour)
            try await stage.publish(through: Self.day.lastHour)
            for region in ["DE", "EUR"] {
                let hour = try #require(try stage.package(PublishingStage.path(of: Self.noon, region: region)))
                #expect(hour.header == ExportHeader(hours: Self.noon..<Self.noon.advanced(by: 1), region: region))
                #expect(hour.header.startTimestamp == UInt64(Self.noon.startSeconds))
                #expect(hour.header.endTimestamp == UInt64(Self.noon.startSeconds) + 3600)
                let day = try #require(try stage.package(PublishingStage.path(of: Self.day, region: region)))
                #expect(day.header.startTimestamp == UInt64(Self.day.startSeconds))
                #expect(day.header.endTimestamp == UInt64(Self.day.startSeconds) + 86_400)
                #expect(day.header.region == region)
                for package in [hour, day] {
                    #expect(package.keys.count == 5)
                    #expect(package.signers.map(\.keyID) == ["262"])
                    #expect(package.signers.map(\.keyVersion) == ["v1"])
                    #expect(package.signers.map(\.appBundleID) == ["de.rki.coronawarnapp-dev"])
                    #expect(package.verify([stage.verificationKey]).map(\.outcome) == [.matches])
                }
            }
        }
    }

    @Test("keys are sorted by content, whatever the order of rows")
    func order() async throws {
        try await PublishingStage.run(minimumKeys: 1) { stage in
            let keys = try (0..<50).map {
                try Samples.key($0, day: Self.day.advanced(by: -3 - $0 % 4), level: 3 + $0 % 6)
            }
            try await stage.fold(Self.noon, keys.shuffled())
            try await stage.publish(through: Self.noon)
            let package = try #require(try stage.package(PublishingStage.path(of: Self.noon)))
            #expect(package.keys == keys.sorted().map(ExportedKey.init))
        }
    }

    // MARK: Indexes

    @Test("indexes name complete days and unpadded hours, for Germany and Europe")
    func indexes() async throws {
        try await PublishingStage.run { stage in
            let first = Self.day.firstHour.advanced(by: 8)
            try await stage.foldEmpty(first...Self.day.advanced(by: 1).firstHour.advanced(by: 1))
            try await stage.publish(through: Self.day.lastHour.advanced(by: -1))
            var files = try stage.files()
            for region in ["DE", "EUR"] {
                let dates = "\(PublishingStage.countries)/\(region)/date"
                #expect(files["\(dates)/index"] == Data("[]".utf8))
                #expect(
                    files["\(dates)/\(Self.day.name)/hour/index"]
                        == Data("[8,9,10,11,12,13,14,15,16,17,18,19,20,21,22]".utf8))
            }
            #expect(try Set(files.keys) == files.named())

            try await stage.publish(through: Self.day.advanced(by: 1).firstHour)
            files = try stage.files()
            for region in ["DE", "EUR"] {
                let dates = "\(PublishingStage.countries)/\(region)/date"
                #expect(files["\(dates)/index"] == Data("[\"\(Self.day.name)\"]".utf8))
                #expect(files["\(dates)/\(Self.day.advanced(by: 1).name)/hour/index"] == Data("[0]".utf8))
            }
            #expect(try Set(files.keys) == files.named())
        }
    }

    @Test("an hour's package is kept for 48 hours and a day's for 14 days, and no index names it for longer")
    func retention() async throws {
        try await PublishingStage.run { stage in
            let start = Self.day.firstHour
            let now = Self.day.advanced(by: 20).firstHour.advanced(by: 5)
            try await stage.foldEmpty(start...now)
            // One run a day, each of which leaves something to remove.
            for day in Self.day...now.day {
                try await stage.publish(through: min(day.lastHour, now))
                let files = try stage.files()
                #expect(try Set(files.keys) == files.named())
            }
            let files = try stage.files()
            let hours = Set(
                (0..<48).flatMap { ago in
                    ["DE", "EUR"].map { PublishingStage.path(of: now.advanced(by: -ago), region: $0) }
                })
            let days = Set(
                (1...14).flatMap { ago in
                    ["DE", "EUR"].map { PublishingStage.path(of: now.day.advanced(by: -ago), region: $0) }
                })
            let archives = Set(files.filter { $0.value.starts(with: Data("PK".utf8)) }.keys)
            #expect(archives == hours.union(days).union(["version/v1/venue-events"]))
            // Folders that nothing is left in are gone.
            let folders = try FileManager.default.contentsOfDirectory(
                atPath: stage.root.appending(path: "\(PublishingStage.countries)/DE/date").path)
            #expect(folders.count == 1 + 14 + 1)
        }
    }

    @Test("distribution publish publishes")
    func command() async throws {
        try await PublishingStage.run(minimumKeys: 1) { stage in
            try await stage.fold(Self.noon, try Samples.keys(0..<5))
            // What time it is then decides which keys have expired, not the instant that the command is given.
            for (day, keys) in [(0, try Samples.data(0..<5)), (12, [])] {
                let now = Self.noon.advanced(by: day * 24).end
                let runtime = stage.runtime(clock: .offset(by: now.timeIntervalSinceNow))
                try await Distribution.publish(asOf: Self.noon.end, runtime)
                #expect(try stage.keys(of: Self.noon) == keys)
            }
        }
    }
}
