import ExposureFormat
import ExposureKeys
import Foundation
import ObjectStore
import Postgres
import PublishedTree
import Schema
import TestSupport
import Testing

@testable import Distribution

/// Packages hold a key until 14 days after the end of its own period, whenever it was uploaded.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .heavy, .timeLimit(.minutes(15)))
struct PeriodTests {
    /// Sixteen days of uploads of keys of any of the fifteen days before, some of which have expired before they are folded.
    private static func uploads(using random: inout SeededGenerator) throws -> [(hour: Hour, keys: [DiagnosisKey])] {
        var number = 0
        return try (0..<16 * 24).map { offset in
            let hour = Samples.day.firstHour.advanced(by: offset)
            let keys = try (0..<Int.random(in: 0...5, using: &random)).map { _ in
                number += 1
                return try Samples.key(
                    number, day: hour.day.advanced(by: -Int.random(in: 0...15, using: &random)),
                    level: Int.random(in: 1...8, using: &random),
                    length: Bool.random(using: &random) ? 144 : UInt32.random(in: 1...144, using: &random))
            }
            return (hour, keys)
        }
    }

    /// Instants from 20 minutes to 60 hours apart, at any minute and second.
    private static func instants(through last: Date, using random: inout SeededGenerator) -> [Date] {
        var instants = [Samples.day.firstHour.end]
        while let instant = instants.last, instant < last {
            instants.append(min(last, instant + Double.random(in: 1200...216_000, using: &random).rounded()))
        }
        return instants
    }

    @Test(
        "at each run no package and no row has an expired key, and every other released key is in its packages",
        arguments: [1, 2])
    func property(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let uploads = try Self.uploads(using: &random)
        let last = try #require(uploads.last?.hour.end)
        // Later runs find no new hours, and keys that still expire.
        let instants = Self.instants(through: last + 14 * 86_400 + 1, using: &random)
        let retained = Set(instants.filter { _ in Int.random(in: 0..<3, using: &random) == 0 })
        let policy = PublicationPolicy(minimumKeys: 1)
        try await PublishingStage.run(minimumKeys: 1) { stage in
            try await stage.fold(uploads)
            for instant in instants {
                // It may have deleted what expired, or nothing for a long time.
                if retained.contains(instant) {
                    _ = try await Retention.apply(.fold, at: instant, in: stage.superuser)
                    _ = try await Retention.apply(.distribution, at: instant, in: stage.superuser)
                }
                _ = try await stage.publisher.publish(asOf: instant)
                try await Self.check(stage, uploads, policy, at: instant)
            }
            // In the end nothing is left.
            #expect(try await stage.verify(asOf: last + 14 * 86_400 + 1).flaws == [])
            #expect(try stage.found(uploads.flatMap(\.keys)) == 0)
        }
    }

    /// Compares packages and rows with what the uploads give at an instant.
    private static func check(
        _ stage: PublishingStage, _ uploads: [(hour: Hour, keys: [DiagnosisKey])], _ policy: PublicationPolicy,
        at instant: Date
    ) async throws {
        for (path, content) in try stage.files()
        where content.starts(with: Data("PK".utf8)) && path != "version/v1/venue-events" {
            let package = try #require(try stage.package(path))
            let expired = package.keys.count { $0.rollingPeriod.hasExpired(at: instant) }
            #expect(expired == 0, "\(path) at \(instant)")
        }

        let rows = try await stage.store.publishedHours()
        let lastHour = try #require(rows.last?.hour)
        var released: [Hour: [DiagnosisKey]] = [:]
        for (hour, keys) in uploads where hour <= lastHour {
            for key in keys where !key.rollingPeriod.hasExpired(at: instant) {
                guard let release = policy.releaseHour(of: key, submitted: hour), release <= lastHour else { continue }
                released[release, default: []].append(key)
            }
        }
        let today = max(lastHour.advanced(by: 1).day, Day(containing: instant))
        for row in rows {
            let keys = released[row.hour] ?? []
            let offered = row.hour.day >= today.advanced(by: -PublishedSet.daysKept)
            if !offered { #expect(keys.isEmpty) }
            guard offered else { continue }
            #expect(row.keys == keys.count, "\(row.hour)")
            if let firstEnd = keys.map(\.rollingPeriod.end).min() { #expect(row.home?.firstEnd == firstEnd) }
            if row.hour > lastHour.advanced(by: -PublishedSet.hoursKept) {
                #expect(try stage.keys(of: row.hour) == Set(keys.map(\.data)))
            }
        }
        for day in Set(rows.map(\.hour.day)) where day.lastHour <= lastHour {
            let keys = released.filter { $0.key.day == day }.values.joined()
            let offered = day >= today.advanced(by: -PublishedSet.daysKept)
            #expect(try stage.keys(of: day) == (offered ? Set(keys.map(\.data)) : nil), "\(day.name)")
        }
    }

    @Test("control: of packages whose first expiry isn't recorded, the search finds expired keys")
    func control() async throws {
        try await PublishingStage.run(minimumKeys: 1) { stage in
            let keys = try Samples.keys(0..<5)
            try await stage.fold(Samples.noon, keys)
            try await stage.publish(through: Samples.noon)
            try await stage.superuser.session { session in
                _ = try session.execute("UPDATE distribution.published_hour SET first_end = 2147483647")
            }
            let later = Samples.day.advanced(by: 13).firstHour
            try await stage.publish(through: later)
            #expect(try stage.found(keys) == 5)
            #expect(try await !stage.verify(asOf: later.end).flaws.isEmpty)
        }
    }

    @Test("a package that loses keys may become smaller than the minimum, and loses the batches it no longer needs")
    func smaller() async throws {
        try await PublishingStage.run(minimumKeys: 140) { stage in
            let remaining = try Samples.key(999, day: Samples.day.advanced(by: -1))
            try await stage.fold(Samples.noon, try Samples.keys(0..<200) + [remaining])
            try await stage.foldEmpty(Samples.noon.advanced(by: 1)...Samples.day.lastHour)
            var publisher = try stage.publisher
            publisher.keysPerFile = 150
            _ = try await publisher.publish(asOf: Samples.day.lastHour.end)
            let paths = [PublishingStage.path(of: Samples.noon), PublishingStage.path(of: Samples.day)]
            let second = paths.map { $0.replacing("/index", with: "") + ".2" }
            for path in second { #expect(try stage.package(path) != nil) }
            let first = try stage.files()

            let expiry = Date(timeIntervalSince1970: Double(Samples.firstEnd.startSeconds) + 14 * 86_400)
            _ = try await publisher.publish(asOf: expiry)
            // The newest tag of trace keys moves on every two hours.
            let before = try stage.files()
            #expect(before.withoutTraceKeys == first.withoutTraceKeys)
            let report = try await publisher.publish(asOf: expiry + 1)
            for path in paths { #expect(try stage.package(path)?.keys.map(\.data) == [remaining.data]) }
            for path in second { #expect(try stage.package(path) == nil) }
            #expect(!report.changedIndex && report.changes == 8)
            let after = try stage.files()
            let changed = Set(before.keys.filter { before[$0] != after[$0] })
            #expect(changed == Set((paths + second).flatMap { [$0, $0.replacing("/DE/", with: "/EUR/")] }))
            #expect(try await publisher.publish(asOf: expiry + 1).changes == 0)
            #expect(try stage.files() == after)
        }
    }

    @Test("wherever a run stops that takes keys out of packages, the next one finishes it with the same bytes")
    func interrupted() async throws {
        try await PublishingStage.run(minimumKeys: 1) { stage in
            // Keys of three days, of which one expires; over two days, in hours that are offered and others that aren't.
            for offset in [0, 5, 30, 50] {
                let keys = try (0..<9).map {
                    try Samples.key(offset * 10 + $0, day: Samples.day.advanced(by: -3 + $0 % 3))
                }
                try await stage.fold(Samples.day.firstHour.advanced(by: offset), keys)
            }
            for offset in [5, 40] {
                let hour = Samples.day.firstHour.advanced(by: offset)
                let keys = try (0..<9).map {
                    try Samples.key(offset * 100 + $0, day: Samples.day.advanced(by: -3 + $0 % 3))
                }
                try await stage.importKeys(keys, in: hour, visited: offset == 5 ? "FR" : "DE")
                try await stage.endImport(of: hour)
            }
            let last = Samples.day.firstHour.advanced(by: 60)
            try await stage.foldEmpty(Samples.day.firstHour...last)
            var whole = try stage.publisher
            whole.keysPerFile = 7
            _ = try await whole.publish(asOf: last.end)
            let (start, rows) = (try stage.files(), try await stage.store.publishedHours())
            let expiry = Date(timeIntervalSince1970: Double(Samples.firstEnd.startSeconds) + 14 * 86_400) + 1
            let changes = try await whole.publish(asOf: expiry).changes
            let (end, rowsAfter) = (try stage.files(), try await stage.store.publishedHours())
            #expect(changes > 10 && rows != rowsAfter)

            for stop in 0..<changes {
                try stage.restore(start)
                try await stage.store.update(rows)
                var failing = try stage.publisher(for: FailingStore(whole.tree, after: stop))
                failing.keysPerFile = 7
                _ = try? await failing.publish(asOf: expiry)
                let files = try stage.files()
                #expect(files.allSatisfy { start[$0.key] == $0.value || end[$0.key] == $0.value }, "after \(stop)")
                // The rows change when all packages are written. What is no longer needed is removed after that.
                let isWritten = end.withoutTraceKeys.allSatisfy { files[$0.key] == $0.value }
                #expect(try await stage.store.publishedHours() == (isWritten ? rowsAfter : rows), "after \(stop)")
                _ = try await whole.publish(asOf: expiry)
                #expect(try stage.files() == end, "after \(stop)")
                #expect(try await stage.store.publishedHours() == rowsAfter)
            }
        }
    }
}
