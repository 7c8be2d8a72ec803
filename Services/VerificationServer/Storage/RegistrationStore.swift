import Credentials
import FoundationEssentials
import Postgres
import Schema
import VerificationAPI

/// Registrations in the schema `verification`: claimed ids, redeemed teleTANs, sessions. Every single use is one statement.
struct RegistrationStore: Sendable {
    private let database: PostgresClient

    init(_ database: PostgresClient) {
        self.database = database
    }

    /// Opens sessions for unused proofs, in one transaction.
    ///
    /// Of several entries with the same proof the first wins. An entry that opens no session waits for the commit as well
    /// (``SQL/commitMark``).
    /// - Parameter limit: from this number of refused teleTANs within the hour on, none is redeemed.
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

    /// Records ids as registered.
    /// - Returns: those that weren't registered before.
    private func claim(_ ids: [[UInt8]], at now: Date, in session: Session) throws(PostgresError) -> Set<[UInt8]> {
        // In a fixed order, so that two batches with the same ids can't deadlock.
        Set(
            try session.rows(
                """
                INSERT INTO verification.registered_guid (guid_digest, created_day)
                SELECT DISTINCT claim, \(now.dayNumber) FROM unnest(\(ids)) AS claim ORDER BY claim
                ON CONFLICT DO NOTHING RETURNING guid_digest
                """, as: [UInt8].self))
    }

    /// Undoes the claims of a test whose other id was registered already.
    private func unclaim(_ ids: Set<[UInt8]>, in session: Session) throws(PostgresError) {
        guard !ids.isEmpty else { return }
        try session.execute("DELETE FROM verification.registered_guid WHERE guid_digest = ANY(\(Array(ids)))")
    }

    /// Redeems the valid ones among the teleTANs.
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

    /// A new session; absent values are empty.
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

    /// - Returns: the wanted tokens that have a session, including the new ones.
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
    /// - Returns: their number within the hour.
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
    /// - Parameter isConfirmed: whether a commit confirms them (``PostgresClient/confirmedRead(_:)``).
    func sessions(_ tokens: [Digest], confirmed isConfirmed: Bool = false) async throws -> [VerificationSession?] {
        let wanted = tokens.map(\.bytes)
        let read = { @Sendable (session: Session) in
            try session.rows(
                """
                SELECT token_digest, hashed_guid, hashed_guid_dob, teletan_kind, created_hour FROM verification.session
                WHERE token_digest = ANY(\(wanted))
                """, as: [UInt8].self, String?.self, String?.self, String?.self, Int32.self)
        }
        let rows = try await isConfirmed ? database.confirmedRead(read) : database.session(read)
        let found = Dictionary(
            rows.map { row in (row.0, VerificationSession(row.1, row.2, row.3, row.4)) },
            uniquingKeysWith: { first, _ in first })
        return wanted.map { found[$0] ?? nil }
    }
}
