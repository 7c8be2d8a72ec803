import FoundationEssentials
import Postgres
import Schema
import Statistics
import TestSupport
import Testing

@testable import Federation

/// What left for other countries on a day, and what came from them.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct FederationFigureTests {
    /// Local midnight from Saturday to Sunday, 2026-10-25, in Berlin: a day of 25 hours, from 22:00 to 23:00 UTC.
    private static let sunday = Date(timeIntervalSince1970: 1_792_879_200)
    private static let first = Int32(sunday.timeIntervalSince1970 / 3600)
    private static let sources: [FigureSource] = [.keysShared, .keysImported]

    /// Releases what is over some hours after the day has begun.
    private func release(after hours: Double, in stage: FederationStage) async throws {
        try await FigureRelease.run(Self.sources, at: Self.sunday + hours * 3600, in: stage.client)
    }

    private func decide(_ gateway: String, _ hours: [Int32], in stage: FederationStage) async throws {
        try await stage.client.session { session in
            for hour in hours {
                try session.execute(
                    "INSERT INTO federation.shared_slot (gateway, hour, keys) VALUES (\(gateway), \(Self.first + hour), 0)"
                )
            }
        }
    }

    /// Stores batches: gateway, state, the slot's last hour, keys.
    private func insert(
        _ batches: [(String, OutgoingState, Int32, Int32)], in stage: FederationStage
    ) async throws {
        try await stage.client.session { session in
            for (number, (gateway, state, hour, keys)) in batches.enumerated() {
                try session.execute(
                    """
                    INSERT INTO federation.outgoing_batch (
                        gateway, tag, hour, keys, content, state, due_at, changed_at
                    )
                    VALUES (\(gateway), \("batch-\(number)"), \(Self.first + hour), \(keys),
                        CASE WHEN \(state.rawValue) <> 'delivered' THEN ''::bytea END, \(state.rawValue), now(), now())
                    """)
            }
        }
    }

    private func endHours(through hour: Int32, in stage: FederationStage) async throws {
        try await stage.client.session { session in
            _ = try session.execute("INSERT INTO foreign_keys.imported_hour (hour) VALUES (\(Self.first + hour))")
        }
    }

    /// Stores keys: country, hour of import, count.
    private func receive(_ keys: [(String, Int32, Int32)], in stage: FederationStage) async throws {
        try await stage.client.transaction { session in
            let day = Self.first / 24
            try session.execute("SELECT foreign_keys.ensure_day(\(day))")
            for (number, (origin, hour, count)) in keys.enumerated() {
                try session.execute(
                    """
                    INSERT INTO foreign_keys.diagnosis_key (
                        hour, key_data, rolling_start, rolling_period, transmission_risk_level, days_since_onset,
                        report_type, origin, visited)
                    SELECT \(Self.first + hour), decode(lpad((\(Int32(number)) * 10000 + n)::text, 32, '0'), 'hex'),
                        \(day * 144), 144, 5, 1, 1, \(origin), 'DE'
                    FROM generate_series(1, \(count)) AS n
                    """)
            }
        }
    }

    @Test("delivered keys of a day's slots are counted once, at the gateway that took most")
    func shared() async throws {
        try await FederationStage.run { stage in
            try await release(after: -1, in: stage)
            try await insert(
                [
                    ("efgs", .delivered, -1, 3_000), ("efgs", .delivered, 1, 170), ("efgs", .delivered, 5, 140),
                    ("efgs", .delivered, 24, 145), ("efgs", .delivered, 25, 3_000), ("efgs", .refused, 9, 1_000),
                    ("efgs", .carried, 9, 20), ("chgs", .delivered, 5, 320),
                ], in: stage)
            try await decide("efgs", [1, 5, 9, 13, 17, 21, 25], in: stage)
            try await decide("chgs", [5, 25], in: stage)
            try await release(after: 27, in: stage)
            #expect(try await stage.database.released(.keysShared) == ["keys-shared 2026-10-25 1 460"])
        }
    }

    @Test("a day is released when every gateway has decided its slots and no batch waits; too few keys are withheld")
    func unfinished() async throws {
        try await FederationStage.run { stage in
            try await release(after: -1, in: stage)
            // Without a slot there is nothing to count.
            try await release(after: 27, in: stage)
            try await insert([("efgs", .delivered, 1, 139), ("efgs", .waiting, 9, 140)], in: stage)
            try await decide("efgs", [1, 21], in: stage)
            try await decide("chgs", [23], in: stage)
            try await release(after: 28, in: stage)
            try await decide("efgs", [25], in: stage)
            try await release(after: 29, in: stage)
            try await decide("chgs", [24], in: stage)
            try await release(after: 30, in: stage)
            #expect(try await stage.database.released(.keysShared) == [])
            try await stage.client.session { session in
                _ = try session.execute("DELETE FROM federation.outgoing_batch WHERE state = 'waiting'")
            }
            try await release(after: 31, in: stage)
            #expect(try await stage.database.released(.keysShared) == ["keys-shared 2026-10-25 1 withheld"])
        }
    }

    @Test("imported keys are counted by country once the day's last hour has ended; fewer than 50 are withheld")
    func imported() async throws {
        try await FederationStage.run { stage in
            try await release(after: -1, in: stage)
            try await receive(
                [
                    ("FR", -1, 500), ("FR", 0, 60), ("FR", 24, 65), ("FR", 25, 500), ("IT", 3, 49), ("CH", 4, 50),
                    // No country of the list.
                    ("GB", 5, 700),
                ], in: stage)
            try await endHours(through: 23, in: stage)
            try await release(after: 27, in: stage)
            #expect(try await stage.database.released(.keysImported) == [])
            try await endHours(through: 24, in: stage)
            // An hour after the day's end, not before.
            try await release(after: 25.9, in: stage)
            #expect(try await stage.database.released(.keysImported) == [])
            try await release(after: 26, in: stage)
            let values = Figure.keysImported.definition.cells.map { cell in
                "keys-imported \(cell) 2026-10-25 1 \(["fr": "130", "ch": "50"][cell] ?? "withheld")"
            }
            #expect(try await stage.database.released(.keysImported) == values)
        }
    }

    @Test("a day isn't released when its keys have begun to expire")
    func late() async throws {
        try await FederationStage.run { stage in
            try await release(after: -1, in: stage)
            try await receive([("FR", 1, 100)], in: stage)
            try await endHours(through: 100, in: stage)
            try await release(after: 25 + 3 * 24, in: stage)
            let released = try await stage.database.released(.keysImported)
            #expect(!released.isEmpty && !released.contains { $0.contains("2026-10-25") })
        }
    }
}
