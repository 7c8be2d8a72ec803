import ExposureKeys
import FederationFormat
import FoundationEssentials
import Postgres
import Schema

/// The tables `federation.shared_slot` and `federation.outgoing_batch` of one gateway, and the home keys that may leave.
struct OutgoingStore: Sendable {
    private let database: PostgresClient
    /// The gateway's name.
    private let gateway: String
    /// The country in the tags.
    private let origin: CountryCode
    private let policy: PublicationPolicy

    /// The limit for reading days of keys; the limit for a request would be too short.
    private static let readingTime: Duration = .seconds(300)

    init(_ database: PostgresClient, gateway: String, origin: CountryCode, policy: PublicationPolicy) {
        self.database = database
        self.gateway = gateway
        self.origin = origin
        self.policy = policy
    }

    /// Runs a job while no other process sends to this gateway.
    func exclusively<Result: Sendable>(_ job: @escaping @Sendable () async throws -> Result) async throws -> Result {
        let lock = AdvisoryLock(job: "upload \(gateway)", acquire: "SELECT federation.take_upload_lock(\(gateway))")
        return try await database.exclusively(lock) { _ in try await job() }
    }

    // MARK: Slots

    /// Decides a slot in one transaction, unless it is decided.
    ///
    /// - Parameters:
    ///   - last: the slot's last hour.
    ///   - range: says which hours of release it may take; nil for none.
    ///   - batches: makes batches of the keys, and of those that earlier batches left behind; none if there are too few.
    /// - Returns: how many keys it took; nil if it was decided before, or isn't published at home yet.
    func decide(
        _ last: Hour, at now: Date, range: @escaping @Sendable (SharingProgress) -> ReleasedHours?,
        batches: @escaping @Sendable ([DiagnosisKey], [FederatedKey]) -> [KeyBatch]
    ) async throws -> Int? {
        let (gateway, origin, policy) = (gateway, origin, policy)
        return try await database.transaction { session in
            let decided = try session.row(
                "SELECT EXISTS (SELECT FROM federation.shared_slot WHERE gateway = \(gateway) AND hour >= \(last.number))",
                as: Bool.self)
            let progress = try Self.progress(of: gateway, in: session)
            guard decided == false, progress.publishedHour.map({ $0 >= last }) ?? false else { return nil }
            try session.limitStatements(to: Self.readingTime)
            let released = range(progress)
            let keys = try released.map { try Self.keys(released: $0, by: policy, at: now, in: session) } ?? []
            let carried = try session.rows(
                "SELECT content FROM federation.outgoing_batch WHERE gateway = \(gateway) AND state = 'carried'",
                as: [UInt8].self
            ).flatMap { try ReceivedBatch(protobuf: $0, limit: .max).keys }
            let made = batches(keys, carried)
            let taken = made.map(\.keys.count).reduce(0, +)
            let through = made.isEmpty ? nil : released?.through ?? progress.sharedThrough
            try session.execute(
                """
                INSERT INTO federation.shared_slot (gateway, hour, keys, through)
                VALUES (\(gateway), \(last.number), \(Int32(taken)), \(nullable: through?.number))
                """)
            guard !made.isEmpty else { return 0 }
            try session.execute(
                "DELETE FROM federation.outgoing_batch WHERE gateway = \(gateway) AND state = 'carried'")
            for batch in made {
                let new = Settlement.Successor(batch: batch, state: .waiting, reason: nil)
                try Self.insert(new, of: gateway, from: origin, last, at: now, in: session)
            }
            return taken
        }
    }

    private static func progress(of gateway: String, in session: Session) throws -> SharingProgress {
        let row = try session.row(
            """
            SELECT (SELECT max(hour) FROM distribution.published_hour),
                (SELECT max(hour) FROM distribution.published_hour WHERE first_end IS NOT NULL),
                (SELECT max(through) FROM federation.shared_slot WHERE gateway = \(gateway))
            """, as: Int32?.self, Int32?.self, Int32?.self)
        return SharingProgress(
            publishedHour: row?.0.map(Hour.init(number:)), lastFilledHour: row?.1.map(Hour.init(number:)),
            sharedThrough: row?.2.map(Hour.init(number:)))
    }

    /// The keys of the stream for other countries that were released in a range and haven't expired.
    private static func keys(
        released range: ReleasedHours, by policy: PublicationPolicy, at now: Date, in session: Session
    ) throws -> [DiagnosisKey] {
        // A key is released at most `longestDelay` after its upload.
        let first = range.after.map { $0.number - Int32(policy.longestDelay) } ?? 0
        var keys: [DiagnosisKey] = []
        try session.copyOut(
            """
            SELECT hour, key_data, rolling_start, rolling_period, transmission_risk_level
            FROM submission.diagnosis_key
            WHERE is_federated AND hour BETWEEN \(literal: first) AND \(literal: range.through.number)
            """
        ) { row in
            let hour = Hour(number: try row.int32())
            let words = try row.words()
            let (start, length, level) = (try row.int32(), try row.int16(), try row.int16())
            guard let start = UInt32(exactly: start), let length = UInt32(exactly: length),
                let period = RollingPeriod(start: IntervalNumber(rawValue: start), length: length),
                let level = TransmissionRiskLevel(rawValue: Int(level)), !period.hasExpired(at: now),
                let release = policy.releaseHour(of: period, level, submitted: hour), release <= range.through,
                range.after.map({ $0 < release }) ?? true
            else { return }
            keys.append(
                DiagnosisKey(
                    data: KeyData(high: words.high, low: words.low), rollingPeriod: period,
                    transmissionRiskLevel: level, daysSinceOnsetOfSymptoms: DaysSinceOnset(derivedFrom: level),
                    reportType: .confirmedTest))
        }
        return keys
    }

    // MARK: Batches

    /// Longer than a gateway, or what stands in front of it, works on an upload.
    private static let longestUpload: TimeInterval = 120

    /// The first batch after another that is to be sent by an instant; nil also while one may still be on its way.
    func next(after id: Int64, dueAt now: Date) async throws -> OutgoingBatch? {
        let gateway = gateway
        return try await database.session { session in
            let row = try session.row(
                """
                SELECT id, hour, content, attempts FROM federation.outgoing_batch
                WHERE gateway = \(gateway) AND state = 'waiting' AND due_at <= \(now) AND id > \(id)
                    AND NOT EXISTS (
                        SELECT FROM federation.outgoing_batch
                        WHERE gateway = \(gateway) AND state = 'waiting' AND reason = ANY (\(UploadVerdict.unsettled))
                            AND changed_at > \(now.addingTimeInterval(-Self.longestUpload)) AND changed_at <= \(now))
                ORDER BY id LIMIT 1
                """, as: Int64.self, Int32.self, [UInt8].self, Int32.self)
            guard let (id, hour, content, attempts) = row,
                let batch = KeyBatch(try ReceivedBatch(protobuf: content, limit: .max).keys)
            else { return nil }
            return OutgoingBatch(id: id, hour: Hour(number: hour), batch: batch, attempts: Int(attempts))
        }
    }

    /// Notes that a batch leaves: until an answer settles it, nobody knows its end.
    func begin(_ batch: OutgoingBatch, at now: Date) async throws {
        try await database.session { session in
            _ = try session.execute(
                """
                UPDATE federation.outgoing_batch
                SET reason = 'no_answer', answer = NULL, changed_at = \(now)
                WHERE id = \(batch.id) AND state = 'waiting'
                """)
        }
    }

    /// Gives a batch other keys before it is sent, which gives it another tag.
    func replace(_ old: OutgoingBatch, by batch: KeyBatch, at now: Date) async throws {
        let tag = batch.tag(of: origin)
        let content = try batch.protobuf()
        try await database.session { session in
            _ = try session.execute(
                """
                UPDATE federation.outgoing_batch
                SET tag = \(tag.text), keys = \(Int32(batch.keys.count)), content = \(content), changed_at = \(now)
                WHERE id = \(old.id) AND state = 'waiting'
                """)
        }
    }

    /// Sends a batch again later.
    /// - Parameter answer: what the gateway said.
    func postpone(
        _ batch: OutgoingBatch, until due: Date, reason: String, _ answer: String?, at now: Date
    ) async throws {
        try await database.session { session in
            _ = try session.execute(
                """
                UPDATE federation.outgoing_batch
                SET attempts = attempts + 1, due_at = \(due), reason = \(reason), answer = \(nullable: answer),
                    changed_at = \(now)
                WHERE id = \(batch.id) AND state = 'waiting'
                """)
        }
    }

    /// Records an answer in one transaction: without successors the batch has arrived, else they take its place.
    func settle(_ batch: OutgoingBatch, _ settlement: Settlement, at now: Date) async throws {
        let (gateway, origin) = (gateway, origin)
        try await database.transaction { session in
            guard !settlement.successors.isEmpty else {
                _ = try session.execute(
                    """
                    UPDATE federation.outgoing_batch
                    SET state = 'delivered', content = NULL, reason = NULL, answer = NULL, changed_at = \(now)
                    WHERE id = \(batch.id) AND state = 'waiting'
                    """)
                return
            }
            let removed = try session.execute(
                "DELETE FROM federation.outgoing_batch WHERE id = \(batch.id) AND state = 'waiting'")
            guard removed == 1 else { return }
            for successor in settlement.successors {
                try Self.insert(successor, of: gateway, from: origin, batch.hour, at: now, in: session)
            }
        }
    }

    /// Sends refused batches again.
    /// - Parameter tag: of one batch; nil for all.
    /// - Returns: how many there are.
    func retry(_ tag: BatchTag?, at now: Date) async throws -> Int {
        let gateway = gateway
        return try await database.session { session in
            try session.execute(
                """
                UPDATE federation.outgoing_batch
                SET state = 'waiting', attempts = 0, reason = NULL, answer = NULL, due_at = \(now), changed_at = \(now)
                WHERE gateway = \(gateway) AND state = 'refused' AND (\(nullable: tag?.text)::text IS NULL OR tag = \(nullable: tag?.text))
                """)
        }
    }

    private static func insert(
        _ new: Settlement.Successor, of gateway: String, from origin: CountryCode, _ hour: Hour, at now: Date,
        in session: Session
    ) throws {
        let batch = new.batch
        // A batch with the same keys may be there: then it has been sent, or is going to be.
        try session.execute(
            """
            INSERT INTO federation.outgoing_batch (
                gateway, tag, hour, keys, content, state, reason, answer, attempts, due_at, changed_at)
            VALUES (\(gateway), \(batch.tag(of: origin).text), \(hour.number), \(Int32(batch.keys.count)),
                \(try batch.protobuf()), \(new.state.rawValue), \(nullable: new.reason), \(nullable: new.answer),
                \(Int32(new.attempts)), \(now), \(now))
            ON CONFLICT (gateway, tag) DO NOTHING
            """)
    }
}
