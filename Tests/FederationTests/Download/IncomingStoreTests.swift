import ExposureKeys
import FederationFormat
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Federation

/// What is stored of other countries' batches.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct IncomingStoreTests {
    private static let now = FederationStage.now
    private static let day = Day(containing: now)

    private func tag(_ number: Int) throws -> BatchTag { try #require(BatchTag("20261124-\(number)")) }

    private func read(_ keys: [FederatedKey]) throws -> ReadBatch {
        let rules = try ImportRules.usual()
        return ReadBatch(
            state: .imported, count: keys.count, keys: try keys.map { try rules.foreignKey($0, at: Self.now) },
            uploads: [.init(country: try .france, keys: keys.count, outcome: "verified")])
    }

    private func announced(_ stage: FederationStage, _ number: Int) async throws -> AnnouncedBatch {
        try await stage.incoming.announce(tag(number), Self.day, days: 2, at: Self.now)
        return try #require(try await stage.incoming.next(dueAt: Self.now))
    }

    @Test func `a batch is read once, and reading it again stores nothing twice`() async throws {
        try await FederationStage.run { stage in
            let keys = try (0..<20).map { try Sample.foreignKey(seed: $0) }
            let batch = try await announced(stage, 1)
            let kept = try await stage.incoming.keep(read(keys), of: batch, days: 2, at: Self.now)
            #expect(kept.countries == [try .france: 20])
            #expect(try await stage.incoming.next(dueAt: Self.now) == nil)
            try await stage.incoming.announce(tag(1), Self.day, days: 2, at: Self.now)
            #expect(try await stage.incoming.next(dueAt: Self.now) == nil)
            let again = try await stage.incoming.keep(read(keys), of: batch, days: 2, at: Self.now)
            #expect(again.imported == 0)
            #expect(again.leftOut == ["known": 20])
            #expect(try await stage.imported().count == 20)
        }
    }

    @Test func `a key that home has already isn't imported, nor a key twice`() async throws {
        try await FederationStage.run { stage in
            let keys = try (0..<3).map { try Sample.foreignKey(seed: $0) }
            let home = try ImportRules.usual().foreignKey(keys[0], at: Self.now).key
            try await stage.fold(Hour(containing: Self.now), [StreamedKey(home, .federated)])
            let batch = try await announced(stage, 1)
            let kept = try await stage.incoming.keep(read(keys + [keys[1]]), of: batch, days: 2, at: Self.now)
            #expect(kept.leftOut == ["home_key": 1, "known": 1])
            #expect(Set(try await stage.imported().map(\.data)) == Set(keys.dropFirst().map(\.data)))
        }
    }

    @Test func `a country that sends a key under another day keeps nobody from importing the real one`() async throws {
        try await FederationStage.run { stage in
            let real = try Sample.foreignKey(seed: 1)
            for (number, daysAgo) in [(1, 6), (2, 2)] {
                let batch = try await announced(stage, number)
                let wrong = try Sample.foreignKey(seed: 1, daysAgo: daysAgo)
                #expect(wrong.data == real.data && wrong.rollingPeriod != real.rollingPeriod)
                let kept = try await stage.incoming.keep(
                    read(number == 1 ? [wrong] : [real, wrong]), of: batch, days: 2, at: Self.now)
                #expect(kept.imported == number)
            }
            #expect(try await stage.imported().count == 3)
        }
    }

    @Test func `no key joins an hour that has ended`() async throws {
        try await FederationStage.run { stage in
            let hour = Hour(containing: Self.now)
            var batch = try await announced(stage, 1)
            _ = try await stage.incoming.keep(read([Sample.foreignKey(seed: 1)]), of: batch, days: 2, at: Self.now)
            try await stage.incoming.endHours(through: hour.advanced(by: 3))
            // An earlier end changes nothing.
            try await stage.incoming.endHours(through: hour.advanced(by: -1))
            batch = try await announced(stage, 2)
            _ = try await stage.incoming.keep(read([Sample.foreignKey(seed: 2)]), of: batch, days: 2, at: Self.now)
            #expect(try await stage.imported().map(\.hour).sorted() == [hour, hour.advanced(by: 4)])
        }
    }

    @Test func `a batch that was used in part may turn out unreadable later`() async throws {
        try await FederationStage.run { stage in
            let batch = try await announced(stage, 1)
            var partial = try read([Sample.foreignKey(seed: 1)])
            partial.state = .partial
            partial.count = 2
            _ = try await stage.incoming.keep(partial, of: batch, days: 2, at: Self.now)
            _ = try await stage.incoming.keep(.quarantined("not_a_batch"), of: batch, days: 2, at: Self.now)
            let status = try await stage.status.status()
            #expect(status.troubled.map(\.state) == ["quarantined"])
            #expect(status.keysImported == 1)
        }
    }

    @Test func `keys of the oldest day are stored although the hour of import is of a later day`() async throws {
        try await FederationStage.run { stage in
            let midnight = Self.day.lastHour
            try await stage.incoming.endHours(through: midnight)
            let batch = try await announced(stage, 1)
            let old = try Sample.foreignKey(seed: 1, daysAgo: 14)
            _ = try await stage.incoming.keep(read([old]), of: batch, days: 2, at: Self.now)
            #expect(try await stage.imported().map(\.hour) == [midnight.advanced(by: 1)])
        }
    }

    @Test func `batches of days that aren't looked through are ignored, and no day has more than its share`()
        async throws
    {
        try await FederationStage.run { stage in
            for (number, day) in [(1, -3), (2, 2)] {
                try await stage.incoming.announce(tag(number), Self.day.advanced(by: day), days: 2, at: Self.now)
            }
            #expect(try await stage.incoming.next(dueAt: Self.now) == nil)
            let day = Self.day.number
            try await stage.superuser.session { session in
                _ = try session.execute(
                    """
                    INSERT INTO federation.incoming_batch (gateway, tag, day, announced_at, due_at, changed_at)
                    SELECT 'efgs', 'x-' || number, \(day), now(), 'infinity', now() FROM generate_series(1, 2000) AS number
                    """)
            }
            try await stage.incoming.announce(tag(1), Self.day, days: 2, at: Self.now)
            #expect(try await stage.incoming.next(dueAt: Self.now) == nil)
            try await stage.incoming.announce(tag(2), Self.day.advanced(by: -1), days: 2, at: Self.now)
            #expect(try await stage.incoming.next(dueAt: Self.now)?.tag == (try tag(2)))
        }
    }

    @Test func `ends of the chain are those that were read and name nothing after them`() async throws {
        try await FederationStage.run { stage in
            let first = try await announced(stage, 1)
            #expect(try await stage.incoming.ends(from: Self.day, most: 10).map(\.tag) == [])
            _ = try await stage.incoming.keep(ReadBatch(state: .imported), of: first, days: 2, at: Self.now)
            #expect(try await stage.incoming.ends(from: Self.day, most: 10).map(\.tag) == [try tag(1)])
            try await stage.incoming.link(first, to: tag(1), days: 2, at: Self.now)
            #expect(try await stage.incoming.ends(from: Self.day, most: 10).map(\.tag) == [try tag(1)])
            try await stage.incoming.link(first, to: tag(10), days: 2, at: Self.now)
            #expect(try await stage.incoming.ends(from: Self.day, most: 10).map(\.tag) == [])
            #expect(try await stage.incoming.next(dueAt: Self.now)?.tag == (try tag(10)))
        }
    }

    @Test func `what somebody has to look at is explained and tried again`() async throws {
        try await FederationStage.run { stage in
            let batch = try await announced(stage, 1)
            var bad = ReadBatch.quarantined("no_audit")
            bad.leaveOut("unverified", 3)
            bad.uploads = [.init(country: nil, keys: 0, outcome: "country")]
            bad.next = try tag(2)
            _ = try await stage.incoming.keep(bad, of: batch, days: 2, at: Self.now)
            let status = try await stage.status.status()
            #expect(
                status.troubled == [.init(direction: "in", tag: "20261124-1", state: "quarantined", reason: "no_audit")]
            )
            let lines = try await stage.status.explain(tag(1)).flatMap(\.lines).joined(separator: "\n")
            for words in [
                "quarantined (no_audit)", "unknown country", "3 keys left out: unverified", "20261124-2 follows",
            ] {
                #expect(lines.contains(words), "\(words)")
            }
            #expect(try await stage.incoming.retry(tag(1), at: Self.now) == 1)
            #expect(try await stage.incoming.retry(tag(1), at: Self.now) == 0)
            #expect(try await stage.incoming.next(dueAt: Self.now)?.tag == (try tag(1)))
        }
    }
}
