import ExposureKeys
import FederationFormat
import FoundationEssentials
import Postgres
import Schema

/// The table `federation.incoming_batch` of one gateway and its details, and the keys of other countries.
struct IncomingStore: Sendable {
    let database: PostgresClient
    /// The gateway's name.
    let gateway: String

    /// The gateway makes at most one batch of 5,000 keys every few seconds. More than these are a fault, or an attack.
    static let mostPerDay = 2000
    /// A fold and an import wait for each other, and a crowded hour is folded for minutes.
    private static let waitingTime: Duration = .seconds(300)

    init(_ database: PostgresClient, gateway: String) {
        self.database = database
        self.gateway = gateway
    }

    /// Runs a job while no other process reads from this gateway.
    func exclusively<Result: Sendable>(_ job: @escaping @Sendable () async throws -> Result) async throws -> Result {
        let lock = AdvisoryLock(job: "download \(gateway)", acquire: "SELECT federation.take_download_lock(\(gateway))")
        return try await database.exclusively(lock) { _ in try await job() }
    }

    // MARK: Finding

    /// Notes a batch, unless it is known, of a day that isn't looked through, or one too many.
    /// - Parameter days: how many days before the current one are looked through.
    func announce(_ tag: BatchTag, _ day: Day, days: Int, at now: Date) async throws {
        let gateway = gateway
        try await database.session { try Self.announce(tag, day, of: gateway, days: days, at: now, in: $0) }
    }

    private static func announce(
        _ tag: BatchTag, _ day: Day, of gateway: String, days: Int, at now: Date, in session: Session
    ) throws {
        let today = Day(containing: now)
        guard (today.advanced(by: -days)...today.advanced(by: 1)).contains(day) else { return }
        try session.execute(
            """
            INSERT INTO federation.incoming_batch (gateway, tag, day, announced_at, due_at, changed_at)
            SELECT \(gateway), \(tag.text), \(day.number), \(now), \(now), \(now)
            WHERE (SELECT count(*) FROM federation.incoming_batch WHERE gateway = \(gateway) AND day = \(day.number))
                < \(Int64(mostPerDay))
            ON CONFLICT DO NOTHING
            """)
    }

    /// Notes the batch after another one.
    func link(_ batch: AnnouncedBatch, to next: BatchTag, days: Int, at now: Date) async throws {
        let gateway = gateway
        try await database.transaction { session in
            try Self.link(batch, to: next, of: gateway, days: days, at: now, in: session)
        }
    }

    private static func link(
        _ batch: AnnouncedBatch, to next: BatchTag, of gateway: String, days: Int, at now: Date, in session: Session
    ) throws {
        // A batch that links to itself has no successor, and is asked again.
        guard next != batch.tag else { return }
        try session.execute(
            """
            UPDATE federation.incoming_batch SET next_tag = \(next.text)
            WHERE gateway = \(gateway) AND tag = \(batch.tag.text)
            """)
        try announce(next, next.day ?? batch.day, of: gateway, days: days, at: now, in: session)
    }

    /// The days from one on that have a batch.
    func daysWithBatches(from first: Day) async throws -> Set<Day> {
        let gateway = gateway
        return try await database.session { session in
            Set(
                try session.rows(
                    """
                    SELECT DISTINCT day FROM federation.incoming_batch
                    WHERE gateway = \(gateway) AND day >= \(first.number) AND state <> 'gone'
                    """, as: Int32.self
                ).map(Day.init(number:)))
        }
    }

    /// The newest batches that were read and name none after them, or one that doesn't exist.
    func ends(from first: Day, most: Int) async throws -> [AnnouncedBatch] {
        let gateway = gateway
        return try await database.session { session in
            try session.rows(
                """
                SELECT tag, day FROM federation.incoming_batch AS batch
                WHERE gateway = \(gateway) AND day >= \(first.number) AND state NOT IN ('announced', 'gone')
                    AND (next_tag IS NULL OR EXISTS (
                        SELECT FROM federation.incoming_batch AS next
                        WHERE next.gateway = batch.gateway AND next.tag = batch.next_tag AND next.state = 'gone'))
                ORDER BY day DESC, length(tag) DESC, tag DESC LIMIT \(Int64(most))
                """, as: String.self, Int32.self
            ).compactMap { tag, day in
                BatchTag(tag).map { AnnouncedBatch(tag: $0, day: Day(number: day), attempts: 0) }
            }
        }
    }

    /// Notes that the gateway doesn't have a batch, or not any more.
    func forget(_ batch: AnnouncedBatch, reason: String, _ answer: String?, at now: Date) async throws {
        let gateway = gateway
        try await database.session { session in
            _ = try session.execute(
                """
                UPDATE federation.incoming_batch
                SET state = 'gone', reason = \(reason), answer = \(nullable: answer), changed_at = \(now)
                WHERE gateway = \(gateway) AND tag = \(batch.tag.text)
                """)
        }
    }

    // MARK: Reading

    /// The oldest batch that is to be read by an instant.
    func next(dueAt now: Date) async throws -> AnnouncedBatch? {
        let gateway = gateway
        return try await database.session { session in
            let row = try session.row(
                """
                SELECT tag, day, attempts FROM federation.incoming_batch
                WHERE gateway = \(gateway) AND state = 'announced' AND due_at <= \(now)
                ORDER BY day, length(tag), tag LIMIT 1
                """, as: String.self, Int32.self, Int32.self)
            guard let (tag, day, attempts) = row, let tag = BatchTag(tag) else { return nil }
            return AnnouncedBatch(tag: tag, day: Day(number: day), attempts: Int(attempts))
        }
    }

    /// Reads a batch later.
    /// - Parameter answer: what the gateway said.
    func postpone(
        _ batch: AnnouncedBatch, until due: Date, reason: String, _ answer: String?, at now: Date
    ) async throws {
        let gateway = gateway
        try await database.session { session in
            _ = try session.execute(
                """
                UPDATE federation.incoming_batch
                SET attempts = attempts + 1, due_at = \(due), reason = \(reason), answer = \(nullable: answer),
                    changed_at = \(now)
                WHERE gateway = \(gateway) AND tag = \(batch.tag.text) AND state = 'announced'
                """)
        }
    }

    /// Reads batches again that weren't used, or only in part.
    /// - Parameter tag: of one batch; nil for all.
    /// - Returns: how many there are.
    func retry(_ tag: BatchTag?, at now: Date) async throws -> Int {
        let gateway = gateway
        return try await database.session { session in
            try session.execute(
                """
                UPDATE federation.incoming_batch
                SET state = 'announced', attempts = 0, reason = NULL, answer = NULL, due_at = \(now), changed_at = \(now)
                WHERE gateway = \(gateway) AND state IN ('quarantined', 'partial', 'gone')
                    AND (\(nullable: tag?.text)::text IS NULL OR tag = \(nullable: tag?.text))
                """)
        }
    }

    // MARK: Keeping

    /// What storing a batch's keys found.
    struct Kept: Sendable, Equatable {
        /// Imported keys by country.
        var countries: [CountryCode: Int] = [:]
        /// Keys that were stored before, or are home keys, by reason.
        var leftOut: [String: Int] = [:]

        var imported: Int { countries.values.reduce(0, +) }
    }

    /// Stores what was found in a batch, in one transaction. Reading it once more stores nothing twice.
    func keep(_ read: ReadBatch, of batch: AnnouncedBatch, days: Int, at now: Date) async throws -> Kept {
        let gateway = gateway
        return try await database.transaction { session in
            try session.limitStatements(to: Self.waitingTime)
            let kept = try Self.store(read.keys, at: now, in: session)
            try session.execute(
                """
                UPDATE federation.incoming_batch
                SET state = \(read.state.rawValue), reason = \(nullable: read.reason), answer = \(nullable: read.answer),
                    keys = greatest(keys, \(Int32(read.count))),
                    imported = greatest(imported, \(Int32(kept.imported))), attempts = attempts + 1, changed_at = \(now)
                WHERE gateway = \(gateway) AND tag = \(batch.tag.text)
                """)
            if let next = read.next { try Self.link(batch, to: next, of: gateway, days: days, at: now, in: session) }
            let tag = batch.tag.text
            for table: SQL in ["audited_upload", "left_out"] {
                try session.execute("DELETE FROM federation.\(table) WHERE gateway = \(gateway) AND tag = \(tag)")
            }
            try session.execute(
                """
                INSERT INTO federation.audited_upload (gateway, tag, number, country, keys, outcome)
                SELECT \(gateway), \(tag), number, nullif(country, ''), keys, outcome
                FROM unnest(
                    \(read.uploads.map { $0.country?.text ?? "" }), \(read.uploads.map { Int32($0.keys) }),
                    \(read.uploads.map(\.outcome))
                ) WITH ORDINALITY AS upload (country, keys, outcome, number)
                """)
            let leftOut = read.leftOut.merging(kept.leftOut, uniquingKeysWith: +).sorted { $0.key < $1.key }
            try session.execute(
                """
                INSERT INTO federation.left_out (gateway, tag, reason, keys)
                SELECT \(gateway), \(tag), reason, keys
                FROM unnest(\(leftOut.map(\.key)), \(leftOut.map { Int32($0.value) })) AS new (reason, keys)
                """)
            return kept
        }
    }

    /// Stores keys that neither came before nor are home keys, under the current hour.
    private static func store(_ keys: [ForeignKey], at now: Date, in session: Session) throws -> Kept {
        guard !keys.isEmpty else { return Kept() }
        let keys = keys.sorted { $0.key < $1.key }
        try session.execute("SELECT foreign_keys.take_import_lock()")
        let current = Hour(containing: now)
        let ended = try session.row("SELECT max(hour) FROM foreign_keys.imported_hour", as: Int32?.self).flatMap { $0 }
        let hour = max(current, ended.map { Hour(number: $0 + 1) } ?? current)
        // Keys may be of any of the days that end with this one, and the hour of a later day.
        for day in Set([Day(containing: now), hour.day]) {
            try session.execute("SELECT foreign_keys.ensure_day(\(day.number))")
        }

        let home = try homeKeys(among: keys, in: session)
        let new = keys.filter { !home.contains($0.key.data) }
        var kept = Kept()
        // A key that another country sends with another period counts as another: both begin at midnight, so that no identifier comes from
        // both, and neither stands in the other's way.
        let counts = try session.rows(
            """
            WITH new AS (
                INSERT INTO foreign_keys.diagnosis_key (
                    hour, key_data, rolling_start, rolling_period, transmission_risk_level, days_since_onset, report_type,
                    origin, visited
                )
                SELECT \(hour.number), * FROM unnest(
                    \(new.map(\.key.data.bytes)), \(new.map(\.start)),
                    \(new.map { Int16(clamping: $0.key.rollingPeriod.length) }),
                    \(new.map { Int16($0.key.transmissionRiskLevel.rawValue) }),
                    \(new.map { Int16(clamping: $0.key.daysSinceOnsetOfSymptoms.rawValue) }),
                    \(new.map { Int16($0.key.reportType.rawValue) }), \(new.map(\.origin.text)), \(new.map(\.visited))
                )
                ON CONFLICT DO NOTHING RETURNING origin
            )
            SELECT origin, count(*) FROM new GROUP BY origin
            """, as: String.self, Int64.self)
        for (origin, count) in counts { if let origin = CountryCode(origin) { kept.countries[origin] = Int(count) } }
        let known = new.count - kept.imported
        if new.count < keys.count { kept.leftOut["home_key"] = keys.count - new.count }
        if known > 0 { kept.leftOut["known"] = known }
        return kept
    }

    /// The data of those among foreign keys that are home keys.
    ///
    /// Each is looked for with the beginning of its period, by the index of one partition: OFFSET keeps PostgreSQL from reading the whole
    /// table instead. A list in `= ANY` would be compared with every key one by one, once a plan is kept from when the table was small.
    private static func homeKeys(among keys: [ForeignKey], in session: Session) throws -> Set<KeyData> {
        Set(
            try session.rows(
                """
                SELECT key_data
                FROM unnest(\(keys.map(\.key.data.bytes)), \(keys.map(\.start))) AS key (key_data, rolling_start),
                    LATERAL (
                        SELECT FROM submission.diagnosis_key AS home
                        WHERE home.key_data = key.key_data AND home.rolling_start = key.rolling_start OFFSET 0
                    ) AS home
                """, as: [UInt8].self
            ).compactMap { KeyData($0) })
    }

    /// Ends all hours up to one: from then on no key gets their number.
    func endHours(through last: Hour) async throws {
        try await database.transaction { session in
            try session.limitStatements(to: Self.waitingTime)
            try session.execute("SELECT foreign_keys.take_import_lock()")
            try session.execute(
                """
                INSERT INTO foreign_keys.imported_hour (hour)
                SELECT \(last.number)
                WHERE NOT EXISTS (SELECT FROM foreign_keys.imported_hour WHERE hour >= \(last.number))
                """)
        }
    }
}
