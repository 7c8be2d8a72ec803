import Credentials
import FoundationEssentials
import Postgres
import TestResultAPI

/// A result as it is kept.
struct StoredResult: Sendable {
    let id: ResultID
    let code: TestResultCode
    /// Seconds since the epoch.
    let sampleCollected: Int32
}

/// The table `test_results.result`.
struct ResultStore: Sendable {
    private let database: PostgresClient

    init(_ database: PostgresClient) {
        self.database = database
    }

    /// Inserts or replaces all results in one statement. A result that was redeemed stays as it is. Where a batch has
    /// an id twice, the last one counts. Rows are written in the order of their ids, so that two batches that share
    /// ids can't wait for each other in a circle.
    func upsert(_ results: [StoredResult], labID: String?, at now: Date) async throws {
        let latest = Dictionary(results.map { ($0.id.text, $0) }, uniquingKeysWith: { $1 }).values
            .sorted { $0.id.text < $1.id.text }
        let ids = latest.map(\.id.text)
        let codes = latest.map { Int16($0.code.rawValue) }
        let collected = latest.map(\.sampleCollected)
        try await database.session { session in
            _ = try session.execute(
                """
                INSERT INTO test_results.result (id, code, sample_collected, lab_id, created_at)
                SELECT id, code, collected, \(nullable: labID), \(now)
                FROM unnest(\(ids), \(codes), \(collected)) AS batch (id, code, collected)
                ON CONFLICT (id) DO UPDATE
                SET code = excluded.code, sample_collected = excluded.sample_collected, lab_id = excluded.lab_id
                WHERE result.code NOT IN (4, 9, 14)
                """)
        }
    }

    /// The results of ids; those that nobody posted are missing.
    func find(_ ids: [ResultID]) async throws -> [ResultID: (result: StoredResult, labID: String?)] {
        let wanted = ids.map(\.text)
        let rows = try await database.session { session in
            try session.rows(
                "SELECT id, code, sample_collected, lab_id FROM test_results.result WHERE id = ANY(\(wanted))",
                as: String.self, Int16.self, Int32.self, String?.self)
        }
        return rows.reduce(into: [:]) { found, row in
            guard let id = ResultID(row.0), let code = TestResultCode(rawValue: Int(row.1)) else { return }
            found[id] = (StoredResult(id: id, code: code, sampleCollected: row.2), row.3)
        }
    }
}
