import Credentials
import Postgres

/// A registration as it is stored.
struct RegistrationRow: Sendable {
    let instance: Digest
    let token: Digest
    /// The token, as ``TokenVault`` seals it.
    let sealed: [UInt8]
    let kind: Device.Kind
    /// When it was created or last renewed.
    let hour: RegistrationHour
}

/// The table `push_dispatcher.registration`, for registrations of phones.
struct RegistrationStore: Sendable {
    private let database: PostgresClient

    init(_ database: PostgresClient) {
        self.database = database
    }

    /// How often a registration is tried if it conflicts with others for the same phone or token. Each time one of them wins.
    private static let attempts = 16

    /// Inserts or renews a phone's registration.
    ///
    /// Another registration with the same token is removed: a reinstalled app has another app-instance token.
    ///
    /// A renewal resets the last reply of APNs, unless it was an acceptance.
    func register(_ row: RegistrationRow) async throws {
        try await database.session { session in
            var attempt = 1
            while true {
                do throws(PostgresError) {
                    try session.execute(Self.upsert(row))
                    return
                } catch {
                    // The same token was registered concurrently, which this statement couldn't see.
                    guard error.sqlState == .uniqueViolation || error.isConflict, attempt < Self.attempts else {
                        throw error
                    }
                    attempt += 1
                }
            }
        }
    }

    /// The deletion comes first because the insertion reads its result.
    private static func upsert(_ row: RegistrationRow) -> SQL {
        """
        WITH evicted AS (
            DELETE FROM push_dispatcher.registration
            WHERE token_hash = \(row.token.bytes) AND instance_hash <> \(row.instance.bytes)
            RETURNING token_hash
        )
        INSERT INTO push_dispatcher.registration AS known (
            instance_hash, token_hash, sealed_token, kind, registered_hour
        )
        SELECT \(row.instance.bytes), \(row.token.bytes), \(row.sealed), \(row.kind.rawValue), \(row.hour.number)
        FROM (SELECT count(*) FROM evicted) AS after
        ON CONFLICT (instance_hash) DO UPDATE SET
            token_hash = excluded.token_hash, sealed_token = excluded.sealed_token, kind = excluded.kind,
            registered_hour = excluded.registered_hour,
            standing = CASE
                WHEN known.token_hash = excluded.token_hash AND known.kind = excluded.kind AND known.standing = 1 THEN 1
                ELSE 0
            END
        """
    }

    /// Removes a phone's registration, if there is one. Waits for a commit in either case.
    func remove(_ instance: Digest) async throws {
        try await database.session { session in
            try session.execute(
                """
                WITH removed AS (DELETE FROM push_dispatcher.registration WHERE instance_hash = \(instance.bytes))
                SELECT \(SQL.commitMark)
                """)
        }
    }

    /// Waits for a commit, as a registration does, and changes nothing.
    func changeNothing() async throws {
        try await database.session { session in try session.execute("SELECT \(SQL.commitMark)") }
    }
}
