import Credentials
import FoundationEssentials
import Postgres
import Schema
import VerificationAPI

/// The issued teleTANs and their limits in the schema `verification`.
struct TeleTANStore: Sendable {
    private let database: PostgresClient

    init(_ database: PostgresClient) {
        self.database = database
    }

    /// Stores a teleTAN unless the officer, or all officers together, have reached a limit.
    ///
    /// Concurrent calls may exceed the limit for all by at most one for each connection.
    /// - Parameter officer: identifies the officer in this hour of the clock.
    /// - Returns: false if a limit is reached.
    func insert(
        _ digest: Digest, kind: TeleTANKind, at now: Date, expires: Date, by officer: Digest, _ limits: TeleTANLimits
    ) async throws -> Bool {
        try await database.session { session in
            try session.execute(
                """
                WITH allowed AS (
                    INSERT INTO verification.officer_hour AS known (officer, hour, issued)
                    SELECT \(officer.bytes), \(now.hourNumber), 1
                    WHERE \(limits.perHour) > (
                        SELECT count(*) FROM verification.tele_tan WHERE created_at > \(now.addingTimeInterval(-3600))
                    )
                    ON CONFLICT (officer) DO UPDATE SET issued = known.issued + 1
                    WHERE known.issued < \(limits.perOfficer)
                    RETURNING 1
                )
                INSERT INTO verification.tele_tan (digest, kind, created_at, expires_at)
                SELECT \(digest.bytes), \(kind.rawValue), \(now), \(expires) FROM allowed
                """) == 1
        }
    }
}
