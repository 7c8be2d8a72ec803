import Foundation
import FurtherAPI
import HTTPContract
import Postgres
import TestSupport
import Testing

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct BatchTests {
    /// The ids with their release and withdrawal.
    private static func times(in stage: FurtherStage) async throws -> [UUID: (release: Int64, withdrawal: Int64?)] {
        let rows = try await stage.asSuperuser { session in
            try session.rows(
                "SELECT id, release_at, withdrawn_at FROM further.report", as: UUID.self, Int64.self, Int64?.self)
        }
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.0, ($0.1, $0.2)) })
    }

    private static func reports(_ ids: [UUID], _ isPositive: Bool, at now: Double) -> [HealthReport] {
        ids.map { .sample($0, isPositive, at: now) }
    }

    @Test func `the ids of a batch come at times of their own within six hours`() async throws {
        try await FurtherStage.run { stage async throws in
            let ids = (0..<14).map { _ in UUID() }
            #expect(try await stage.batch(Self.reports(ids, true, at: stage.now)) == 200)
            let times = try await Self.times(in: stage)
            #expect(Set(times.keys) == Set(ids))
            let now = Int64(stage.now)
            for (release, withdrawal) in times.values {
                #expect(release > now && release <= now + 6 * 3600 && release.isMultiple(of: 300))
                #expect(withdrawal == nil)
            }
            // All 14 at the same of 72 times: never.
            #expect(Set(times.values.map(\.release)).count > 1)
        }
    }

    @Test func `without a spread a batch is published at once, and goes at once`() async throws {
        try await FurtherStage.run(settings: ["batch.spreadHours": "0"]) { stage async throws in
            let ids = (0..<14).map { _ in UUID() }
            #expect(try await stage.batch(Self.reports(ids, true, at: stage.now)) == 200)
            #expect(try await Self.times(in: stage).values.allSatisfy { $0.release == 0 })
            #expect(try await stage.batch(Self.reports(ids, false, at: stage.now)) == 200)
            #expect(try await stage.ids().isEmpty)
        }
    }

    @Test func `a repeated batch neither refreshes its ids nor draws new times, and a single report releases its id`()
        async throws
    {
        try await FurtherStage.run { stage async throws in
            let ids = (0..<13).map { _ in UUID() }
            #expect(try await stage.batch(Self.reports(ids, true, at: stage.now)) == 200)
            let first = try await Self.times(in: stage).mapValues(\.release)
            stage.clock.advance(by: 7 * 3600)
            #expect(try await stage.batch(Self.reports(ids, true, at: stage.now)) == 200)
            #expect(try await Self.times(in: stage).mapValues(\.release) == first)
            let updates = try await stage.asSuperuser { session in
                try session.rows("SELECT DISTINCT last_update FROM further.report", as: Int64.self)
            }
            #expect(updates == [Int64(FurtherStage.start.timeIntervalSince1970)])
            #expect(try await stage.report(.sample(ids[0], true, at: stage.now)) == 200)
            #expect(try await Self.times(in: stage)[ids[0]]?.release == 0)
        }
    }

    @Test func `ids that a batch takes back go at times of their own once they are published, before that at once`()
        async throws
    {
        try await FurtherStage.run { stage async throws in
            let ids = (0..<14).map { _ in UUID() }
            #expect(try await stage.batch(Self.reports(ids, true, at: stage.now)) == 200)
            stage.clock.advance(by: 3 * 3600)
            let before = try await Self.times(in: stage)
            let published = Set(before.filter { $0.value.release <= Int64(stage.now) }.keys)
            #expect(try await stage.batch(Self.reports(ids, false, at: stage.now)) == 200)
            let after = try await Self.times(in: stage)
            #expect(Set(after.keys) == published)
            for (_, withdrawal) in after.values {
                let time = try #require(withdrawal)
                #expect(time > Int64(stage.now) && time <= Int64(stage.now) + 6 * 3600 && time.isMultiple(of: 300))
            }
            // Positive again: it stays.
            stage.clock.advance(by: 60)
            #expect(try await stage.batch(Self.reports(Array(published), true, at: stage.now)) == 200)
            #expect(
                try await Self.times(in: stage).filter { published.contains($0.key) }.values.allSatisfy {
                    $0.withdrawal == nil
                })
            // A single report goes at once.
            for id in published { #expect(try await stage.report(.sample(id, false, at: stage.now)) == 200) }
            #expect(try await stage.ids().isDisjoint(with: published))
        }
    }

    @Test func `a batch is taken as a whole or not at all`() async throws {
        try await FurtherStage.run { stage async throws in
            let reports = (0..<14).map { _ in HealthReport.sample(UUID(), true, at: stage.now) }
            func text(_ reports: [HealthReport]) throws -> String {
                "[" + (try reports.map { String(decoding: try $0.encodedBody(), as: UTF8.self) }).joined(separator: ",")
                    + "]"
            }
            let late = HealthReport.sample(UUID(), true, at: stage.now + 301)
            let bodies = [
                "[]", "{}", try text(Array(reports.dropLast())),
                try text(reports + [.sample(UUID(), true, at: stage.now)]),
                try text(reports.dropLast() + [reports[0]]), try text(reports.dropLast() + [late]),
                try text(reports).replacingOccurrences(of: reports[13].id.uuidString, with: "x"),
                String(decoding: try reports[0].encodedBody(), as: UTF8.self),
            ]
            for body in bodies { #expect(try await stage.send("/health/batch", Data(body.utf8)) == 400, "\(body)") }
            #expect(try await stage.ids().isEmpty)
            let whole = try text(reports)
            #expect(whole.utf8.count < 4096)
            #expect(try await stage.send("/health/batch", Data(whole.utf8)) == 200)
            #expect(try await stage.ids().count == 14)
        }
    }

    @Test func `an id that another key owns refuses the whole batch`() async throws {
        try await FurtherStage.run { stage async throws in
            let (owner, other) = (SigningPhone(), SigningPhone())
            try await stage.register(owner)
            try await stage.register(other)
            let owned = UUID()
            #expect(try await stage.report(.sample(owned, true, at: stage.now), by: owner) == 200)
            let reports = [HealthReport.sample(UUID(), true, at: stage.now), .sample(owned, false, at: stage.now)]
            #expect(try await stage.batch(reports, by: other) == 403)
            #expect(try await stage.batch(reports) == 401)
            #expect(try await stage.ids() == [owned])
            #expect(try await stage.batch(reports, by: owner) == 200)
            // A batch owns nothing.
            let holders = try await stage.asSuperuser { session in
                try session.rows("SELECT id FROM further.report WHERE holder IS NOT NULL", as: UUID.self)
            }
            #expect(holders == [owned])
        }
    }
}
