import Credentials
import FoundationEssentials
import Postgres
import Schema
import VerificationAPI

/// The upload for which a TAN is used.
struct TANUse: Sendable {
    /// Identifies the TAN, and all others of the same upload (``IssuedTANs/use(of:)``).
    let digest: Digest
    /// Identifies the upload's content.
    let tag: Digest
}

/// The table `verification.used_tan`. Every single use is one statement.
///
/// Each writing statement carries the commit mark, so that an entry that changes nothing waits as long as one that does:
/// neither a network observer nor the caller can tell them apart.
struct TANStore: Sendable {
    private let database: PostgresClient

    init(_ database: PostgresClient) {
        self.database = database
    }

    /// Which of the TANs are confirmed, in their order.
    func confirmed(_ digests: [Digest]) async throws -> [Bool] {
        let wanted = digests.map(\.bytes)
        let found = try await database.session { session in
            try session.rows(
                "SELECT digest FROM verification.used_tan WHERE digest = ANY(\(wanted)) AND confirmed", as: [UInt8].self
            )
        }
        let confirmed = Set(found)
        return wanted.map { confirmed.contains($0) }
    }

    /// Reserves TANs that aren't reserved yet for their tags.
    ///
    /// Of several tags for one TAN in one call the first wins, as if they had arrived one after the other.
    ///
    /// Rows are locked in the order of their digests, so that two calls with the same TANs can't deadlock.
    /// - Parameter uses: nil for an invalid TAN.
    /// - Returns: for each use, whether its TAN is reserved for it, now or before, and whether it was confirmed before.
    func reserve(_ uses: [TANUse?], at now: Date) async throws -> TANOutcomes {
        let wanted = uses.compactMap { $0 }
        let (digests, tags) = (wanted.map(\.digest.bytes), wanted.map(\.tag.bytes))
        let owners = try await database.session { session in
            try session.rows(
                """
                WITH first AS (
                    SELECT DISTINCT ON (digest) digest, tag
                    FROM unnest(\(digests), \(tags)) WITH ORDINALITY AS wanted (digest, tag, position)
                    ORDER BY digest, position
                ), owned AS (
                    INSERT INTO verification.used_tan AS known (digest, tag, day)
                    SELECT digest, tag, \(now.dayNumber) FROM first ORDER BY digest
                    ON CONFLICT (digest) DO UPDATE SET tag = known.tag
                    RETURNING digest, tag, confirmed
                )
                SELECT digest, tag, confirmed FROM (SELECT \(SQL.commitMark)) AS mark LEFT JOIN owned ON true
                """, as: [UInt8]?.self, [UInt8]?.self, Bool?.self)
        }
        let outcomes = Self.outcomes(of: uses, owners.map { ($0.0, $0.1) })
        let confirmed = Set(owners.filter { $0.2 == true }.compactMap(\.0))
        let positions = uses.indices.filter { position in
            outcomes[position] == .granted && uses[position].map { confirmed.contains($0.digest.bytes) } == true
        }
        return TANOutcomes(outcomes, confirmed: Array(positions))
    }

    /// Marks TANs as redeemed by the uploads they are reserved for.
    /// - Parameter uses: nil for an invalid TAN.
    /// - Returns: for each use, whether it has redeemed its TAN, now or before.
    func confirm(_ uses: [TANUse?]) async throws -> [TANOutcomes.Outcome] {
        let wanted = uses.compactMap { $0 }
        let (digests, tags) = (wanted.map(\.digest.bytes), wanted.map(\.tag.bytes))
        let owners = try await database.session { session in
            try session.rows(
                """
                WITH locked AS (
                    SELECT known.digest FROM verification.used_tan AS known
                    JOIN unnest(\(digests), \(tags)) AS wanted (digest, tag) USING (digest, tag)
                    ORDER BY known.digest FOR UPDATE OF known
                ), spent AS (
                    UPDATE verification.used_tan AS known SET confirmed = true FROM locked
                    WHERE known.digest = locked.digest
                    RETURNING known.digest, known.tag
                )
                SELECT digest, tag FROM (SELECT \(SQL.commitMark)) AS mark LEFT JOIN spent ON true
                """, as: [UInt8]?.self, [UInt8]?.self)
        }
        return Self.outcomes(of: uses, owners)
    }

    /// Reserves a TAN for a tag and confirms it, unless it is reserved for another tag.
    /// - Returns: whether it is redeemed by this use.
    func redeem(_ use: TANUse, at now: Date) async throws -> Bool {
        try await database.session { session in
            try session.execute(
                """
                INSERT INTO verification.used_tan AS known (digest, tag, day, confirmed)
                VALUES (\(use.digest.bytes), \(use.tag.bytes), \(now.dayNumber), true)
                ON CONFLICT (digest) DO UPDATE SET confirmed = true WHERE known.tag = excluded.tag
                """) == 1
        }
    }

    /// - Parameter owners: digests with their tags; a row of nulls if there are none.
    private static func outcomes(of uses: [TANUse?], _ owners: [([UInt8]?, [UInt8]?)]) -> [TANOutcomes.Outcome] {
        let tags = Dictionary(
            owners.compactMap { owner in owner.0.flatMap { digest in owner.1.map { (digest, $0) } } },
            uniquingKeysWith: { first, _ in first })
        return uses.map { use in
            use.map { tags[$0.digest.bytes] == $0.tag.bytes } == true ? .granted : .refused
        }
    }
}
