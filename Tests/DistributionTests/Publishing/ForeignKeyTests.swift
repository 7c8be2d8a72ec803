import ExposureFormat
import ExposureKeys
import Foundation
import Schema
import TestSupport
import Testing

@testable import Distribution

/// Keys of other countries, beside home keys.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .heavy, .timeLimit(.minutes(15)))
struct ForeignKeyTests {
    private static let noon = Samples.noon
    private static let next = noon.advanced(by: 1)

    // MARK: Which keys, when

    @Test("home keys never wait for other countries', and other countries' wait for each other only")
    func threshold() async throws {
        try await PublishingStage.run { stage in
            try await stage.fold(Self.noon, try Samples.keys(0..<140))
            try await stage.importKeys(try Samples.keys(1000..<1139), in: Self.noon)
            try await stage.endImport(of: Self.noon)
            let first = try await stage.publish(through: Self.noon)
            #expect((first.newKeys, first.newForeignKeys) == (140, 0))
            #expect(try stage.keys(of: Self.noon, region: "EUR") == Samples.data(0..<140))

            // Now home keys are too few.
            try await stage.fold(Self.next, try Samples.keys(140..<150))
            try await stage.importKeys(try Samples.keys(1139..<1140), in: Self.next)
            try await stage.endImport(of: Self.next)
            let second = try await stage.publish(through: Self.next)
            #expect((second.newKeys, second.newForeignKeys) == (0, 140))
            #expect(second.waiting?.count == 10 && second.isNews)
            #expect(try stage.keys(of: Self.next) == Samples.data(1000..<1140))
            #expect(try stage.keys(of: Self.noon, region: "EUR") == Samples.data(0..<140))
            #expect(
                try await stage.store.publishedHours().last
                    == PublishedHour(
                        hour: Self.next,
                        foreign: TakenKeys(through: Self.next, count: 140, firstEnd: Samples.firstEnd)))
        }
    }

    @Test("keys of an hour of import are taken when it has ended, however late that is, and each once")
    func lateEnd() async throws {
        try await PublishingStage.run(minimumKeys: 1) { stage in
            try await stage.foldEmpty(Self.noon.advanced(by: -1)...Self.noon.advanced(by: 5))
            let hours = (0...4).map { Self.noon.advanced(by: $0) }
            var number = 0
            func importAndPublish(_ hour: Hour, ending ended: Hour?) async throws {
                number += 1
                try await stage.importKeys([try Samples.key(number)], in: hour)
                if let ended { try await stage.endImport(of: ended) }
                try await stage.publish(through: hour)
            }
            // Nothing is complete yet.
            try await importAndPublish(hours[0], ending: nil)
            // It ends an hour late, while the second already has keys.
            try await importAndPublish(hours[1], ending: hours[0])
            // Federation is away.
            try await importAndPublish(hours[2], ending: nil)
            // Both come at once. What comes in the hour that hasn't ended waits.
            try await importAndPublish(hours[3], ending: hours[2])
            try await importAndPublish(hours[4], ending: hours[4])
            let packages = try hours.map { try stage.keys(of: $0) }
            let expected: [Range<Int>] = [0..<0, 1..<2, 0..<0, 2..<4, 4..<6]
            #expect(try packages == expected.map { try Samples.data($0) })
        }
    }

    @Test("no hour takes keys of a later hour of import: a run that catches up publishes as hourly runs do")
    func catchUp() async throws {
        try await PublishingStage.run(minimumKeys: 1) { stage in
            let hours = (0...3).map { Self.noon.advanced(by: $0) }
            for (number, hour) in hours.enumerated() {
                try await stage.fold(hour, try Samples.keys(number * 10..<number * 10 + 2))
                try await stage.importKeys(try Samples.keys(1000 + number..<1001 + number), in: hour)
                try await stage.endImport(of: hour)
            }
            // The newest hour of import isn't folded yet.
            try await stage.importKeys(try Samples.keys(1004..<1005), in: Self.noon.advanced(by: 4))
            try await stage.endImport(of: Self.noon.advanced(by: 4))
            try await stage.publish(through: Self.noon.advanced(by: 4))
            for (number, hour) in hours.enumerated() {
                let own = try Samples.data(number * 10..<number * 10 + 2)
                #expect(try stage.keys(of: hour) == own.union(Samples.data(1000 + number..<1001 + number)))
            }
            #expect(try stage.keys(of: Self.noon.advanced(by: 4)) == nil)
        }
    }

    @Test(
        "other countries' keys wait for the end of their embargo, also if their periods begin at noon or in the next hour"
    )
    func embargo() async throws {
        try await PublishingStage.run(minimumKeys: 1) { stage in
            let yesterday = Samples.day.advanced(by: -1).firstInterval.rawValue
            // In intervals after yesterday's midnight; all are imported in the hour of noon.
            let keys: [(start: UInt32, length: UInt32, released: Int)] = [
                (0, 144, 12), (40, 144, 12), (59, 144, 12), (60, 144, 13), (65, 144, 13), (66, 144, 14), (144, 60, 13),
                (144 + 72, 144, 24 + 15), (144 + 78, 144, 24 + 16),
            ]
            let diagnosed = try keys.enumerated().map { number, key in
                DiagnosisKey(
                    data: try Samples.key(number).data,
                    rollingPeriod: try #require(
                        RollingPeriod(start: IntervalNumber(rawValue: yesterday + key.start), length: key.length)),
                    transmissionRiskLevel: .lowestPublished,
                    daysSinceOnsetOfSymptoms: try #require(DaysSinceOnset(rawValue: 0)), reportType: .confirmedTest)
            }
            try await stage.importKeys(diagnosed + [try Samples.key(100, level: 2)], in: Self.noon)
            try await stage.endImport(of: Self.noon)
            let last = Samples.day.firstHour.advanced(by: 48)
            try await stage.foldEmpty(Self.noon...last)
            try await stage.publish(through: last)
            for hour in Self.noon...last {
                let expected = zip(diagnosed, keys).filter { Samples.day.firstHour.advanced(by: $1.released) == hour }
                #expect(try stage.keys(of: hour) == Set(expected.map(\.0.data)), "\(hour.number)")
            }
        }
    }

    @Test(
        "a region has home keys, keys that came from it, keys of people who were there; Europe has all; order doesn't tell"
    )
    func regions() async throws {
        let settings = ["regions": "DE,EUR,FR,EE,PL,AT"]
        try await PublishingStage.run(minimumKeys: 1, settings: settings) { stage in
            try await stage.fold(Self.noon, try Samples.keys(0..<3))
            // `ADEE` has DE in it, but neither Andorra nor Estonia is Germany.
            let imports: [(origin: String, visited: String, keys: Range<Int>)] = [
                ("FR", "DEFR", 100..<103), ("FR", "", 200..<203), ("IT", "FRIT", 300..<303), ("PL", "ADEE", 400..<403),
                ("IT", "IT", 500..<503), ("LU", "DE", 600..<603),
            ]
            for (origin, visited, keys) in imports {
                try await stage.importKeys(try Samples.keys(keys), in: Self.noon, from: origin, visited: visited)
            }
            try await stage.endImport(of: Self.noon)
            try await stage.foldEmpty(Self.next...Samples.day.lastHour)
            try await stage.publish(through: Samples.day.lastHour)
            let expected: [String: [Range<Int>]] = [
                "DE": [0..<3, 100..<103, 600..<603],
                "EUR": [0..<3, 100..<103, 200..<203, 300..<303, 400..<403, 500..<503, 600..<603],
                "FR": [100..<103, 200..<203, 300..<303], "EE": [400..<403], "PL": [400..<403], "AT": [],
            ]
            for (region, ranges) in expected {
                let keys = try ranges.flatMap { try Samples.keys($0) }
                for path in [
                    PublishingStage.path(of: Self.noon, region: region),
                    PublishingStage.path(of: Samples.day, region: region),
                ] {
                    let package = try #require(try stage.package(path))
                    #expect(package.keys == keys.sorted().map(ExportedKey.init), "\(path)")
                    #expect(package.header.region == region)
                }
            }
            #expect(try await stage.verify().flaws == [])
            #expect(try Set(stage.files().keys) == stage.files().named())
        }
    }

    @Test(
        "a key that is in both tables is in a package once, also if it came in other hours of the day",
        arguments: [3, 30])
    func duplicates(home: Int) async throws {
        try await PublishingStage.run(minimumKeys: 1) { stage in
            try await stage.fold(Self.noon, try Samples.keys(0..<home))
            try await stage.importKeys(try Samples.keys(2..<12), in: Self.noon, visited: "FR")
            try await stage.importKeys(try Samples.keys(12..<20), in: Self.noon)
            try await stage.endImport(of: Self.noon)
            try await stage.fold(Self.next, try Samples.keys(100..<102))
            try await stage.importKeys(try Samples.keys(101..<105), in: Self.next)
            try await stage.endImport(of: Self.next)
            try await stage.foldEmpty(Self.next.advanced(by: 1)...Samples.day.lastHour)
            try await stage.publish(through: Samples.day.lastHour)
            let all = try Samples.data(0..<max(home, 20))
            let later = try Samples.data(100..<105)
            #expect(try stage.keys(of: Self.noon, region: "EUR") == all)
            #expect(
                try stage.keys(of: Self.noon) == Samples.data(0..<home).union(Samples.data(12..<20)))
            #expect(try stage.keys(of: Samples.day, region: "EUR") == all.union(later))
            // It counts keys, not rows of a set: nothing is there twice.
            let flaws = try await stage.verify().flaws
            #expect(flaws == [])
        }
    }

    // MARK: How long

    @Test("a package loses expired keys of other countries, and keeps the others byte for byte until then")
    func expiry() async throws {
        try await PublishingStage.run(minimumKeys: 1) { stage in
            let (old, new) = (Samples.day.advanced(by: -3), Samples.day.advanced(by: -1))
            try await stage.fold(Self.noon, try (0..<5).map { try Samples.key($0, day: new) })
            try await stage.importKeys(try (10..<15).map { try Samples.key($0, day: old) }, in: Self.noon)
            try await stage.importKeys(
                try (20..<25).map { try Samples.key($0, day: new) }, in: Self.noon, visited: "FR")
            try await stage.endImport(of: Self.noon)
            try await stage.foldEmpty(Self.next...Samples.day.lastHour)
            try await stage.publish(through: Samples.day.lastHour)
            let before = try stage.files()
            let expiry = Date(timeIntervalSince1970: Double(Samples.firstEnd.startSeconds) + 14 * 86_400)
            _ = try await stage.publisher.publish(asOf: expiry)
            #expect(try stage.files().withoutTraceKeys == before.withoutTraceKeys)

            let report = try await stage.publisher.publish(asOf: expiry + 1)
            #expect(!report.isNews)
            #expect(try stage.keys(of: Samples.day) == Samples.data(0..<5))
            #expect(try stage.keys(of: Samples.day, region: "EUR") == Samples.data(0..<5).union(Samples.data(20..<25)))
            let row = try #require(try await stage.store.publishedHours().first)
            #expect((row.home?.count, row.foreign?.count) == (5, 5))
            #expect(row.foreign?.firstEnd == Samples.day.firstInterval)
            #expect(row.foreign?.through == Self.noon)
            #expect(try await stage.publisher.publish(asOf: expiry + 1).changes == 0)

            // Home keys and the last of the others expire at once; what the hour took is known nevertheless.
            _ = try await stage.publisher.publish(asOf: expiry + 2 * 86_400 + 1)
            #expect(try stage.keys(of: Samples.day, region: "EUR") == [])
            let empty = try #require(try await stage.store.publishedHours().first)
            #expect(empty.keys == 0 && empty.home != nil && empty.foreign != nil)
        }
    }

    @Test(
        "a key whose period lasts into the next day leaves with its row, so that a lost tree is rebuilt byte for byte")
    func longPeriods() async throws {
        try await PublishingStage.run(minimumKeys: 1) { stage in
            let start = Samples.day.advanced(by: -3).firstInterval.rawValue
            let long = DiagnosisKey(
                data: try Samples.key(1).data,
                rollingPeriod: try #require(RollingPeriod(start: IntervalNumber(rawValue: start + 100), length: 144)),
                transmissionRiskLevel: .lowestPublished,
                daysSinceOnsetOfSymptoms: try #require(DaysSinceOnset(rawValue: 0)), reportType: .confirmedTest)
            let other = try Samples.key(2, day: Samples.day.advanced(by: -2))
            try await stage.importKeys([long, other], in: Self.noon)
            try await stage.endImport(of: Self.noon)
            try await stage.foldEmpty(Self.noon...Samples.day.lastHour)
            try await stage.publish(through: Samples.day.lastHour)
            let midnight = Samples.day.advanced(by: -2 + 14).firstHour.start
            for (instant, keys) in [(midnight, [long, other]), (midnight + 1, [other])] {
                _ = try await Retention.apply(.federation, at: instant - 1, in: stage.superuser)
                _ = try await stage.publisher.publish(asOf: instant)
                #expect(try stage.keys(of: Samples.day) == Set(keys.map(\.data)))
                let tree = try stage.files()
                _ = try await Retention.apply(.federation, at: instant, in: stage.superuser)
                try stage.removeTree()
                _ = try await stage.publisher.publish(asOf: instant)
                if instant > midnight { #expect(try stage.files() == tree) }
            }
        }
    }

    @Test("packages of hours that took other countries' keys alone are kept for 48 hours, and of days for 14 days")
    func retention() async throws {
        try await PublishingStage.run(minimumKeys: 1) { stage in
            try await stage.importKeys(
                try (0..<5).map { try Samples.key($0, day: Samples.day.advanced(by: -1)) }, in: Self.noon)
            try await stage.endImport(of: Self.noon)
            let end = Samples.day.advanced(by: 15).firstHour
            try await stage.foldEmpty(Self.noon...end)
            for (through, hour, day) in [
                (Self.noon.advanced(by: 47), true, true), (Self.noon.advanced(by: 48), false, true),
                (Samples.day.advanced(by: 13).lastHour, false, true),
                (Samples.day.advanced(by: 14).lastHour, false, false),
            ] {
                try await stage.publish(through: through)
                #expect(try (stage.keys(of: Self.noon) != nil) == hour)
                #expect(try (stage.keys(of: Samples.day) != nil) == day)
                #expect(try Set(stage.files().keys) == stage.files().named())
            }
        }
    }

    // MARK: The same bytes

    @Test("every region has as many files, and each key is in one of them")
    func batches() async throws {
        let settings = ["regions": "DE,EUR,FR,AT"]
        try await PublishingStage.run(minimumKeys: 1, settings: settings) { stage in
            try await stage.fold(Self.noon, try Samples.keys(0..<30))
            try await stage.importKeys(try Samples.keys(100..<160), in: Self.noon, visited: "FR")
            try await stage.importKeys(try Samples.keys(200..<202), in: Self.noon, from: "AT")
            try await stage.endImport(of: Self.noon)
            var publisher = try stage.publisher
            publisher.keysPerFile = 40
            _ = try await publisher.publish(asOf: Self.noon.end)
            for (region, sizes) in [
                ("DE", [10, 11, 11]), ("EUR", [30, 31, 31]), ("FR", [20, 20, 22]), ("AT", [0, 1, 1]),
            ] {
                let path = PublishingStage.path(of: Self.noon, region: region)
                let files = try ["", ".2", ".3"].map { try #require(try stage.package(path + $0)) }
                #expect(files.map(\.keys.count).reduce(0, +) == sizes.reduce(0, +), "\(region)")
                #expect(files.map(\.header.batch.number) == [1, 2, 3])
                #expect(files.allSatisfy { $0.header.batch.size == 3 && $0.keys.count <= 40 })
                #expect(try stage.package(path + ".4") == nil)
            }
            #expect(try await stage.verify().flaws == [])
            #expect(try await publisher.publish(asOf: Self.noon.end).changes == 0)
        }
    }

    @Test(
        "when federation begins, the bytes of earlier packages stay, and a region that is new gets its keys of days that were published"
    )
    func beginning() async throws {
        try await PublishingStage.run(minimumKeys: 1) { stage in
            try await stage.fold(Self.noon, try Samples.keys(0..<20))
            try await stage.publish(through: Self.noon)
            let tree = try stage.files()
            let rows = try await stage.store.publishedHours()
            #expect(rows == [PublishedHour(hour: Self.noon, keys: 20, firstEnd: Samples.firstEnd)])
            // Federation begins.
            try await stage.importKeys(try Samples.keys(100..<110), in: Self.noon)
            try await stage.endImport(of: Self.next)
            try await stage.foldEmpty(Self.next...Samples.day.lastHour)
            try await stage.publish(through: Self.next)
            let later = try stage.files()
            for (path, content) in tree where path.contains("/hour/12") { #expect(later[path] == content) }
            #expect(try stage.keys(of: Self.next) == Samples.data(100..<110))

            try await stage.publish(through: Samples.day.lastHour)
            var publisher = try stage.publisher
            publisher.regions = Regions(names: ["DE", "EUR", "FR"], origin: "DE")
            _ = try await publisher.publish(asOf: Samples.day.lastHour.end)
            #expect(try stage.keys(of: Self.next, region: "FR") == Samples.data(100..<110))
            #expect(try stage.keys(of: Samples.day, region: "FR") == Samples.data(100..<110))
            #expect(try stage.keys(of: Self.noon, region: "FR") == [])
        }
    }

    /// Days in which federation is away at times, ends hours late, and countries have few keys or many.
    @Test(
        "over days every key of another country is published once, among at least 140, and not before its time",
        arguments: [1, 2])
    func property(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var number = 0
        var imports: [(hour: Hour, keys: [DiagnosisKey], visited: String)] = []
        let hours = (0..<4 * 24).map { Samples.day.firstHour.advanced(by: $0) }
        for hour in hours {
            let count = Bool.random(using: &random) ? Int.random(in: 0...60, using: &random) : 0
            let keys = try (0..<count).map { _ in
                number += 1
                return try Samples.key(
                    number, day: hour.day.advanced(by: -Int.random(in: 0...10, using: &random)),
                    level: Int.random(in: 1...8, using: &random), length: UInt32.random(in: 1...144, using: &random))
            }
            imports.append((hour, keys, Bool.random(using: &random) ? "DEFR" : "FR"))
        }
        // The last complete hour of import when an hour is published.
        var ended: [Hour: Hour] = [:]
        for hour in hours where Int.random(in: 0..<3, using: &random) > 0 {
            ended[hour] = hour.advanced(by: Int.random(in: -3...0, using: &random))
        }
        let (all, ends) = (imports, ended)
        let policy = PublicationPolicy()
        let last = try #require(hours.last)
        try await PublishingStage.run { stage in
            try await stage.foldEmpty(try #require(hours.first)...last)
            for imported in all {
                try await stage.importKeys(imported.keys, in: imported.hour, visited: imported.visited)
            }
            var complete: Hour?
            var published: [KeyData: Hour] = [:]
            for hour in hours {
                if let end = ends[hour], complete.map({ $0 < end }) ?? true {
                    try await stage.endImport(of: end)
                    complete = end
                }
                try await stage.publish(through: hour)
                let keys = try #require(try stage.keys(of: hour, region: "EUR"))
                #expect(keys.isEmpty || keys.count >= 140)
                for key in keys { #expect(published.updateValue(hour, forKey: key) == nil) }
                let home = try #require(try stage.keys(of: hour))
                #expect(home.isSubset(of: keys))
            }
            // Each with the first hour that took any, once its hour of import was complete and its embargo over.
            let takers = Set(published.values)
            for imported in all {
                for key in imported.keys {
                    guard let release = policy.releaseHour(of: key, submitted: imported.hour) else {
                        #expect(published[key.data] == nil)
                        continue
                    }
                    var reached: Hour?
                    let first = hours.first { hour in
                        if let end = ends[hour] { reached = max(reached ?? end, end) }
                        return hour >= release && takers.contains(hour) && reached.map { $0 >= imported.hour } ?? false
                    }
                    // It expired while it waited if it isn't published at all.
                    let isGone = key.rollingPeriod.hasExpired(at: first?.end ?? last.end)
                    #expect(published[key.data] == first || isGone && published[key.data] == nil)
                }
            }
            #expect(published.count > 500)
            #expect(try await stage.verify(asOf: last.end).flaws == [])
            let tree = try stage.files()
            #expect(try await stage.publish(through: last).changes == 0)
            try stage.removeTree()
            try await stage.publish(through: last)
            #expect(try stage.files() == tree)
        }
    }
}
