import ExposureKeys
import Foundation
import Schema
import TestSupport
import Testing

@testable import Distribution

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .heavy, .timeLimit(.minutes(15)))
struct FortnightTests {
    /// Two weeks of uploads, few by night and more by day, with keys that must wait and keys that are never published.
    /// - Parameter oldest: the number of days before the upload of the oldest key.
    private static func uploads(seed: UInt64, oldest: Int = 13) throws -> [(hour: Hour, keys: [DiagnosisKey])] {
        var random = SeededGenerator(seed: seed)
        var number = 0
        return try (0..<14 * 24).map { offset in
            let hour = Samples.day.firstHour.advanced(by: offset)
            let count = Int.random(in: (6...20).contains(hour.ofDay) ? 0...40 : 0...6, using: &random)
            let keys = try (0..<count).map { _ in
                number += 1
                return try Samples.key(
                    number, day: hour.day.advanced(by: -Int.random(in: 0...oldest, using: &random)),
                    level: Int.random(in: 1...8, using: &random),
                    length: Bool.random(using: &random) ? 144 : UInt32.random(in: 1...144, using: &random))
            }
            return (hour, keys)
        }
    }

    @Test(
        "over a fortnight every key is published once, among at least 140, and not before its time", arguments: [1, 2])
    func property(seed: UInt64) async throws {
        let uploads = try Self.uploads(seed: seed)
        let policy = PublicationPolicy()
        var releases: [KeyData: Hour] = [:]
        var expired: Set<KeyData> = []
        let end = try #require(uploads.last?.hour.end)
        for (hour, keys) in uploads {
            for key in keys {
                releases[key.data] = policy.releaseHour(of: key, submitted: hour)
                if key.rollingPeriod.hasExpired(at: end) { expired.insert(key.data) }
            }
        }
        let (released, gone) = (releases, expired)
        try await PublishingStage.run { stage in
            var published: [Hour: Set<KeyData>] = [:]
            for upload in uploads {
                try await stage.fold([upload])
                try await stage.publish(through: upload.hour)
                let keys: Set<KeyData> = try #require(try stage.keys(of: upload.hour))
                published[upload.hour] = keys
            }
            let last = try #require(uploads.last?.hour)

            var seen: Set<KeyData> = []
            for (hour, keys) in published.sorted(by: { $0.key < $1.key }) where !keys.isEmpty {
                #expect(keys.count >= 140)
                #expect(seen.isDisjoint(with: keys))
                seen.formUnion(keys)
                // No key is early, and no key is late, unless it expired while it waited.
                #expect(keys.allSatisfy { released[$0].map { $0 <= hour } ?? false })
                let late = released.filter { $0.value <= hour && !seen.contains($0.key) }
                #expect(gone.isSuperset(of: late.keys))
            }
            #expect(released.count { $0.value <= last && !seen.contains($0.key) && !gone.contains($0.key) } < 140)
            #expect(published.values.count { !$0.isEmpty } > 14)

            for day in Samples.day...last.day {
                let hours = (0..<24).compactMap { published[day.firstHour.advanced(by: $0)] }
                let keys: Set<KeyData> = hours.reduce(into: []) { $0.formUnion($1) }
                #expect(try stage.keys(of: day) == keys.subtracting(gone), "\(day.name)")
            }

            let flaws = try await stage.verify(asOf: last.end).flaws
            #expect(flaws == [])
            // Without new keys nothing changes.
            let tree = try stage.files()
            #expect(try Set(tree.keys) == tree.named())
            #expect(try await stage.publish(through: last).changes == 0)
            #expect(try stage.files() == tree)
            // A lost tree is rebuilt byte for byte.
            try stage.removeTree()
            try await stage.publish(through: last)
            #expect(try stage.files() == tree)
        }
    }

    @Test(
        "a run that catches up publishes the same bytes as hourly runs, whatever the order of rows, if no key expired")
    func catchUp() async throws {
        let uploads = Array(try Self.uploads(seed: 3, oldest: 10).prefix(60))
        let last = try #require(uploads.last?.hour)
        struct Outcome: Equatable {
            let hours: [PublishedHour]
            /// `export.bin` of each package; signatures are by other keys.
            let exports: [String: [UInt8]]
        }
        func publish(inOneRun: Bool) async throws -> Outcome {
            try await PublishingStage.run { stage in
                if inOneRun {
                    try await stage.fold(uploads.map { ($0.hour, $0.keys.shuffled()) })
                } else {
                    for upload in uploads {
                        try await stage.fold([upload])
                        try await stage.publish(through: upload.hour)
                    }
                }
                try await stage.publish(through: last)
                return Outcome(
                    hours: try await DistributionStore(stage.client).publishedHours(),
                    exports: try stage.exports())
            }
        }
        let isSame = try await publish(inOneRun: true) == publish(inOneRun: false)
        #expect(isSame)
    }

    @Test("a lost tree is rebuilt byte for byte from the keys that haven't expired")
    func lost() async throws {
        try await PublishingStage.run { stage in
            // 100 keys wait on the first day, 60 more arrive on the second: all are published with it.
            let evening = Samples.day.lastHour
            try await stage.fold(evening, try Samples.keys(0..<100))
            let morning = evening.advanced(by: 10)
            try await stage.foldEmpty(evening.advanced(by: 1)...morning.advanced(by: -1))
            try await stage.fold(morning, try (100..<160).map { try Samples.key($0, day: Samples.day) })
            // The first day's keys expire with their 14 days, and the second day's package is still offered.
            let now = Samples.day.advanced(by: 12).firstHour
            try await stage.foldEmpty(morning.advanced(by: 1)...now)
            try await stage.publish(through: now.advanced(by: -1))
            #expect(try stage.keys(of: morning.day) == Samples.data(0..<160))
            try await stage.publish(through: now)
            #expect(try stage.keys(of: morning.day) == Samples.data(100..<160))
            let tree = try stage.files()
            _ = try await Retention.apply(.fold, at: now.end, in: stage.superuser)
            _ = try await Retention.apply(.distribution, at: now.end, in: stage.superuser)
            try stage.removeTree()
            try await stage.publish(through: now)
            #expect(try stage.files() == tree)
            #expect(try await stage.publish(through: now).changes == 0)
        }
    }
}
