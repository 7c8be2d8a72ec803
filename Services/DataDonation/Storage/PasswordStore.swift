import Credentials
import FoundationEssentials
import Postgres
import Schema

/// The table `donation.one_time_password`.
struct PasswordStore: Sendable {
    private let database: PostgresClient

    init(_ database: PostgresClient) { self.database = database }

    /// Until when a password is good; nil if nobody was given it.
    func expiry(of hash: Digest, for purpose: Purpose) async throws -> Date? {
        try await database.session { session in
            try session.row(
                """
                SELECT expires_at FROM donation.one_time_password
                WHERE kind = \(purpose.rawValue) AND password_hash = \(hash.bytes)
                """, as: Date.self)
        }
    }

    /// Stores a password, and takes what admits its app, in one transaction. A password that is there already takes nothing.
    /// - Returns: until when it is good.
    func insert(
        _ hash: Digest, for purpose: Purpose, admittedBy admission: Admission, at now: Date
    ) async throws -> Date {
        // No row says when in the second.
        let end = Date(timeIntervalSince1970: (now.timeIntervalSince1970 + purpose.validity).rounded(.down))
        return try await database.transaction { session in
            _ = try AdmissionStore.store(
                """
                INSERT INTO donation.one_time_password (kind, password_hash, is_strong, expires_at, written_hour)
                VALUES (\(purpose.rawValue), \(hash.bytes), \(admission.isStrong), \(end), \(now.hourNumber))
                ON CONFLICT DO NOTHING RETURNING 'stored' AS outcome
                """, admittedBy: admission, for: purpose, at: now, in: session)
            return end
        }
    }

    /// What became of a password.
    enum Outcome: Equatable {
        /// This call redeemed it, now or before.
        case valid(isStrong: Bool)
        /// Another call redeemed it.
        case redeemed(isStrong: Bool)
        /// It ended.
        case expired(isStrong: Bool)
        /// Nobody was given it.
        case unknown
    }

    /// Redeems a password in one statement: of several calls one wins.
    func redeem(_ hash: Digest, for purpose: Purpose, by call: Digest, at now: Date) async throws -> Outcome {
        let row = try await database.session { session in
            try session.row(
                """
                WITH known AS (
                    SELECT is_strong, expires_at, redeemed_by FROM donation.one_time_password
                    WHERE kind = \(purpose.rawValue) AND password_hash = \(hash.bytes) FOR UPDATE
                ), won AS (
                    UPDATE donation.one_time_password AS password SET redeemed_by = \(call.bytes) FROM known
                    WHERE kind = \(purpose.rawValue) AND password_hash = \(hash.bytes)
                      AND known.redeemed_by IS NULL AND known.expires_at > \(now)
                    RETURNING true AS by_this
                )
                SELECT known.is_strong, coalesce(won.by_this, known.redeemed_by = \(call.bytes), false),
                    known.redeemed_by IS NOT NULL
                FROM (SELECT \(SQL.commitMark)) AS mark LEFT JOIN known ON true LEFT JOIN won ON true
                """, as: Bool?.self, Bool.self, Bool.self)
        }
        guard let (strength, isByThis, isRedeemed) = row, let isStrong = strength else { return .unknown }
        if isByThis { return .valid(isStrong: isStrong) }
        return isRedeemed ? .redeemed(isStrong: isStrong) : .expired(isStrong: isStrong)
    }

    /// A password with the call that redeems it.
    struct Entry: Sendable {
        let password: Digest
        let call: Digest
    }

    /// Redeems passwords in one statement, which waits for a commit even if there is nothing to redeem.
    ///
    /// Of several calls for one password one wins, also within a batch. Rows are locked in the order of their hashes, so that two batches
    /// with the same passwords can't deadlock.
    /// - Returns: for each entry, whether its call redeemed its password, now or before.
    func redeem(_ entries: [Entry], for purpose: Purpose, at now: Date) async throws -> [Bool] {
        let (hashes, calls) = (entries.map(\.password.bytes), entries.map(\.call.bytes))
        let owners = try await database.session { session in
            try session.rows(
                """
                WITH first AS (
                    SELECT DISTINCT ON (password_hash) password_hash, call
                    FROM unnest(\(hashes), \(calls)) WITH ORDINALITY AS wanted (password_hash, call, position)
                    ORDER BY password_hash, position
                ), known AS (
                    SELECT password_hash, call, redeemed_by, expires_at
                    FROM donation.one_time_password AS password JOIN first USING (password_hash)
                    WHERE kind = \(purpose.rawValue) ORDER BY password_hash FOR UPDATE OF password
                ), won AS (
                    UPDATE donation.one_time_password AS password SET redeemed_by = known.call FROM known
                    WHERE kind = \(purpose.rawValue) AND password.password_hash = known.password_hash
                      AND known.redeemed_by IS NULL AND known.expires_at > \(now)
                    RETURNING password.password_hash, password.redeemed_by
                )
                SELECT known.password_hash, coalesce(won.redeemed_by, known.redeemed_by)
                FROM (SELECT \(SQL.commitMark)) AS mark
                LEFT JOIN known ON true LEFT JOIN won ON won.password_hash = known.password_hash
                """, as: [UInt8]?.self, [UInt8]?.self)
        }
        let redeemedBy = Dictionary(
            owners.compactMap { owner in owner.0.flatMap { hash in owner.1.map { (hash, $0) } } },
            uniquingKeysWith: { first, _ in first })
        return entries.map { redeemedBy[$0.password.bytes] == $0.call.bytes }
    }
}
