import Credentials
import FoundationEssentials
import Postgres
import Schema

/// The table `push_dispatcher.wave`, and the registrations as a wave reads and changes them.
struct WaveStore: Sendable {
    private let database: PostgresClient

    /// The leader of a wave holds it.
    private static let leading = AdvisoryLock(job: "wave", acquire: "SELECT push_dispatcher.take_wave_lock()")

    init(_ database: PostgresClient) {
        self.database = database
    }

    /// Runs a job while no other process leads a wave.
    func exclusively<Result: Sendable>(_ job: @escaping @Sendable () async throws -> Result) async throws -> Result {
        try await database.exclusively(Self.leading) { _ in try await job() }
    }

    // MARK: Starting

    /// Plans a wave, unless one is planned.
    func plan(at now: Date) async throws {
        let id = WaveID.fresh()
        try await database.session { session in
            try session.execute(
                """
                INSERT INTO push_dispatcher.wave (id, planned_at) VALUES (\(id.bytes), \(now))
                ON CONFLICT ((true)) WHERE started_at IS NULL DO NOTHING
                """)
        }
    }

    /// The times of the waves. Those in the future, left by a rehearsal's clock, don't count.
    func times(asOf now: Date) async throws -> WaveTimes {
        try await database.session { try Self.times(asOf: now, in: $0) }
    }

    private static func times(asOf now: Date, in session: Session) throws(PostgresError) -> WaveTimes {
        let row = try session.row(
            """
            SELECT coalesce(bool_or(started_at IS NOT NULL AND ended_at IS NULL), false),
                max(started_at) FILTER (WHERE started_at <= \(now)),
                max(ended_at) FILTER (
                    WHERE (sent > 0 OR outcome IN ('refused', 'breaker')) AND ended_at <= \(now)),
                max(planned_at) FILTER (WHERE started_at IS NULL)
            FROM push_dispatcher.wave
            """, as: Bool.self, Date?.self, Date?.self, Date?.self)
        guard let (isRunning, lastStart, lastEnd, planned) = row else { return WaveTimes() }
        return WaveTimes(isRunning: isRunning, lastStart: lastStart, lastEnd: lastEnd, planned: planned)
    }

    /// The status of the waves.
    func status(asOf now: Date) async throws -> WaveStatus {
        try await database.transaction { session in
            let last = try Self.last(in: session)
            // It reads the whole table.
            try session.limitStatements(to: .seconds(300))
            let counts = try session.row(
                """
                SELECT count(*) FILTER (WHERE kind <> \(Device.Kind.android.rawValue)),
                    count(*) FILTER (WHERE kind = \(Device.Kind.android.rawValue))
                FROM push_dispatcher.registration
                """, as: Int64.self, Int64.self)
            return WaveStatus(
                last: last, times: try Self.times(asOf: now, in: session), phones: Int(counts?.0 ?? 0),
                androidPhones: Int(counts?.1 ?? 0))
        }
    }

    /// Ends a wave whose time is over; the next one covers the rest.
    /// - Returns: the number of ended waves, at most one.
    func expire(at now: Date) async throws -> Int {
        try await database.session { session in
            try session.execute(
                """
                UPDATE push_dispatcher.wave
                SET ended_at = expires_at, outcome = \(WaveOutcome.expired.rawValue), position = '', page_end = NULL
                WHERE started_at IS NOT NULL AND ended_at IS NULL AND expires_at <= \(now)
                """)
        }
    }

    /// The most recent wave, without reading the registrations.
    func last() async throws -> WaveStatus.Last? {
        try await database.session { try Self.last(in: $0) }
    }

    private static func last(in session: Session) throws(PostgresError) -> WaveStatus.Last? {
        let row = try session.row(
            """
            SELECT id, started_at, ended_at, outcome, size, sent, accepted, removed FROM push_dispatcher.wave
            WHERE started_at IS NOT NULL ORDER BY started_at DESC LIMIT 1
            """, as: [UInt8].self, Date.self, Date?.self, String?.self, Int32.self, Int32.self, Int32.self, Int32.self)
        return row.map { id, startedAt, endedAt, outcome, size, sent, accepted, removed in
            WaveStatus.Last(
                id: WaveID(bytes: id), startedAt: startedAt, endedAt: endedAt,
                outcome: outcome.flatMap(WaveOutcome.init(rawValue:)), size: Int(size), sent: Int(sent),
                accepted: Int(accepted), removed: Int(removed))
        }
    }

    /// Takes over the running wave, or begins one if it is due; from now on `leader` leads it.
    /// - Returns: nil if no wave is due.
    func take(as leader: LeaderID, at now: Date, by schedule: WaveSchedule) async throws -> Wave? {
        try await database.transaction { session in
            let left = try Self.wave(
                from: session,
                """
                UPDATE push_dispatcher.wave SET leader = \(leader.bytes)
                WHERE started_at IS NOT NULL AND ended_at IS NULL
                """)
            if let left { return left }
            guard schedule.next(after: try Self.times(asOf: now, in: session)) <= now else { return nil }
            // It reads the whole table, once a wave.
            try session.limitStatements(to: .seconds(300))
            let size = try session.row(
                "SELECT count(*) FROM push_dispatcher.registration WHERE kind <> \(Device.Kind.android.rawValue)",
                as: Int64.self)
            try session.execute(
                """
                INSERT INTO push_dispatcher.wave (id, planned_at) VALUES (\(WaveID.fresh().bytes), \(now))
                ON CONFLICT ((true)) WHERE started_at IS NULL DO NOTHING
                """)
            return try Self.wave(
                from: session,
                """
                UPDATE push_dispatcher.wave
                SET started_at = \(now), expires_at = \(now.addingTimeInterval(schedule.interval)),
                    leader = \(leader.bytes), size = \(Int32(clamping: size ?? 0))
                WHERE started_at IS NULL
                """)
        }
    }

    private static func wave(from session: Session, _ update: SQL) throws(PostgresError) -> Wave? {
        let row = try session.row(
            "\(update) RETURNING id, started_at, expires_at, size, position, page_end, sent, accepted, removed",
            as: [UInt8].self, Date.self, Date.self, Int32.self, [UInt8].self, [UInt8]?.self, Int32.self, Int32.self,
            Int32.self)
        guard let (id, startedAt, expiresAt, size, position, pageEnd, sent, accepted, removed) = row else { return nil }
        return Wave(
            id: WaveID(bytes: id), startedAt: startedAt, expiresAt: expiresAt, size: Int(size), position: position,
            pageEnd: pageEnd, sent: Int(sent), accepted: Int(accepted), removed: Int(removed))
    }

    // MARK: Pages

    /// The next registrations after a hash, without those that never receive pushes.
    /// - Parameter end: the last one, if not all are wanted.
    func rows(after position: [UInt8], through end: [UInt8]? = nil) async throws -> [WaveRow] {
        let rows = try await database.session { session in
            try session.rows(
                """
                SELECT instance_hash, token_hash, sealed_token, kind, standing FROM push_dispatcher.registration
                WHERE instance_hash > \(position) AND instance_hash <= \(end ?? Self.beyond)
                  AND kind <> \(Device.Kind.android.rawValue)
                ORDER BY instance_hash LIMIT \(Int64(WavePage.size))
                """, as: [UInt8].self, [UInt8].self, [UInt8].self, Int16.self, Int16.self)
        }
        return rows.compactMap { instance, token, sealed, kind, standing in
            guard let instance = Digest(bytes: instance), let token = Digest(bytes: token) else { return nil }
            return WaveRow(
                instance: instance, token: token, sealed: sealed,
                environment: kind == Device.Kind.sandbox.rawValue ? .sandbox : .production,
                standing: Standing(rawValue: standing) ?? .new)
        }
    }

    /// Before every hash.
    private static let beyond = [UInt8](repeating: 0xff, count: Digest.count)

    /// Records that a page is about to be sent.
    func intend(_ end: [UInt8], in wave: Wave, as leader: LeaderID) async throws {
        try await database.transaction { session in
            try Self.hold(wave, as: leader, in: session)
            try session.execute(
                "UPDATE push_dispatcher.wave SET page_end = \(end) WHERE id = \(wave.id.bytes)")
        }
    }

    /// Records the results of a page, and that the next one is about to be sent.
    ///
    /// A registration that was renewed after the time that APNs reports stays. Times are stored by the hour, so one of the same
    /// hour is kept until APNs reports it again without a renewal in between.
    ///
    /// - Parameters:
    ///   - isBelieved: whether wrong tokens are deleted, or only marked.
    ///   - next: the end of the next page; nil if none follows at once.
    /// - Returns: the number of deleted registrations.
    func complete(
        _ page: WavePage, _ report: PageReport, isBelieved: Bool, next: [UInt8]?, in wave: Wave, as leader: LeaderID
    ) async throws -> Int {
        try await database.transaction(retrying: .onConflict) { session in
            try Self.hold(wave, as: leader, in: session)
            var removed = try Self.removeGone(report.gone, in: session)
            if isBelieved {
                removed += try Self.remove(report.wrong, in: session)
            } else {
                try Self.mark(report.wrong, as: .refused, in: session)
            }
            try Self.mark(report.accepted.filter { $0.standing != .accepted }, as: .accepted, in: session)
            try session.execute(
                """
                UPDATE push_dispatcher.wave
                SET position = \(page.end), page_end = \(nullable: next), sent = sent + \(Int32(page.pushes.count)),
                    accepted = accepted + \(Int32(report.accepted.count)), removed = removed + \(Int32(removed))
                WHERE id = \(wave.id.bytes)
                """)
            return removed
        }
    }

    /// Ends a wave. Its position is deleted: it is a phone's hash, and the phone may deregister.
    func end(_ wave: Wave, _ outcome: WaveOutcome, at now: Date, as leader: LeaderID) async throws {
        try await database.transaction { session in
            try Self.hold(wave, as: leader, in: session)
            try session.execute(
                """
                UPDATE push_dispatcher.wave
                SET ended_at = \(now), outcome = \(outcome.rawValue), position = '', page_end = NULL
                WHERE id = \(wave.id.bytes)
                """)
        }
    }

    /// Locks the wave for this transaction.
    /// - Throws: ``LostLead``.
    private static func hold(_ wave: Wave, as leader: LeaderID, in session: Session) throws {
        let held = try session.row(
            """
            SELECT 1 FROM push_dispatcher.wave
            WHERE id = \(wave.id.bytes) AND leader = \(leader.bytes) AND ended_at IS NULL FOR UPDATE
            """, as: Int32.self)
        guard held != nil else { throw LostLead() }
    }

    // MARK: Replies of APNs

    private static func removeGone(
        _ gone: [(row: WaveRow, hour: RegistrationHour)], in session: Session
    ) throws(PostgresError) -> Int {
        guard !gone.isEmpty else { return 0 }
        let list: SQL = """
            unnest(\(gone.map(\.row.instance.bytes)), \(gone.map(\.row.token.bytes)), \(gone.map(\.hour.number)))
                AS gone (instance_hash, token_hash, hour)
            """
        let removed = try session.execute(
            """
            DELETE FROM push_dispatcher.registration AS known USING \(list)
            WHERE known.instance_hash = gone.instance_hash AND known.token_hash = gone.token_hash
              AND (known.registered_hour < gone.hour
                OR known.registered_hour = gone.hour AND known.standing = \(Standing.refused.rawValue))
            """)
        try session.execute(
            """
            UPDATE push_dispatcher.registration AS known SET standing = \(Standing.refused.rawValue) FROM \(list)
            WHERE known.instance_hash = gone.instance_hash AND known.token_hash = gone.token_hash
              AND known.registered_hour = gone.hour
            """)
        return removed
    }

    private static func remove(_ rows: [WaveRow], in session: Session) throws(PostgresError) -> Int {
        guard !rows.isEmpty else { return 0 }
        return try session.execute(
            """
            DELETE FROM push_dispatcher.registration AS known USING \(list(of: rows))
            WHERE known.instance_hash = found.instance_hash AND known.token_hash = found.token_hash
              AND known.kind = found.kind
            """)
    }

    private static func mark(_ rows: [WaveRow], as standing: Standing, in session: Session) throws(PostgresError) {
        guard !rows.isEmpty else { return }
        try session.execute(
            """
            UPDATE push_dispatcher.registration AS known SET standing = \(standing.rawValue) FROM \(list(of: rows))
            WHERE known.instance_hash = found.instance_hash AND known.token_hash = found.token_hash
              AND known.kind = found.kind
            """)
    }

    private static func list(of rows: [WaveRow]) -> SQL {
        let kinds = rows.map {
            $0.environment == .sandbox ? Device.Kind.sandbox.rawValue : Device.Kind.production.rawValue
        }
        return """
            unnest(\(rows.map(\.instance.bytes)), \(rows.map(\.token.bytes)), \(kinds))
                AS found (instance_hash, token_hash, kind)
            """
    }
}
