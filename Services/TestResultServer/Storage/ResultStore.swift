import Credentials
import FoundationEssentials
import Postgres
import TestResultAPI

/// A result as it is stored.
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

    /// The outcome of a batch.
    enum Outcome: Sendable {
        /// It was stored.
        /// - Parameter foreign: results that stayed unchanged because another laboratory posted them.
        case stored(foreign: Int)
        /// Nothing was stored: the laboratory's positive results of the hour would have exceeded the limit.
        case overLimit
    }

    /// Inserts or replaces all results in one statement, if the laboratory's positive results of the hour stay within a limit.
    ///
    /// A result stays unchanged if it is redeemed, belongs to another laboratory, or is of another kind of test. If a batch
    /// contains an id twice, the last one counts.
    ///
    /// The hour's row comes first, and rows are written in the order of their ids, so that two batches with the same ids can't
    /// deadlock.
    func upsert(
        _ results: [StoredResult], of family: TestFamily, from laboratory: Laboratory, labID: String?, at now: Date,
        positivesPerHour limit: Int
    ) async throws -> Outcome {
        let latest = Dictionary(results.map { ($0.id.text, $0) }, uniquingKeysWith: { $1 }).values
            .sorted { $0.id.text < $1.id.text }
        let ids = latest.map(\.id.text)
        let codes = latest.map { Int16($0.code.rawValue) }
        let collected = latest.map(\.sampleCollected)
        let positives = Int32(latest.count { $0.code.isPositive })
        let hour = Int32((now.timeIntervalSince1970 / 3600).rounded(.down))
        let kind = family.codes.map { Int16($0.rawValue) }
        return try await database.session { session in
            let row = try session.row(
                """
                WITH counted AS (
                    INSERT INTO test_results.positive_hour AS known (laboratory, hour, positives)
                    SELECT \(laboratory.name), \(hour), \(positives)
                    WHERE \(positives) BETWEEN 1 AND \(Int32(limit))
                    ON CONFLICT (laboratory, hour) DO UPDATE SET positives = known.positives + excluded.positives
                    WHERE known.positives + excluded.positives <= \(Int32(limit))
                    RETURNING 1
                ), stored AS (
                    INSERT INTO test_results.result (id, code, sample_collected, lab_id, posted_by, created_at)
                    SELECT id, code, collected, \(nullable: labID), \(laboratory.name), \(now)
                    FROM unnest(\(ids), \(codes), \(collected)) AS batch (id, code, collected)
                    WHERE \(positives) = 0 OR EXISTS (SELECT FROM counted)
                    ON CONFLICT (id) DO UPDATE
                    SET code = excluded.code, sample_collected = excluded.sample_collected, lab_id = excluded.lab_id,
                        posted_by = excluded.posted_by
                    WHERE result.code NOT IN (4, 9, 14) AND result.code = ANY(\(kind))
                        AND coalesce(result.posted_by, excluded.posted_by) = excluded.posted_by
                    RETURNING 1
                )
                SELECT \(positives) = 0 OR EXISTS (SELECT FROM counted), (SELECT count(*) FROM stored)
                """, as: Bool.self, Int.self)
            guard let (isWithinLimit, stored) = row, isWithinLimit else { return .overLimit }
            // The usual case: one statement.
            if stored == latest.count { return .stored(foreign: 0) }
            let foreign = try session.row(
                """
                SELECT count(*) FROM test_results.result
                WHERE id = ANY(\(ids)) AND code NOT IN (4, 9, 14)
                    AND (code <> ALL(\(kind)) OR posted_by <> \(laboratory.name))
                """, as: Int.self)
            return .stored(foreign: foreign ?? 0)
        }
    }

    /// The results of ids; unknown ids are missing.
    /// - Parameter isConfirmed: whether a commit confirms them (``PostgresClient/confirmedRead(_:)``).
    func find(
        _ ids: [ResultID], confirmed isConfirmed: Bool = false
    ) async throws -> [ResultID: (result: StoredResult, labID: String?)] {
        let wanted = ids.map(\.text)
        let read = { @Sendable (session: Session) in
            try session.rows(
                "SELECT id, code, sample_collected, lab_id FROM test_results.result WHERE id = ANY(\(wanted))",
                as: String.self, Int16.self, Int32.self, String?.self)
        }
        let rows = try await isConfirmed ? database.confirmedRead(read) : database.session(read)
        return rows.reduce(into: [:]) { found, row in
            guard let id = ResultID(row.0), let code = TestResultCode(rawValue: Int(row.1)) else { return }
            found[id] = (StoredResult(id: id, code: code, sampleCollected: row.2), row.3)
        }
    }
}
