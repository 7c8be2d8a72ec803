package import FoundationEssentials
package import Postgres

/// For how long a table keeps its rows.
///
/// These rules and the migrations are the page on which an operator reads who may know what for how long. The service
/// that owns a table applies its rules (``Retention/apply(_:at:in:)``) every hour.
package struct RetentionRule: Sendable {
    package let role: DatabaseRole
    package let name: String
    /// Deletes what is too old at an instant; gives the number of rows.
    fileprivate let delete: @Sendable (Session, Date) throws(PostgresError) -> Int

    fileprivate init(
        _ role: DatabaseRole, _ name: String,
        delete: @escaping @Sendable (Session, Date) throws(PostgresError) -> Int
    ) {
        self.role = role
        self.name = name
        self.delete = delete
    }
}

package enum Retention {
    private static let day: TimeInterval = 86_400

    package static let rules: [RetentionRule] = [
        RetentionRule(.testResults, "test_results.result: 60 days") { session, now throws(PostgresError) in
            try session.execute(
                "DELETE FROM test_results.result WHERE created_at < \(now.addingTimeInterval(-60 * day))")
        },
        RetentionRule(.verification, "verification.session: 21 days") { session, now throws(PostgresError) in
            try session.execute(
                "DELETE FROM verification.session WHERE created_at < \(now.addingTimeInterval(-21 * day))")
        },
        RetentionRule(.verification, "verification.registered_guid: 82 days") { session, now throws(PostgresError) in
            try session.execute(
                "DELETE FROM verification.registered_guid WHERE created_at < \(now.addingTimeInterval(-82 * day))")
        },
        RetentionRule(.verification, "verification.tele_tan: 1 day after expiry") {
            session, now throws(PostgresError) in
            try session.execute(
                "DELETE FROM verification.tele_tan WHERE expires_at < \(now.addingTimeInterval(-day))")
        },
        RetentionRule(.verification, "verification.tan: expiry, or 15 minutes after the upload") {
            session, now throws(PostgresError) in
            try session.execute(
                """
                DELETE FROM verification.tan
                WHERE expires_at < \(now) OR confirmed_at < \(now.addingTimeInterval(-15 * 60))
                """)
        },
        RetentionRule(.submission, "submission.diagnosis_key: 14 days, by partition") {
            session, now throws(PostgresError) in
            let firstKept = Int32((now.timeIntervalSince1970 / day).rounded(.down)) - 14
            let dropped: Int32? = try session.row("SELECT submission.drop_days_before(\(firstKept))", as: Int32.self)
            return Int(dropped ?? 0)
        },
        RetentionRule(.submission, "submission.folded_hour, hour_key: 15 days") { session, now throws(PostgresError) in
            let firstKept = Int32((now.timeIntervalSince1970 / 3600).rounded(.down)) - 15 * 24
            return try session.execute("DELETE FROM submission.folded_hour WHERE hour < \(firstKept)")
                + session.execute(
                    """
                    DELETE FROM submission.hour_key
                    WHERE hour < \(firstKept) AND closed
                      AND NOT EXISTS (SELECT FROM submission.inbox WHERE inbox.hour = hour_key.hour)
                    """)
        },
        RetentionRule(.distribution, "distribution.published_hour: 15 days") { session, now throws(PostgresError) in
            let firstKept = Int32((now.timeIntervalSince1970 / 3600).rounded(.down)) - 15 * 24
            return try session.execute("DELETE FROM distribution.published_hour WHERE hour < \(firstKept)")
        },
        RetentionRule(.distribution, "distribution.signature: 15 days") { session, now throws(PostgresError) in
            try session.execute(
                "DELETE FROM distribution.signature WHERE created_at < \(now.addingTimeInterval(-15 * day))")
        },
    ]

    /// Applies every rule of one service.
    /// - Returns: rows (or partitions) removed, by rule.
    package static func apply(
        _ role: DatabaseRole, at now: Date, in database: PostgresClient
    ) async throws -> [(rule: String, removed: Int)] {
        var removed: [(rule: String, removed: Int)] = []
        for rule in rules where rule.role == role {
            removed.append((rule.name, try await database.session { try rule.delete($0, now) }))
        }
        return removed
    }
}
