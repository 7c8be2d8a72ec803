import Credentials
import FoundationEssentials
import Postgres
import VerificationAPI

/// A registration as it is kept.
struct VerificationSession: Sendable {
    enum Proof: Sendable {
        case guid(HashedGUID, birthDate: ResultID?)
        case teleTAN(TeleTANKind)
    }

    let proof: Proof
    let createdAt: Date

    /// From a row of the table; nil for one that no registration writes.
    fileprivate init?(_ guid: String?, _ birthDate: String?, _ kind: String?, _ createdAt: Date) {
        if let guid = guid.flatMap(HashedGUID.init) {
            proof = .guid(guid, birthDate: birthDate.flatMap(ResultID.init))
        } else if let kind = kind.flatMap(TeleTANKind.init) {
            proof = .teleTAN(kind)
        } else {
            return nil
        }
        self.createdAt = createdAt
    }
}

/// The tables of the schema `verification`. Every single use is one statement.
struct VerificationStore: Sendable {
    private let database: PostgresClient

    init(_ database: PostgresClient) {
        self.database = database
    }

    // MARK: Sessions

    /// Opens a session for a test none of whose ids anybody has registered yet.
    /// - Returns: false when somebody has; then nothing is changed.
    func openSession(_ token: Digest, for guid: HashedGUID, _ birthDate: ResultID?, at now: Date) async throws -> Bool {
        // In one order, so that two phones with the same ids can't wait for each other in a circle.
        let claims = [guid.digest, birthDate?.digest].compactMap { $0?.bytes }.sorted {
            $0.lexicographicallyPrecedes($1)
        }
        do {
            try await database.transaction { session in
                let claimed = try session.execute(
                    """
                    INSERT INTO verification.registered_guid (guid_digest, created_at)
                    SELECT claim, \(now) FROM unnest(\(claims)) AS claim
                    ON CONFLICT DO NOTHING
                    """)
                guard claimed == claims.count else { throw RegisteredBefore() }
                try session.execute(
                    """
                    INSERT INTO verification.session (token_digest, hashed_guid, hashed_guid_dob, created_at)
                    VALUES (\(token.bytes), \(guid.text), \(nullable: birthDate?.text), \(now))
                    """)
            }
            return true
        } catch is RegisteredBefore {
            return false
        }
    }

    /// Undoes the claims that succeeded.
    private struct RegisteredBefore: Error {}

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

    /// The sessions of registration tokens, in their order; nil where there is none.
    func sessions(_ tokens: [Digest]) async throws -> [VerificationSession?] {
        let wanted = tokens.map(\.bytes)
        let rows = try await database.session { session in
            try session.rows(
                """
                SELECT token_digest, hashed_guid, hashed_guid_dob, teletan_kind, created_at FROM verification.session
                WHERE token_digest = ANY(\(wanted))
                """, as: [UInt8].self, String?.self, String?.self, String?.self, Date.self)
        }
        let found = Dictionary(
            rows.map { row in (row.0, VerificationSession(row.1, row.2, row.3, row.4)) },
            uniquingKeysWith: { first, _ in first })
        return wanted.map { found[$0] ?? nil }
    }

    // MARK: teleTANs

    /// Stores a teleTAN unless the officer, or all officers together, have had too many.
    ///
    /// Calls at the same moment may exceed the limit for all by one for each connection at most.
    /// - Parameter officer: stands for the officer in this hour of the clock.
    /// - Returns: false when a limit is reached.
    func insertTeleTAN(
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

    /// How many teleTANs were refused within the hour.
    func refusedTeleTANs(inHourOf now: Date) async throws -> Int {
        try await database.session { session in
            try session.row(
                "SELECT refusals FROM verification.refused_tele_tan WHERE hour = \(now.hourNumber)", as: Int32.self)
        }.map(Int.init) ?? 0
    }

    /// - Returns: how many they are now.
    func countRefusedTeleTAN(inHourOf now: Date) async throws -> Int {
        try await database.session { session in
            try session.row(
                """
                INSERT INTO verification.refused_tele_tan AS known (hour, refusals) VALUES (\(now.hourNumber), 1)
                ON CONFLICT (hour) DO UPDATE SET refusals = known.refusals + 1
                RETURNING refusals
                """, as: Int32.self)
        }.map(Int.init) ?? 0
    }

    // MARK: TANs

    /// Finds the last TAN of a session again if no upload was confirmed with it, else issues the next.
    /// - Parameter derive: makes the TAN from token and count; it must give the same for the same.
    /// - Returns: nil when the session is gone or has had all its TANs.
    func issueTAN(
        for token: RegistrationToken, maximum: Int16, at now: Date, lifetime: TimeInterval,
        derive: @escaping @Sendable (RegistrationToken, Int16) -> TAN
    ) async throws -> TAN? {
        try await database.transaction { session in
            let found = try session.row(
                """
                SELECT tan_count, teletan_kind FROM verification.session
                WHERE token_digest = \(token.digest.bytes) FOR UPDATE
                """, as: Int16.self, String?.self)
            guard let (count, kind) = found else { return nil }
            let last = derive(token, count)
            let open = try session.row(
                """
                SELECT 1 FROM verification.tan
                WHERE digest = \(last.digest.bytes) AND confirmed_at IS NULL AND expires_at > \(now)
                """, as: Int32.self)
            if open != nil { return last }
            guard count < maximum else { return nil }
            let next = derive(token, count + 1)
            try session.execute(
                """
                WITH counted AS (
                    UPDATE verification.session SET tan_count = tan_count + 1
                    WHERE token_digest = \(token.digest.bytes)
                )
                INSERT INTO verification.tan (digest, kind, expires_at)
                VALUES (\(next.digest.bytes), \(nullable: kind), \(now.addingTimeInterval(lifetime)))
                """)
            return next
        }
    }

    /// Gives TANs that have no tag yet the tags they are wanted for. Of several tags for one TAN in one call the first
    /// gets it, as if they had come one after the other.
    ///
    /// Rows are locked in the order of their digests, so that two calls that share TANs can't wait for each other in a
    /// circle.
    /// - Returns: the positions of those entries whose TAN is theirs, now or already.
    func reserve(_ reservations: [TANReservation], at now: Date) async throws -> Set<Int> {
        let digests = reservations.map(\.tan.digest.bytes)
        let tags = reservations.map(\.tag.bytes)
        let forEvents = reservations.map { $0.purpose == .onBehalf }
        let granted = try await database.session { session in
            try session.rows(
                """
                WITH wanted AS (
                    SELECT * FROM unnest(\(digests), \(tags), \(forEvents))
                        WITH ORDINALITY AS wanted (digest, tag, for_event, position)
                ), locked AS (
                    SELECT tan.digest, tan.tag, (coalesce(kind, '') = 'EVENT') AS for_event FROM verification.tan
                    WHERE digest IN (SELECT digest FROM wanted) AND expires_at > \(now)
                    ORDER BY digest FOR UPDATE
                ), owned AS (
                    SELECT DISTINCT ON (digest) digest, coalesce(locked.tag, wanted.tag) AS tag, locked.tag IS NULL AS is_new
                    FROM locked JOIN wanted USING (digest, for_event) ORDER BY digest, position
                ), written AS (
                    UPDATE verification.tan SET tag = owned.tag FROM owned WHERE tan.digest = owned.digest AND is_new
                )
                SELECT position FROM owned JOIN wanted USING (digest, tag) JOIN locked USING (digest, for_event)
                """, as: Int64.self)
        }
        return Set(granted.map { Int($0) - 1 })
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

    /// A TAN's kind, where it has one.
    struct Kind: Sendable {
        let value: TeleTANKind?
    }

    /// Gives a TAN a tag and confirms it, if it has none yet or the same.
    /// - Returns: nil when it is unknown, expired or another tag's.
    func useUp(_ tan: Digest, tag: Digest, at now: Date) async throws -> Kind? {
        let row = try await database.session { session in
            try session.row(
                """
                UPDATE verification.tan SET tag = \(tag.bytes), confirmed_at = coalesce(confirmed_at, \(now))
                WHERE digest = \(tan.bytes) AND expires_at > \(now) AND (tag IS NULL OR tag = \(tag.bytes))
                RETURNING kind, 1
                """, as: String?.self, Int32.self)
        }
        return row.map { Kind(value: $0.0.flatMap(TeleTANKind.init)) }
    }
}

extension Date {
    /// Hours since the epoch, by which limits count.
    var hourNumber: Int32 { Int32(clamping: Int64((timeIntervalSince1970 / 3600).rounded(.down))) }
}
