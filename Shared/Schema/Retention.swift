package import FoundationEssentials
package import Postgres

/// For how long tables keep their rows.
///
/// These rules and the migrations are the page on which an operator reads who may know what for how long. The service
/// that owns a table applies its rules (``Retention/apply(_:at:by:in:)``) all the time.
package struct RetentionRule: Sendable {
    /// Whose rows they are: the service that connects as this role applies the rule.
    package let role: DatabaseRole
    /// The tables from which it deletes, or whose rows it redeems, each as `schema.table`.
    package let tables: [String]
    /// When a row goes, in words.
    package let limit: String
    /// Deletes or redeems what is too old at an instant; gives the number of rows.
    fileprivate let delete: @Sendable (Session, Date) throws(PostgresError) -> Int

    fileprivate init(
        _ role: DatabaseRole, _ tables: String..., limit: String,
        delete: @escaping @Sendable (Session, Date) throws(PostgresError) -> Int
    ) {
        self.role = role
        self.tables = tables
        self.limit = limit
        self.delete = delete
    }

    /// Tables and limit, for the log.
    package var name: String { "\(tables.joined(separator: ", ")): \(limit)" }
}

/// The rules of all tables, and how a service applies its own.
package enum Retention {
    private static let day: TimeInterval = 86_400

    /// The most results that one statement takes, so that a backlog of weeks doesn't run into the time that a statement
    /// may take, nor keep a laboratory waiting. Results that a batch is writing just then are left to the next run:
    /// whoever never waits can't wait in a circle.
    private static let piece: Int64 = 10_000

    /// Repeats a statement until it finds less than a whole piece.
    private static func inPieces(_ statement: () throws(PostgresError) -> Int) throws(PostgresError) -> Int {
        var total = 0
        while true {
            let rows = try statement()
            total += rows
            if rows < piece { return total }
        }
    }

    /// The tables without a rule, and why they need none.
    package static let exempt = [
        "vigil.migration": "says which steps of the schema were applied",
        "submission.inbox": "emptied by the fold, hour by hour",
    ]

    /// Every rule; a table has one or a reason in ``exempt``.
    package static let rules: [RetentionRule] = [
        // What was positive or negative is forgotten when no session can ask for it any more. Both limits count from
        // when something was first posted for the test: `created_at` never changes, so that no replacement keeps a
        // result alive. The codes are those of PCR, rapid antigen and point-of-care PCR tests (Corona-Warn-App sheet,
        // 1.6); the server replaces none of them.
        RetentionRule(.testResults, "test_results.result", limit: "21 days until redeemed") {
            session, now throws(PostgresError) in
            try inPieces { () throws(PostgresError) in
                try session.execute(
                    """
                    WITH old AS MATERIALIZED (
                        SELECT id FROM test_results.result
                        WHERE created_at < \(now.addingTimeInterval(-21 * day)) AND code NOT IN (4, 9, 14)
                        LIMIT \(piece) FOR UPDATE SKIP LOCKED
                    )
                    UPDATE test_results.result SET code = CASE WHEN code < 5 THEN 4 WHEN code < 10 THEN 9 ELSE 14 END
                    FROM old WHERE result.id = old.id
                    """)
            }
        },
        RetentionRule(.testResults, "test_results.result", limit: "60 days") { session, now throws(PostgresError) in
            try inPieces { () throws(PostgresError) in
                try session.execute(
                    """
                    WITH old AS MATERIALIZED (
                        SELECT id FROM test_results.result WHERE created_at < \(now.addingTimeInterval(-60 * day))
                        LIMIT \(piece) FOR UPDATE SKIP LOCKED
                    )
                    DELETE FROM test_results.result USING old WHERE result.id = old.id
                    """)
            }
        },
        RetentionRule(.testResults, "test_results.positive_hour", limit: "1 day") {
            session, now throws(PostgresError) in
            let firstKept = Int32((now.timeIntervalSince1970 / 3600).rounded(.down)) - 24
            return try session.execute("DELETE FROM test_results.positive_hour WHERE hour < \(firstKept)")
        },
        RetentionRule(.verification, "verification.session", limit: "21 days") { session, now throws(PostgresError) in
            try session.execute("DELETE FROM verification.session WHERE created_hour < \(now.hourNumber - 21 * 24)")
        },
        RetentionRule(.verification, "verification.registered_guid", limit: "82 days") {
            session, now throws(PostgresError) in
            try session.execute("DELETE FROM verification.registered_guid WHERE created_day < \(now.dayNumber - 82)")
        },
        RetentionRule(.verification, "verification.tele_tan", limit: "1 day after expiry") {
            session, now throws(PostgresError) in
            try session.execute(
                "DELETE FROM verification.tele_tan WHERE expires_at < \(now.addingTimeInterval(-day))")
        },
        // A registration is forgotten after 21 days and an hour at most, and no TAN of it is good a day later.
        RetentionRule(.verification, "verification.used_tan", limit: "23 days") { session, now throws(PostgresError) in
            try session.execute("DELETE FROM verification.used_tan WHERE day < \(now.dayNumber - 23)")
        },
        RetentionRule(.verification, "verification.officer_hour", limit: "the hour") {
            session, now throws(PostgresError) in
            try session.execute("DELETE FROM verification.officer_hour WHERE hour < \(now.hourNumber)")
        },
        RetentionRule(.verification, "verification.refused_tele_tan", limit: "1 day") {
            session, now throws(PostgresError) in
            let firstKept = now.hourNumber - 24
            return try session.execute("DELETE FROM verification.refused_tele_tan WHERE hour < \(firstKept)")
        },
        RetentionRule(
            .submission, "submission.diagnosis_key", "submission.check_in_report", limit: "14 days, by partition"
        ) { session, now throws(PostgresError) in
            let firstKept = now.dayNumber - 14
            let dropped: Int32? = try session.row("SELECT submission.drop_days_before(\(firstKept))", as: Int32.self)
            return Int(dropped ?? 0)
        },
        RetentionRule(.submission, "submission.folded_hour", "submission.hour_key", limit: "15 days") {
            session, now throws(PostgresError) in
            let firstKept = now.hourNumber - 15 * 24
            return try session.execute("DELETE FROM submission.folded_hour WHERE hour < \(firstKept)")
                + session.execute(
                    """
                    DELETE FROM submission.hour_key
                    WHERE hour < \(firstKept) AND closed
                      AND NOT EXISTS (SELECT FROM submission.inbox WHERE inbox.hour = hour_key.hour)
                    """)
        },
        RetentionRule(.distribution, "distribution.published_hour", limit: "15 days") {
            session, now throws(PostgresError) in
            let firstKept = now.hourNumber - 15 * 24
            return try session.execute("DELETE FROM distribution.published_hour WHERE hour < \(firstKept)")
        },
        RetentionRule(.distribution, "distribution.signature", limit: "15 days unused") {
            session, now throws(PostgresError) in
            try session.execute(
                "DELETE FROM distribution.signature WHERE used_at < \(now.addingTimeInterval(-15 * day))")
        },
        // A phone renews its registration after 14 days; one that didn't has lost its app, or its user has.
        RetentionRule(.pushDispatcher, "push_dispatcher.registration", limit: "30 days after the last renewal") {
            session, now throws(PostgresError) in
            let firstKept = now.hourNumber - 30 * 24
            return try inPieces { () throws(PostgresError) in
                try session.execute(
                    """
                    WITH old AS MATERIALIZED (
                        SELECT instance_hash FROM push_dispatcher.registration WHERE registered_hour < \(firstKept)
                        LIMIT \(piece) FOR UPDATE SKIP LOCKED
                    )
                    DELETE FROM push_dispatcher.registration USING old
                    WHERE registration.instance_hash = old.instance_hash
                    """)
            }
        },
        RetentionRule(.pushDispatcher, "push_dispatcher.wave", limit: "7 days") { session, now throws(PostgresError) in
            try session.execute(
                "DELETE FROM push_dispatcher.wave WHERE planned_at < \(now.addingTimeInterval(-7 * day))")
        },
    ]

    /// Applies every rule of one service.
    /// - Throws: ``ClockAhead``; then nothing was removed.
    /// - Returns: rows (or partitions) removed or redeemed, by rule.
    package static func apply(
        _ role: DatabaseRole, at now: Date, by clock: DatabaseClock, in database: PostgresClient
    ) async throws -> [(rule: String, removed: Int)] {
        try await clock.require(now)
        var removed: [(rule: String, removed: Int)] = []
        for rule in rules where rule.role == role {
            removed.append((rule.name, try await database.session { try rule.delete($0, now) }))
        }
        return removed
    }
}

extension Date {
    /// Whole hours since the epoch.
    fileprivate var hourNumber: Int32 { Int32((timeIntervalSince1970 / 3600).rounded(.down)) }
    /// Whole days since the epoch.
    fileprivate var dayNumber: Int32 { Int32((timeIntervalSince1970 / 86_400).rounded(.down)) }
}
