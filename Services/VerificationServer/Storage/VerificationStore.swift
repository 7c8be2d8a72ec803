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
    /// Counted from the epoch; no finer time is known.
    let createdHour: Int32

    /// For how many hours a registration is kept, beyond the one in which it was opened.
    static let lifetime: Int32 = 21 * 24

    /// The kind of the teleTAN that opened it; nil for a test that a laboratory reported.
    var teleTANKind: TeleTANKind? {
        switch proof {
        case .teleTAN(let kind): kind
        case .guid: nil
        }
    }

    /// From a row of the table; nil for one that no registration writes.
    fileprivate init?(_ guid: String?, _ birthDate: String?, _ kind: String?, _ createdHour: Int32) {
        if let guid = guid.flatMap(HashedGUID.init) {
            proof = .guid(guid, birthDate: birthDate.flatMap(ResultID.init))
        } else if let kind = kind.flatMap(TeleTANKind.init) {
            proof = .teleTAN(kind)
        } else {
            return nil
        }
        self.createdHour = createdHour
    }
}

/// Registrations, teleTANs and their limits in the schema `verification`. Every single use is one statement.
struct VerificationStore: Sendable {
    private let database: PostgresClient

    init(_ database: PostgresClient) {
        self.database = database
    }

    // MARK: Sessions

    /// Opens sessions for proofs that nobody has used yet, in one transaction. Of several entries with one proof the first gets
    /// it. Also one that opens none waits for a commit (``SQL/commitMark``).
    /// - Parameter limit: from so many refused teleTANs within the hour on none is redeemed.
    func register(_ entries: [Registration], at now: Date, limit: Int) async throws -> RegistrationBatch {
        try await database.transaction { session in
            let before = try session.row(
                "SELECT refusals FROM verification.refused_tele_tan WHERE hour = \(now.hourNumber)", as: Int32.self)
            let isClosed = Int(before ?? 0) >= limit
            var claims = try claim(entries.flatMap(\.claims), at: now, in: session)
            var codes = try redeem(isClosed ? [] : entries.compactMap(\.teleTAN), at: now, in: session)

            var opened: [OpenedSession] = []
            var outcomes = entries.map { entry -> RegistrationOutcome in
                switch entry {
                case .dummy: return .refused
                case .guid(let guid, let birthDate, let token):
                    guard claims.isSuperset(of: entry.claims) else { return .refused }
                    claims.subtract(entry.claims)
                    opened.append(OpenedSession(token: token, guid: guid, birthDate: birthDate))
                    return .opened
                case .teleTAN(let code, let token):
                    if isClosed { return .closed }
                    guard let kind = codes.removeValue(forKey: code.bytes) else { return .refused }
                    opened.append(OpenedSession(token: token, kind: kind))
                    return .opened
                }
            }
            try unclaim(claims, in: session)
            let known = try insert(opened, lookingFor: entries.compactMap(\.token), at: now, in: session)
            for (number, entry) in entries.enumerated() where outcomes[number] == .refused {
                if let token = entry.token, known.contains(token.bytes) { outcomes[number] = .repeated }
            }
            let refused = zip(entries, outcomes).count { $0.teleTAN != nil && $1 == .refused }
            return RegistrationBatch(
                outcomes: outcomes, refused: refused,
                refusals: try count(refused, after: Int(before ?? 0), at: now, in: session))
        }
    }

    /// Remembers that ids are registered.
    /// - Returns: those that nobody had registered.
    private func claim(_ ids: [[UInt8]], at now: Date, in session: Session) throws(PostgresError) -> Set<[UInt8]> {
        // In one order, so that two batches with the same ids can't wait for each other in a circle.
        Set(
            try session.rows(
                """
                INSERT INTO verification.registered_guid (guid_digest, created_day)
                SELECT DISTINCT claim, \(now.dayNumber) FROM unnest(\(ids)) AS claim ORDER BY claim
                ON CONFLICT DO NOTHING RETURNING guid_digest
                """, as: [UInt8].self))
    }

    /// Undoes claims of a test whose other id somebody had registered.
    private func unclaim(_ ids: Set<[UInt8]>, in session: Session) throws(PostgresError) {
        guard !ids.isEmpty else { return }
        try session.execute("DELETE FROM verification.registered_guid WHERE guid_digest = ANY(\(Array(ids)))")
    }

    /// Spends those of the teleTANs that are good.
    /// - Returns: their kinds.
    private func redeem(
        _ codes: [Digest], at now: Date, in session: Session
    ) throws(PostgresError) -> [[UInt8]: TeleTANKind] {
        let rows = try session.rows(
            """
            WITH locked AS (
                SELECT digest FROM verification.tele_tan
                WHERE digest = ANY(\(codes.map(\.bytes))) AND NOT redeemed AND expires_at > \(now)
                ORDER BY digest FOR UPDATE
            )
            UPDATE verification.tele_tan SET redeemed = true FROM locked WHERE tele_tan.digest = locked.digest
            RETURNING tele_tan.digest, kind
            """, as: [UInt8].self, String.self)
        return Dictionary(
            rows.compactMap { row in TeleTANKind(rawValue: row.1).map { (row.0, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// A session as it is opened; what isn't there is empty.
    private struct OpenedSession {
        let token: Digest
        let guid: String
        let birthDate: String
        let kind: String

        init(token: Digest, guid: HashedGUID, birthDate: ResultID?) {
            (self.token, self.guid, self.birthDate, kind) = (token, guid.text, birthDate?.text ?? "", "")
        }

        init(token: Digest, kind: TeleTANKind) {
            (self.token, guid, birthDate, self.kind) = (token, "", "", kind.rawValue)
        }
    }

    /// - Returns: those of the wanted tokens that have a session, those that are just opened included.
    private func insert(
        _ opened: [OpenedSession], lookingFor wanted: [Digest], at now: Date, in session: Session
    ) throws(PostgresError) -> Set<[UInt8]> {
        let tokens = opened.map(\.token.bytes)
        let known = try session.rows(
            """
            WITH opened AS (
                INSERT INTO verification.session (
                    token_digest, hashed_guid, hashed_guid_dob, teletan_kind, created_hour
                )
                SELECT token, nullif(guid, ''), nullif(dob, ''), nullif(kind, ''), \(now.hourNumber)
                FROM unnest(
                    \(tokens), \(opened.map(\.guid)), \(opened.map(\.birthDate)), \(opened.map(\.kind))
                ) AS opened (token, guid, dob, kind)
            )
            SELECT token_digest FROM (SELECT \(SQL.commitMark)) AS mark
            LEFT JOIN verification.session ON token_digest = ANY(\(wanted.map(\.bytes)))
            """, as: [UInt8]?.self)
        return Set(known.compactMap { $0 } + tokens)
    }

    /// Counts refused teleTANs.
    /// - Returns: how many they are now within the hour.
    private func count(
        _ refused: Int, after before: Int, at now: Date, in session: Session
    ) throws(PostgresError) -> Int {
        guard refused > 0 else { return before }
        let count = try session.row(
            """
            INSERT INTO verification.refused_tele_tan AS known (hour, refusals)
            VALUES (\(now.hourNumber), \(Int32(refused)))
            ON CONFLICT (hour) DO UPDATE SET refusals = known.refusals + excluded.refusals
            RETURNING refusals
            """, as: Int32.self)
        return Int(count ?? 0)
    }

    /// The sessions of registration tokens, in their order; nil where there is none.
    func sessions(_ tokens: [Digest]) async throws -> [VerificationSession?] {
        let wanted = tokens.map(\.bytes)
        let rows = try await database.session { session in
            try session.rows(
                """
                SELECT token_digest, hashed_guid, hashed_guid_dob, teletan_kind, created_hour FROM verification.session
                WHERE token_digest = ANY(\(wanted))
                """, as: [UInt8].self, String?.self, String?.self, String?.self, Int32.self)
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
}

extension Date {
    /// Whole hours since the epoch.
    var hourNumber: Int32 { Int32(clamping: Int64((timeIntervalSince1970 / 3600).rounded(.down))) }
    /// Whole days since the epoch.
    var dayNumber: Int32 { Int32(clamping: Int64((timeIntervalSince1970 / 86_400).rounded(.down))) }
}
