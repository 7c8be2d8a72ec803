import AppAttest
import Credentials
import FoundationEssentials
import Postgres
import Schema

/// The tables that remember evidence and shares.
struct AdmissionStore: Sendable {
    private let database: PostgresClient

    init(_ database: PostgresClient) { self.database = database }

    /// A key that Apple attested.
    struct KnownKey: Sendable {
        let publicKey: AppAttestPublicKey
        let counter: UInt32
    }

    /// Nil for a key that isn't known, or not any more.
    func key(_ hash: Digest) async throws -> KnownKey? {
        let row = try await database.session { session in
            try session.row(
                "SELECT public_key, counter FROM donation.attested_key WHERE key_hash = \(hash.bytes)",
                as: [UInt8].self, Int64.self)
        }
        guard let row, let publicKey = AppAttestPublicKey(x963: row.0), let counter = UInt32(exactly: row.1) else {
            return nil
        }
        return KnownKey(publicKey: publicKey, counter: counter)
    }

    // MARK: Shares

    /// What is known of a subject's share.
    enum Share: Equatable {
        case free
        /// Apple may have been told of a self-report that wasn't stored.
        case announced
        case taken
    }

    /// Whether a subject has had its share.
    func share(_ purpose: Purpose, of subject: Digest, at now: Date) async throws -> Share {
        let isTaken = try await database.session { session in
            try session.row(
                """
                SELECT is_taken FROM donation.quota
                WHERE purpose = \(purpose.rawValue) AND subject_hash = \(subject.bytes) AND last_hour > \(now.hourNumber)
                """, as: Bool.self)
        }
        return isTaken.map { $0 ? .taken : .announced } ?? .free
    }

    /// Remembers for a day that Apple is being told of a self-report.
    func announce(_ purpose: Purpose, of subject: Digest, at now: Date) async throws {
        let hour = now.hourNumber
        _ = try await database.session { session in
            try session.execute(
                """
                INSERT INTO donation.quota AS known (purpose, subject_hash, last_hour, is_taken, written_hour)
                VALUES (\(purpose.rawValue), \(subject.bytes), \(hour + 24), false, \(hour))
                ON CONFLICT (purpose, subject_hash) DO UPDATE
                SET last_hour = excluded.last_hour, is_taken = false, written_hour = excluded.written_hour
                WHERE known.last_hour <= \(hour)
                """)
        }
    }

    // MARK: Admission

    /// Stores what a request is for, and takes what admits it, by one statement of a transaction.
    ///
    /// Each part is done only if the one before it has succeeded.
    /// - Parameter content: a query or a statement with at most one row, whose column `outcome` is `stored` if it stored something.
    /// - Returns: the outcome, nil without a row. Nothing is taken unless it is `stored`.
    /// - Throws: ``Refusal`` if the evidence admitted another request, or the subject has had its share. The transaction must end
    ///   then, so that nothing is stored.
    static func store(
        _ content: SQL, admittedBy admission: Admission, for purpose: Purpose, at now: Date, in session: Session
    ) throws -> String? {
        let evidence =
            switch admission.use {
            case .once(let hash, let lastHour): take(hash, until: lastHour, now)
            case .assertion(let key, let publicKey, let counter, let isNew):
                count(key, publicKey, counter, isNew, now)
            }
        var share: SQL = "SELECT FROM evidence"
        if let subject = admission.subject, let next = purpose.nextTurn(after: now) {
            share = take(purpose, of: subject, until: next, now)
        }
        let row = try session.row(
            """
            WITH content AS (\(content)), evidence AS (\(evidence)), share AS (\(share))
            SELECT outcome, EXISTS (SELECT FROM evidence), EXISTS (SELECT FROM share) FROM content
            """, as: String.self, Bool.self, Bool.self)
        guard let (outcome, isNew, hasShare) = row, outcome == "stored" else { return row?.0 }
        guard isNew else { throw Refusal.used(on: admission.platform) }
        guard hasShare else { throw Refusal.quota(on: admission.platform) }
        return outcome
    }

    private static func take(_ hash: Digest, until hour: Int32, _ now: Date) -> SQL {
        """
        INSERT INTO donation.used_evidence (evidence_hash, last_hour, written_hour)
        SELECT \(hash.bytes), \(hour), \(now.hourNumber) FROM content WHERE outcome = 'stored'
        ON CONFLICT DO NOTHING RETURNING true
        """
    }

    /// Of two assertions with the same counter one wins.
    private static func count(
        _ key: Digest, _ publicKey: AppAttestPublicKey, _ counter: UInt32, _ isNew: Bool, _ now: Date
    ) -> SQL {
        let (day, hour) = (now.dayNumber, now.hourNumber)
        guard isNew else {
            return """
                UPDATE donation.attested_key
                SET counter = \(Int64(counter)), used_day = \(day), written_hour = \(hour)
                FROM content WHERE outcome = 'stored' AND key_hash = \(key.bytes) AND counter < \(Int64(counter))
                RETURNING true
                """
        }
        // Two first requests of an app may come at once.
        return """
            INSERT INTO donation.attested_key AS known (key_hash, public_key, counter, used_day, written_hour)
            SELECT \(key.bytes), \(publicKey.x963), \(Int64(counter)), \(day), \(hour) FROM content WHERE outcome = 'stored'
            ON CONFLICT (key_hash) DO UPDATE
            SET counter = excluded.counter, used_day = excluded.used_day, written_hour = excluded.written_hour
            WHERE known.counter < excluded.counter
            RETURNING true
            """
    }

    private static func take(_ purpose: Purpose, of subject: Digest, until next: Date, _ now: Date) -> SQL {
        // Whole hours: a share may be had up to an hour early, so that no row says when in the hour the last was taken.
        """
        INSERT INTO donation.quota AS known (purpose, subject_hash, last_hour, is_taken, written_hour)
        SELECT \(purpose.rawValue), \(subject.bytes), \(next.hourNumber), true, \(now.hourNumber) FROM evidence
        ON CONFLICT (purpose, subject_hash) DO UPDATE
        SET last_hour = excluded.last_hour, is_taken = true, written_hour = excluded.written_hour
        WHERE known.last_hour <= \(now.hourNumber) OR NOT known.is_taken
        RETURNING true
        """
    }

    /// Waits for a commit as an admission does, and changes nothing: for dummy requests.
    func changeNothing() async throws {
        _ = try await database.session { session in try session.execute("SELECT \(SQL.commitMark)") }
    }
}
