import Foundation
import FurtherAPI
import Postgres
import Schema
import TestSupport
import Testing

@testable import Further

/// Whether the database tells which ids are one person's.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct WrittenHoursTests {
    private static let people = 6

    /// The groups that anything in the table beside ids makes of ids: hidden columns and stored ones.
    private static func groups(in stage: FurtherStage) async throws -> [[String]] {
        try await stage.asSuperuser { session in
            try [
                "xmin::text" as SQL, "cmin::text", "last_update", "written_hour",
            ].map { column in
                try session.rows(
                    """
                    SELECT string_agg(id::text, ' ' ORDER BY id) FROM further.report GROUP BY \(column) ORDER BY 1
                    """, as: String.self)
            }
        }
    }

    /// The keys and the reports that one transaction wrote.
    private static let pairs: SQL = """
        SELECT count(*) FROM further.key JOIN (SELECT DISTINCT xmin FROM further.report) AS report
            ON report.xmin = key.xmin
        """

    private static func forgetOrder(in stage: FurtherStage) async throws -> Int {
        try await stage.asService { client, clock in
            try await WrittenHours.reports(client, by: clock).forgetOrder(at: stage.clock.now)
        }
    }

    @Test func `within the hour the table tells which ids came together, and afterwards nothing does`() async throws {
        try await FurtherStage.run { stage async throws in
            var people: [String] = []
            for person in 0..<Self.people {
                let phone = SigningPhone()
                try await stage.register(phone)
                // The next day, so that a call notes the key's use.
                if person == 0 { stage.clock.advance(by: 86_400) }
                let ids = (0..<14).map { _ in UUID() }
                people.append(ids.map { $0.uuidString.lowercased() }.sorted().joined(separator: " "))
                let update = stage.now - Double(person)
                #expect(try await stage.batch(ids.map { .sample($0, true, at: update) }, by: phone) == 200)
            }
            // The control: each transaction is a person, and so is each second.
            let before = try await Self.groups(in: stage)
            #expect(before[0] == people.sorted())
            #expect(before[2] == people.sorted())
            #expect(try await stage.asSuperuser { try $0.row(Self.pairs, as: Int.self) } == 1)
            stage.clock.advance(by: 3600)
            #expect(try await Self.forgetOrder(in: stage) == 14 * Self.people + Self.people)
            // Everybody's are one group, by whatever column.
            for group in try await Self.groups(in: stage) { #expect(group.count == 1) }
            let order = try await stage.asSuperuser { session in
                try session.rows("SELECT id::text FROM further.report ORDER BY ctid", as: String.self)
            }
            #expect(order.count == 14 * Self.people)
            #expect(order == order.sorted())
        }
    }

    @Test func `rows of this hour stay, times that have passed go, and nothing else is lost`() async throws {
        try await FurtherStage.run { stage async throws in
            let (phone, id) = (SigningPhone(), UUID())
            try await stage.register(phone)
            #expect(try await stage.report(.sample(id, true, at: stage.now), by: phone) == 200)
            #expect(try await stage.batch((0..<14).map { _ in .sample(UUID(), true, at: stage.now) }) == 200)
            #expect(try await Self.forgetOrder(in: stage) == 0)
            stage.clock.advance(by: 3600)
            #expect(try await Self.forgetOrder(in: stage) == 16)
            #expect(try await stage.ids().count == 15)
            let early = try await stage.asSuperuser { session in
                try session.row(
                    "SELECT count(*) FROM further.report WHERE release_at BETWEEN 1 AND \(Int64(stage.now))",
                    as: Int.self)
            }
            #expect(early == 0)
            stage.clock.advance(by: 6 * 3600)
            _ = try await Self.forgetOrder(in: stage)
            let late = try await stage.asSuperuser { session in
                try session.row("SELECT count(*) FROM further.report WHERE release_at > 0", as: Int.self)
            }
            #expect(late == 0)
            // The owner is still the owner, and nobody else is.
            #expect(try await stage.report(.sample(id, true, at: stage.now)) == 401)
            #expect(try await stage.report(.sample(id, false, at: stage.now), by: phone) == 200)
            #expect(try await stage.ids().count == 14)
        }
    }

    @Test func `no two rows show that one key owns them`() async throws {
        try await FurtherStage.run { stage async throws in
            let phone = SigningPhone()
            try await stage.register(phone)
            for _ in 0..<4 { #expect(try await stage.report(.sample(UUID(), true, at: stage.now), by: phone) == 200) }
            let holders = try await stage.asSuperuser { session in
                try session.rows("SELECT holder FROM further.report", as: [UInt8].self)
            }
            #expect(holders.count == 4)
            #expect(Set(holders).count == 4)
        }
    }

    @Test func `reports that come while rows are written again are neither lost nor refused`() async throws {
        try await FurtherStage.run { stage async throws in
            let first = (0..<20).map { _ in UUID() }
            for id in first { #expect(try await stage.report(.sample(id, true, at: stage.now)) == 200) }
            stage.clock.advance(by: 3600)
            let second = (0..<20).map { _ in UUID() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in second + first.prefix(5) {
                    group.addTask {
                        let status = try await stage.report(.sample(id, true, at: stage.now))
                        #expect(status == 200)
                    }
                }
                for _ in 0..<3 { group.addTask { _ = try await Self.forgetOrder(in: stage) } }
                try await group.waitForAll()
            }
            #expect(try await stage.ids() == Set(first + second))
        }
    }
}
