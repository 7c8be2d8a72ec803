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
    /// One that is stored already is a repeat: it keeps its end and spends no limit. Of two repeats at the same time the second
    /// waits for the first one's row. Concurrent calls may exceed the limit for all by at most one for each connection.
    /// - Parameter officer: identifies the officer in this hour of the clock.
    /// - Returns: nil if a limit is reached.
    func issue(
        _ digest: Digest, kind: TeleTANKind, at now: Date, expires: Date, by officer: Digest, _ limits: TeleTANLimits
    ) async throws -> IssuedTeleTAN? {
        do {
            return try await database.transaction { session in
                let isNew =
                    try session.execute(
                        """
                        INSERT INTO verification.tele_tan (digest, kind, created_at, expires_at)
                        VALUES (\(digest.bytes), \(kind.rawValue), \(now), \(expires)) ON CONFLICT DO NOTHING
                        """) == 1
                guard isNew else {
                    let known = try session.row(
                        """
                        SELECT expires_at, coalesce((
                            SELECT issued FROM verification.officer_hour WHERE officer = \(officer.bytes)
                        ), 0)
                        FROM verification.tele_tan WHERE digest = \(digest.bytes)
                        """, as: Date.self, Int32.self)
                    return known.map { IssuedTeleTAN(expires: $0.0, byOfficer: Int($0.1)) }
                }
                let issued = try session.row(
                    """
                    INSERT INTO verification.officer_hour AS known (officer, hour, issued)
                    SELECT \(officer.bytes), \(now.hourNumber), 1
                    WHERE \(limits.perHour) >= (
                        SELECT count(*) FROM verification.tele_tan WHERE created_at > \(now.addingTimeInterval(-3600))
                    )
                    ON CONFLICT (officer) DO UPDATE SET issued = known.issued + 1 WHERE known.issued < \(limits.perOfficer)
                    RETURNING issued
                    """, as: Int32.self)
                guard let issued else { throw LimitReached() }
                return IssuedTeleTAN(expires: expires, byOfficer: Int(issued))
            }
        } catch is LimitReached {
            return nil
        }
    }

    /// Takes the new teleTAN back.
    private struct LimitReached: Error {}
}

/// A stored teleTAN, as its officer may know it.
struct IssuedTeleTAN: Sendable {
    /// When the teleTAN ends.
    let expires: Date
    /// How many teleTANs the officer made in this hour of the clock.
    let byOfficer: Int
}
