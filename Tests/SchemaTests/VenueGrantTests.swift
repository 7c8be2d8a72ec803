import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Testing

/// What the portal and distribution can and can't do with tracers' entries, whatever their programs try.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct VenueGrantTests {
    private static let ada = [UInt8](repeating: 1, count: 32)
    private static let grace = [UInt8](repeating: 2, count: 32)
    private static let tag = [UInt8](repeating: 3, count: 32)
    private static let numberTag = [UInt8](repeating: 4, count: 48)

    private struct Stage: Sendable {
        let portal: PostgresClient
        let distribution: PostgresClient
        let superuser: PostgresClient

        func enter(
            _ tags: [[UInt8]] = [tag], from start: Int32 = 100, to end: Int32 = 106, severity: String = "inform",
            message: String = "take-test"
        ) async throws -> UUID {
            let id = UUID()
            _ = try await portal.session { session in
                try session.execute(
                    """
                    INSERT INTO venues.event (event_id, tags, start_interval, end_interval, severity, message, author)
                    VALUES (\(id), \(tags), \(start), \(end), \(severity), \(message), \(ada))
                    """)
            }
            return id
        }

        func decide(_ event: UUID, _ decision: Int16, by officer: [UInt8]) async throws -> [Int] {
            try await portal.session { session in
                try session.row(
                    "SELECT state, changed FROM venues.decide(\(event), \(decision), \(officer))", as: Int16.self,
                    Bool.self
                ).map { [Int($0.0), $0.1 ? 1 : 0] } ?? []
            }
        }
    }

    private func run(_ body: @Sendable (Stage) async throws -> Void) async throws {
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.connection(as: .healthPortal)) { portal in
                try await TestPostgres.withClient(database.connection(as: .distribution)) { distribution in
                    try await TestPostgres.withClient(database.superuserConnection) { superuser in
                        try await body(Stage(portal: portal, distribution: distribution, superuser: superuser))
                    }
                }
            }
        }
    }

    private func refused(_ client: PostgresClient, _ sql: SQL, _ name: String) async {
        let error = await #expect(throws: PostgresError.self, "\(name)") {
            try await client.session { try $0.execute(sql) }
        }
        #expect(error?.sqlState == .insufficientPrivilege, "\(name)")
    }

    @Test func `the portal can't enter an approved event, change one, or decide without the function`() async throws {
        try await run { stage in
            let id = try await stage.enter()
            let (tag, ada, grace) = (Self.tag, Self.ada, Self.grace)
            let attempts: [(String, SQL)] = [
                (
                    "an approved event",
                    """
                    INSERT INTO venues.event
                        (event_id, tags, start_interval, end_interval, severity, message, author, state, approver)
                    VALUES (\(UUID()), \([tag]), 100, 106, 'test', 'take-test', \(ada), 1::smallint, \(grace))
                    """
                ),
                ("the state", "UPDATE venues.event SET state = 1, approver = \(grace) WHERE event_id = \(id)"),
                ("the author", "UPDATE venues.event SET author = \(grace) WHERE event_id = \(id)"),
                ("the tags", "UPDATE venues.event SET tags = \([Self.numberTag]) WHERE event_id = \(id)"),
            ]
            for (name, sql) in attempts { await refused(stage.portal, sql, name) }
        }
    }

    @Test func `distribution sees approved and revoked events, no officers, and changes nothing`() async throws {
        try await run { stage in
            let (waiting, approved) = (try await stage.enter(), try await stage.enter([Self.numberTag]))
            let (refusedID, revoked) = (try await stage.enter(), try await stage.enter())
            _ = try await stage.decide(approved, 1, by: Self.grace)
            _ = try await stage.decide(refusedID, 2, by: Self.grace)
            _ = try await stage.decide(revoked, 1, by: Self.grace)
            _ = try await stage.decide(revoked, 3, by: Self.grace)
            let seen = try await stage.distribution.session { session in
                try session.rows(
                    "SELECT event_id, revision, revoked, cardinality(tags) FROM venues.published_event", as: UUID.self,
                    Int32.self, Bool.self, Int32.self)
            }
            #expect(seen.count == 2)
            #expect(seen.contains { $0 == (approved, 1, false, 1) })
            #expect(seen.contains { $0 == (revoked, 2, true, 0) })
            #expect(!seen.contains { $0.0 == waiting })
            for (name, sql): (String, SQL) in [
                ("the table", "SELECT author FROM venues.event"),
                ("a decision", "SELECT * FROM venues.decide(\(waiting), 1::smallint, \(Self.grace))"),
                ("a row less", "DELETE FROM venues.event"), ("a view less", "DELETE FROM venues.published_event"),
                ("another view", "UPDATE venues.published_event SET revision = 9"),
            ] { await refused(stage.distribution, sql, name) }
        }
    }

    @Test func `a second person decides, once`() async throws {
        try await run { stage in
            let id = try await stage.enter()
            #expect(try await stage.decide(id, 1, by: Self.ada) == [0, 0])
            #expect(try await stage.decide(id, 2, by: Self.ada) == [0, 0])
            #expect(try await stage.decide(id, 3, by: Self.grace) == [0, 0])
            #expect(try await stage.decide(id, 1, by: Self.grace) == [1, 1])
            #expect(try await stage.decide(id, 1, by: Self.grace) == [1, 0])
            #expect(try await stage.decide(id, 2, by: Self.grace) == [1, 0])
            #expect(try await stage.decide(id, 3, by: Self.ada) == [3, 1])
            #expect(try await stage.decide(id, 3, by: Self.grace) == [3, 0])
            #expect(try await stage.decide(id, 1, by: Self.grace) == [3, 0])
            #expect(try await stage.decide(UUID(), 1, by: Self.grace) == [])
            for unknown: Int16 in [-1, 0, 4] {
                let other = try await stage.enter()
                #expect(try await stage.decide(other, unknown, by: Self.grace) == [0, 0])
            }
            // Even who owns the tables can't be both.
            let other = try await stage.enter()
            let error = await #expect(throws: PostgresError.self) {
                try await stage.superuser.session {
                    try $0.execute("UPDATE venues.event SET state = 1, approver = author WHERE event_id = \(other)")
                }
            }
            // check_violation
            #expect(error?.sqlState == "23514")
        }
    }

    @Test func `of two people who decide at the same moment, one does`() async throws {
        try await run { stage in
            for _ in 0..<20 {
                let id = try await stage.enter()
                async let approval = stage.decide(id, 1, by: Self.grace)
                async let refusal = stage.decide(id, 2, by: [UInt8](repeating: 7, count: 32))
                let (first, second) = (try await approval, try await refusal)
                #expect(first[1] + second[1] == 1)
                #expect(first[0] == second[0])
            }
        }
    }

    @Test func `the table refuses what is no event`() async throws {
        try await run { stage in
            let (tag, number) = (Self.tag, Self.numberTag)
            let short = [UInt8](repeating: 1, count: 31)
            for tags in [
                [], [short], [tag, tag, tag], [tag, number], [number, number], [number, tag], [tag, short],
            ] {
                await #expect(throws: PostgresError.self) { try await stage.enter(tags) }
            }
            for (start, end): (Int32, Int32) in [(100, 100), (100, 99), (100, 245), (-1, 5)] {
                await #expect(throws: PostgresError.self) { try await stage.enter(from: start, to: end) }
            }
            await #expect(throws: PostgresError.self) { try await stage.enter(severity: "panic") }
            for message in ["", "Ada Amt", "take-test\n", String(repeating: "a", count: 41)] {
                await #expect(throws: PostgresError.self) { try await stage.enter(message: message) }
            }
            _ = try await stage.enter([tag, tag.map { $0 + 1 }], from: 100, to: 244)
        }
    }

    @Test func `an event and a tombstone go 14 days after the end, and not before`() async throws {
        let now = Date(timeIntervalSince1970: 1_779_796_800)
        let last = Int32(1_779_796_800 / 600) - 14 * 144
        try await run { stage in
            let kept = try await stage.enter(from: last - 3, to: last + 1)
            let tombstone = try await stage.enter(from: last - 3, to: last + 1)
            _ = try await stage.decide(tombstone, 1, by: Self.grace)
            _ = try await stage.decide(tombstone, 3, by: Self.grace)
            _ = try await stage.enter(from: last - 3, to: last)
            let clock = DatabaseClock(of: stage.portal, movedLike: ManualClock(now).clock)
            _ = try await Retention.apply(.healthPortal, at: now, by: clock, in: stage.portal)
            let left = try await stage.portal.session {
                try $0.rows("SELECT event_id FROM venues.event", as: UUID.self)
            }
            #expect(Set(left) == [kept, tombstone])
        }
    }
}
