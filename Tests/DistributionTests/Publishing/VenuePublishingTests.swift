import ExposureFormat
import ExposureKeys
import Foundation
import ObjectStore
import Schema
import TestSupport
import Testing
import Venues

@testable import Distribution

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .heavy, .timeLimit(.minutes(15)))
struct VenuePublishingTests {
    /// An even hour.
    private static let noon = Samples.noon
    private static let index = "version/v1/venue-reports/index"

    private static func bounds(_ oldest: Hour?, _ latest: Hour?) -> Data {
        func number(_ hour: Hour?) -> String { hour.map { "\($0.number)" } ?? "null" }
        return Data(#"{"oldest":\#(number(oldest)),"latest":\#(number(latest)),"hours":2}"#.utf8)
    }

    private static func fold(_ hours: Range<Int>, on stage: PublishingStage) async throws {
        for offset in hours {
            let hour = noon.advanced(by: offset)
            try await stage.fold(hour, [DiagnosisKey]())
            try await stage.fold(hour, try Samples.venueReports(offset * 100..<offset * 100 + 10).shuffled())
        }
    }

    @Test("two hours are a bundle when both are published, sorted by bytes; an hour alone waits; only that is news")
    func pairs() async throws {
        try await PublishingStage.run { stage in
            try await Self.fold(0..<1, on: stage)
            var report = try await stage.publish(through: Self.noon)
            #expect(report.newVenueReports == 0 && !report.isNews)
            #expect(try stage.files()[Self.index] == Self.bounds(nil, nil))

            try await Self.fold(1..<2, on: stage)
            report = try await stage.publish(through: Self.noon.advanced(by: 1))
            #expect(report.newVenueReports == 20 && report.isNews)
            #expect(try stage.files()[Self.index] == Self.bounds(Self.noon, Self.noon))
            let expected = try Samples.venueReports(0..<10) + Samples.venueReports(100..<110)
            #expect(try stage.venueReports(from: Self.noon) == expected.sorted())
            let size = try #require(try stage.files()["version/v1/venue-reports/\(Self.noon.number)"]?.count)
            #expect(size <= 20 * 57 + 200)

            let tree = try stage.files()
            try await Self.fold(2..<5, on: stage)
            try await stage.publish(through: Self.noon.advanced(by: 4))
            let later = try stage.files()
            #expect(later[Self.index] == Self.bounds(Self.noon, Self.noon.advanced(by: 2)))
            // A bundle never changes.
            let path = "version/v1/venue-reports/\(Self.noon.number)"
            #expect(later[path] == tree[path])
            #expect(try Set(later.keys) == later.named())
            #expect(try await stage.publish(through: Self.noon.advanced(by: 4)).changes == 0)
        }
    }

    @Test(
        "hours without reports are a signed bundle without any, unless nothing was before; an odd first hour isn't lost"
    )
    func empty() async throws {
        try await PublishingStage.run { stage in
            // As if nobody had uploaded reports then, and nothing had filled them up.
            try await stage.foldEmpty(Self.noon.advanced(by: -7)...Self.noon.advanced(by: -1))
            try await Self.fold(1..<2, on: stage)
            try await stage.foldEmpty(Self.noon...Self.noon.advanced(by: 5))
            try await stage.publish(through: Self.noon.advanced(by: 5))
            #expect(try stage.files()[Self.index] == Self.bounds(Self.noon, Self.noon.advanced(by: 4)))
            #expect(try stage.venueReports(from: Self.noon)?.count == 10)
            #expect(try stage.venueReports(from: Self.noon.advanced(by: 2)) == [])
            #expect(try stage.venueReports(from: Self.noon.advanced(by: -2)) == nil)
        }
        try await PublishingStage.run { stage in
            try await Self.fold(1..<2, on: stage)
            try await stage.publish(through: Self.noon.advanced(by: 1))
            #expect(try stage.venueReports(from: Self.noon)?.count == 10)
        }
    }

    @Test("a run that was killed anywhere is finished by the next one, with the same bytes")
    func interrupted() async throws {
        try await PublishingStage.run { stage in
            try await Self.fold(0..<6, on: stage)
            let last = Self.noon.advanced(by: 5)
            try await stage.publish(through: last)
            let tree = try stage.files()
            let bundles = tree.keys.filter { $0.contains("venue-reports") }
            #expect(bundles.count == 4)
            for path in bundles {
                try FileManager.default.removeItem(at: stage.root.appending(path: path))
                try await stage.publish(through: last)
                #expect(try stage.files() == tree, "\(path)")
            }
            try stage.removeTree()
            try await stage.publish(through: last)
            #expect(try stage.files() == tree)
        }
        // Killed between the decision and the bundle.
        try await PublishingStage.run { stage in
            try await Self.fold(0..<2, on: stage)
            try await stage.store.insert(PublishedHour(hour: Self.noon, keys: 0))
            try await stage.store.insert(PublishedHour(hour: Self.noon.advanced(by: 1), keys: 0))
            try await stage.store.insert(VenueBundle(firstHour: Self.noon, reports: 20))
            let report = try await stage.publish(through: Self.noon.advanced(by: 1))
            #expect(report.isNews)
            #expect(try stage.venueReports(from: Self.noon)?.count == 20)
        }
    }

    @Test("a write that fails stops the run before the index names the bundle")
    func failedWrite() async throws {
        try await PublishingStage.run { stage in
            try await Self.fold(0..<2, on: stage)
            let path = "version/v1/venue-reports/\(Self.noon.number)"
            let obstacle = stage.root.appending(path: path)
            try FileManager.default.createDirectory(
                at: obstacle.appending(path: ".obstacle"), withIntermediateDirectories: true)
            await #expect(throws: (any Error).self) { try await stage.publish(through: Self.noon.advanced(by: 1)) }
            #expect(try stage.files()[Self.index] == nil)
            try FileManager.default.removeItem(at: obstacle)
            try await stage.publish(through: Self.noon.advanced(by: 1))
            #expect(try stage.venueReports(from: Self.noon)?.count == 20)
        }
    }

    @Test(
        "bundles are offered for 14 days; a lost tree is rebuilt byte for byte, except for what is gone from the database"
    )
    func retention() async throws {
        try await PublishingStage.run { stage in
            let first = Samples.day.firstHour
            let now = Samples.day.advanced(by: 16).firstHour.advanced(by: 3)
            try await stage.foldEmpty(first...now)
            for day in 0..<16 {
                let hour = Samples.day.advanced(by: day).firstHour.advanced(by: 9)
                try await stage.fold(hour, try Samples.venueReports(day * 1000..<day * 1000 + 10 + day))
            }
            try await stage.publish(through: now)
            func bundle(_ day: Int) throws -> Int? {
                try stage.venueReports(from: Samples.day.advanced(by: day).firstHour.advanced(by: 8))?.count
            }
            #expect(try stage.files().venueBundles().allSatisfy { $0 > now.number - 14 * 24 })
            #expect(try [0, 1, 2, 15].map(bundle) == [nil, nil, 12, 25])

            let tree = try stage.files()
            try stage.removeTree()
            try await stage.publish(through: now)
            let isSame = try stage.files() == tree
            #expect(isSame)

            _ = try await Retention.apply(.fold, at: now.advanced(by: 48).end, in: stage.superuser)
            try stage.removeTree()
            try await stage.publish(through: now)
            let thinner = try stage.files()
            #expect(try Set(thinner.keys) == thinner.named())
            #expect(try [3, 4, 5].map(bundle) == [nil, 14, 15])
        }
    }

    @Test("verify finds every kind of damage to bundles and their index")
    func verify() async throws {
        try await PublishingStage.run(minimumKeys: 1) { stage in
            try await Self.fold(0..<4, on: stage)
            try await stage.publish(through: Self.noon.advanced(by: 3))
            let whole = try stage.files()
            let verdict = try await stage.verify()
            #expect(verdict.flaws == [])
            #expect(verdict.venueBundles == 2 && verdict.objects == whole.count)
            let (one, two) = (
                "version/v1/venue-reports/\(Self.noon.number)", "version/v1/venue-reports/\(Self.noon.number + 2)"
            )
            let damages: [(String, (inout [String: Data]) -> Void)] = [
                ("is missing", { $0[one] = nil }), ("is missing", { $0[Self.index] = nil }),
                ("doesn't fit its path", { $0[one] = $0[two] }), ("repeats a report", { $0[two] = $0[one] }),
                ("No signature matches", { $0[one]?[40] ^= 1 }),
                ("not what belongs at this path", { $0[one] = Data([0xff]) }),
                ("no index names it", { $0["version/v1/venue-reports/\(Self.noon.number + 4)"] = $0[one] }),
                ("damaged", { $0[Self.index] = Data("[".utf8) }),
                ("another length", { $0[Self.index] = Data(#"{"oldest":null,"latest":null,"hours":1}"#.utf8) }),
                ("impossible", { $0[Self.index] = Data(#"{"oldest":3,"latest":1,"hours":2}"#.utf8) }),
                ("impossible", { $0[Self.index] = Data(#"{"oldest":1,"latest":3,"hours":2}"#.utf8) }),
            ]
            for (number, (word, damage)) in damages.enumerated() {
                var files = whole
                damage(&files)
                try stage.restore(files)
                let flaws = try await stage.verify().flaws
                #expect(flaws.contains { $0.contains(word) }, "\(number): \(flaws)")
            }
        }
    }

    @Test("an explanation of an hour says where its venue reports are")
    func explained() async throws {
        try await PublishingStage.run { stage in
            try await Self.fold(0..<3, on: stage)
            try await stage.publish(through: Self.noon.advanced(by: 2))
            let explain = stage.explain(at: Self.noon.advanced(by: 3).start)
            let bundle = VenueBundle(firstHour: Self.noon, reports: 20)
            for (offset, expected) in [(0, bundle), (1, bundle), (2, nil)] {
                let hour = Self.noon.advanced(by: offset)
                let explanation = try await explain.hour(hour)
                #expect(explanation == .hour(PublishedHour(hour: hour, keys: 0), expected))
            }
        }
    }
}
