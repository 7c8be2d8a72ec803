import FoundationEssentials
import Postgres

extension RetentionRule {
    /// The rules of the schema `test_results`.
    ///
    /// Whether a result was positive or negative is erased when no session can ask for it any more. Both limits for results
    /// count from the first post for the test: `created_at` never changes, so no replacement keeps a result alive. Redeemed
    /// results have the codes 4, 9 and 14, for PCR, rapid antigen and point-of-care PCR tests
    /// (corona-warn-app/cwa-testresult-server: `QuickTestResult.java`, `PocNatResult.java`); the server never replaces them.
    static let testResults: [RetentionRule] = [
        RetentionRule(.testResults, "test_results.result", limit: "21 days until redeemed") {
            session, now throws(PostgresError) in
            try inBatches { () throws(PostgresError) in
                try session.execute(
                    """
                    WITH old AS MATERIALIZED (
                        SELECT id FROM test_results.result
                        WHERE created_at < \(now.addingTimeInterval(-21 * day)) AND code NOT IN (4, 9, 14)
                        LIMIT \(batch) FOR UPDATE SKIP LOCKED
                    )
                    UPDATE test_results.result SET code = CASE WHEN code < 5 THEN 4 WHEN code < 10 THEN 9 ELSE 14 END
                    FROM old WHERE result.id = old.id
                    """)
            }
        },
        RetentionRule(.testResults, "test_results.result", limit: "60 days") { session, now throws(PostgresError) in
            try inBatches { () throws(PostgresError) in
                try session.execute(
                    """
                    WITH old AS MATERIALIZED (
                        SELECT id FROM test_results.result WHERE created_at < \(now.addingTimeInterval(-60 * day))
                        LIMIT \(batch) FOR UPDATE SKIP LOCKED
                    )
                    DELETE FROM test_results.result USING old WHERE result.id = old.id
                    """)
            }
        },
        RetentionRule(.testResults, "test_results.positive_hour", limit: "1 day") {
            session, now throws(PostgresError) in
            let firstKept = now.hourNumber - 24
            return try session.execute("DELETE FROM test_results.positive_hour WHERE hour < \(firstKept)")
        },
    ]
}
