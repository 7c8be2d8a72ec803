import Credentials
import FoundationEssentials
import FurtherAPI
import Postgres
import Schema

/// The table `further.report`, and what a signed call leaves in the others.
struct ReportStore: Sendable {
    private let database: PostgresClient
    private let spreadHours: Int

    /// - Parameter spreadHours: within how many hours a batch's rows come and go; 0 for at once.
    init(_ database: PostgresClient, spreadHours: Int) {
        self.database = database
        self.spreadHours = spreadHours
    }

    /// Takes calls in one transaction, in their order: each of them as a whole or not at all.
    func take(_ posts: [Post], at now: Date) async throws -> [PostOutcome] {
        let spreadHours = spreadHours
        return try await database.transaction { session in
            // One transaction at a time: nobody adds an id between the look at it and the change. The mark makes a transaction without
            // changes wait for its commit.
            try session.execute("SELECT further.take_report_lock(), \(SQL.commitMark)")
            let ids = Set(posts.flatMap { $0.reports.map(\.id) })
            let known = try Self.rows(of: ids, in: session)
            var used = try Self.use(posts.compactMap(\.signer), at: now, in: session)
            let seconds = Int64(now.timeIntervalSince1970.rounded(.down))
            var rows = known.filter { !$0.value.isOver(at: seconds) }
            let outcomes = posts.map { post -> PostOutcome in
                // Of calls with one nonce the first counts. Once more it is a repeat after a lost answer, by the phone or a connection.
                let earlier = post.signer.flatMap { used.updateValue($0.call.bytes, forKey: $0.nonce.bytes) }
                if let earlier, earlier != post.signer?.call.bytes { return .replayed }
                if let refusal = Self.refusal(of: post, by: rows) { return refusal }
                guard earlier == nil else { return .taken }
                let change = ReportChange(now: seconds, spreadHours: spreadHours, isBatch: post.isBatch)
                for report in post.reports {
                    rows[report.id] = change.row(
                        after: report, on: rows[report.id], by: post.signer?.holder(of: report.id))
                }
                return .taken
            }
            try Self.delete(known.keys.filter { rows[$0] == nil }, in: session)
            try Self.write(rows.values.filter { known[$0.id] != $0 }, at: now, in: session)
            return outcomes
        }
    }

    /// Why a call isn't taken.
    private static func refusal(of post: Post, by rows: [UUID: StoredReport]) -> PostOutcome? {
        guard post.respectsHolders else { return nil }
        let owned = post.reports.compactMap { report in rows[report.id]?.holder.map { (report.id, $0) } }
        guard let signer = post.signer else { return owned.isEmpty ? nil : .unsigned }
        return owned.allSatisfy { signer.holder(of: $0).bytes == $1 } ? nil : .foreign
    }

    private static func rows(of ids: Set<UUID>, in session: Session) throws(PostgresError) -> [UUID: StoredReport] {
        let rows = try session.rows(
            """
            SELECT id, feeling_sick, has_been_tested, last_update, positive_since, release_at, withdrawn_at, holder
            FROM further.report WHERE id = ANY(\(Array(ids)))
            """, as: UUID.self, Bool.self, Bool.self, Int64.self, Int32.self, Int64.self, Int64?.self, [UInt8]?.self)
        return Dictionary(
            uniqueKeysWithValues: rows.map { row in
                let report = StoredReport(
                    id: row.0, feelingSick: row.1, hasBeenTested: row.2, lastUpdate: row.3, positiveSince: row.4,
                    releaseAt: row.5, withdrawnAt: row.6, holder: row.7)
                return (report.id, report)
            })
    }

    /// Notes that keys and nonces are used.
    /// - Returns: the calls of the nonces that were used before; empty where it isn't known.
    private static func use(
        _ signers: [Signer], at now: Date, in session: Session
    ) throws(PostgresError) -> [[UInt8]: [UInt8]] {
        guard !signers.isEmpty else { return [:] }
        try session.execute(
            """
            UPDATE further.key SET used_day = \(now.dayNumber), written_hour = \(now.hourNumber)
            WHERE key = ANY(\(signers.map(\.key.bytes))) AND used_day < \(now.dayNumber)
            """)
        // Both parts see the table as it was before.
        let known = try session.rows(
            """
            WITH signed AS MATERIALIZED (
                SELECT DISTINCT ON (hash) hash, call
                FROM unnest(\(signers.map(\.nonce.bytes)), \(signers.map(\.call.bytes))) WITH ORDINALITY AS s (hash, call, place)
                ORDER BY hash, place
            ), noted AS (
                INSERT INTO further.nonce (hash, hour, call) SELECT hash, \(now.hourNumber), call FROM signed
                ON CONFLICT DO NOTHING
            )
            SELECT hash, coalesce(known.call, '') FROM further.nonce known JOIN signed USING (hash)
            """, as: [UInt8].self, [UInt8].self)
        return Dictionary(uniqueKeysWithValues: known.map { ($0.0, $0.1) })
    }

    private static func delete(_ ids: [UUID], in session: Session) throws(PostgresError) {
        guard !ids.isEmpty else { return }
        try session.execute("DELETE FROM further.report WHERE id = ANY(\(ids))")
    }

    private static func write(
        _ rows: [StoredReport], at now: Date, in session: Session
    ) throws(PostgresError) {
        guard !rows.isEmpty else { return }
        try session.execute(
            """
            INSERT INTO further.report (
                id, feeling_sick, has_been_tested, last_update, positive_since, release_at, withdrawn_at, holder, written_hour
            )
            SELECT id, sick, tested, updated, since, released, nullif(withdrawn, 0), nullif(holder, ''), \(now.hourNumber)
            FROM unnest(
                \(rows.map(\.id)), \(rows.map(\.feelingSick)), \(rows.map(\.hasBeenTested)), \(rows.map(\.lastUpdate)),
                \(rows.map(\.positiveSince)), \(rows.map(\.releaseAt)), \(rows.map { $0.withdrawnAt ?? 0 }),
                \(rows.map { $0.holder ?? [] })
            ) AS report (id, sick, tested, updated, since, released, withdrawn, holder)
            ORDER BY id
            ON CONFLICT (id) DO UPDATE SET
                feeling_sick = excluded.feeling_sick, has_been_tested = excluded.has_been_tested,
                last_update = excluded.last_update, positive_since = excluded.positive_since,
                release_at = excluded.release_at, withdrawn_at = excluded.withdrawn_at, holder = excluded.holder,
                written_hour = excluded.written_hour
            """)
    }
}

extension Signer {
    /// The signer's hash for an id.
    fileprivate func holder(of id: UUID) -> Digest { hashes.holder(key, of: id) }
}
