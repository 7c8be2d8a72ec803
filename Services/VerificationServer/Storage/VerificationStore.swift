import Credentials
import FoundationEssentials
import Postgres
import VerificationAPI

/// A registration as it is kept.
struct VerificationSession: Sendable {
    enum Proof: Sendable {
        case guid(HashedGUID)
        case teleTAN(TeleTANKind)
    }

    let proof: Proof
    let createdAt: Date
}

/// The tables of the schema `verification`. Every single use is one statement.
struct VerificationStore: Sendable {
    private let database: PostgresClient

    init(_ database: PostgresClient) {
        self.database = database
    }

    // MARK: Sessions

    /// Opens a session for a GUID that nobody has registered yet.
    /// - Returns: false when somebody has.
    func openSession(_ token: Digest, for guid: HashedGUID, at now: Date) async throws -> Bool {
        try await database.session { session in
            try session.execute(
                """
                WITH claimed AS (
                    INSERT INTO verification.registered_guid (guid_digest, created_at)
                    VALUES (\(guid.digest.bytes), \(now))
                    ON CONFLICT DO NOTHING
                    RETURNING guid_digest
                )
                INSERT INTO verification.session (token_digest, hashed_guid, created_at)
                SELECT \(token.bytes), \(guid.text), \(now) FROM claimed
                """) == 1
        }
    }

    /// Opens a session for a teleTAN, which is spent by it.
    /// - Returns: false when the teleTAN is unknown, used or expired.
    func openSession(_ token: Digest, redeeming teleTAN: Digest, at now: Date) async throws -> Bool {
        try await database.session { session in
            try session.execute(
                """
                WITH redeemed AS (
                    UPDATE verification.tele_tan SET redeemed = true
                    WHERE digest = \(teleTAN.bytes) AND NOT redeemed AND expires_at > \(now)
                    RETURNING kind
                )
                INSERT INTO verification.session (token_digest, teletan_kind, created_at)
                SELECT \(token.bytes), kind, \(now) FROM redeemed
                """) == 1
        }
    }

    /// The session of a registration token; nil when there is none.
    func session(_ token: Digest) async throws -> VerificationSession? {
        let row = try await database.session { session in
            try session.row(
                """
                SELECT hashed_guid, teletan_kind, created_at FROM verification.session
                WHERE token_digest = \(token.bytes)
                """, as: String?.self, String?.self, Date.self)
        }
        guard let (guid, kind, createdAt) = row else { return nil }
        if let guid = guid.flatMap(HashedGUID.init) {
            return VerificationSession(proof: .guid(guid), createdAt: createdAt)
        }
        return kind.flatMap(TeleTANKind.init).map { VerificationSession(proof: .teleTAN($0), createdAt: createdAt) }
    }

    // MARK: teleTANs

    /// - Parameter hourlyLimit: calls at the same moment may exceed it, by one for each connection at most.
    /// - Returns: false when as many were made in the hour before.
    func insertTeleTAN(
        _ digest: Digest, kind: TeleTANKind, at now: Date, expires: Date, hourlyLimit: Int
    ) async throws -> Bool {
        try await database.session { session in
            try session.execute(
                """
                INSERT INTO verification.tele_tan (digest, kind, created_at, expires_at)
                SELECT \(digest.bytes), \(kind.rawValue), \(now), \(expires)
                WHERE \(hourlyLimit) > (
                    SELECT count(*) FROM verification.tele_tan WHERE created_at > \(now.addingTimeInterval(-3600))
                )
                """) == 1
        }
    }

    // MARK: TANs

    /// Issues the next TAN of a session, or finds the last one again if no upload was confirmed with it.
    /// - Parameter derive: makes the TAN from token and count; it must give the same for the same.
    /// - Returns: nil when the session is gone or has had all its TANs.
    func issueTAN(
        for token: RegistrationToken, maximum: Int16, at now: Date, lifetime: TimeInterval,
        derive: @escaping @Sendable (RegistrationToken, Int16) -> TAN
    ) async throws -> TAN? {
        try await database.transaction { session in
            let issued = try session.row(
                """
                UPDATE verification.session SET tan_count = tan_count + 1
                WHERE token_digest = \(token.digest.bytes) AND tan_count < \(maximum)
                RETURNING tan_count, teletan_kind
                """, as: Int16.self, String?.self)
            if let (count, kind) = issued {
                let tan = derive(token, count)
                try session.execute(
                    """
                    INSERT INTO verification.tan (digest, kind, expires_at)
                    VALUES (\(tan.digest.bytes), \(nullable: kind), \(now.addingTimeInterval(lifetime)))
                    """)
                return tan
            }
            let last = derive(token, maximum)
            let open = try session.row(
                """
                SELECT 1 FROM verification.tan
                WHERE digest = \(last.digest.bytes) AND confirmed_at IS NULL AND expires_at > \(now)
                """, as: Int32.self)
            return open.map { _ in last }
        }
    }

    /// Gives each TAN its upload's tag, if it has none yet or the same.
    ///
    /// Rows are locked in the order of their digests, so that two calls that share TANs can't wait for each other in a
    /// circle.
    /// - Parameter reservations: with different TANs.
    /// - Returns: the digests of the TANs that now have the tag they were reserved with.
    func reserve(_ reservations: [TANReservation], at now: Date) async throws -> Set<Digest> {
        let digests = reservations.map(\.tan.digest.bytes)
        let tags = reservations.map(\.tag.bytes)
        let forEvents = reservations.map { $0.purpose == .onBehalf }
        let granted = try await database.session { session in
            try session.rows(
                """
                WITH wanted AS (
                    SELECT * FROM unnest(\(digests), \(tags), \(forEvents)) AS wanted (digest, tag, for_event)
                ), locked AS (
                    SELECT tan.digest, wanted.tag FROM verification.tan JOIN wanted USING (digest)
                    WHERE expires_at > \(now) AND (coalesce(kind, '') = 'EVENT') = for_event
                    ORDER BY tan.digest FOR UPDATE OF tan
                )
                UPDATE verification.tan SET tag = locked.tag FROM locked
                WHERE tan.digest = locked.digest AND (tan.tag IS NULL OR tan.tag = locked.tag)
                RETURNING tan.digest
                """, as: [UInt8].self)
        }
        return Set(granted.compactMap { Digest(bytes: $0) })
    }

    /// Marks TANs as spent by the uploads they are reserved for. The first moment of confirmation stays.
    /// - Returns: the tag for which each TAN is spent, by the TAN's digest; only of TANs that were named with it.
    func confirm(_ confirmations: [TANConfirmation], at now: Date) async throws -> [Digest: Digest] {
        let digests = confirmations.map(\.tan.digest.bytes)
        let tags = confirmations.map(\.tag.bytes)
        let spent = try await database.session { session in
            try session.rows(
                """
                WITH locked AS (
                    SELECT tan.digest FROM verification.tan
                    JOIN unnest(\(digests), \(tags)) AS wanted (digest, tag) USING (digest, tag)
                    ORDER BY tan.digest FOR UPDATE OF tan
                )
                UPDATE verification.tan SET confirmed_at = coalesce(confirmed_at, \(now)) FROM locked
                WHERE tan.digest = locked.digest
                RETURNING tan.digest, tan.tag
                """, as: [UInt8].self, [UInt8].self)
        }
        return Dictionary(
            spent.compactMap { row in
                Digest(bytes: row.0).flatMap { digest in Digest(bytes: row.1).map { (digest, $0) } }
            }, uniquingKeysWith: { first, _ in first })
    }
}
