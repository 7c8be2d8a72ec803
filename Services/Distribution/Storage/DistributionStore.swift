import ExposureFormat
import ExposureKeys
import FoundationEssentials
import Postgres
import Schema
import Venues

/// The tables of the schema `distribution`, and the folded keys and reports, which it may read.
struct DistributionStore: Sendable {
    let database: PostgresClient

    /// Held by the run that publishes.
    private static let publishing = AdvisoryLock(
        job: "publish", acquire: "SELECT distribution.take_publishing_lock()")
    /// The limit for reading a day of keys; the limit for a request would be too short.
    private static let readingTime: Duration = .seconds(300)

    init(_ database: PostgresClient) {
        self.database = database
    }

    /// Runs a job of which one may run at a time, across all machines.
    func exclusively<Result: Sendable>(_ job: @escaping @Sendable (Lead) async throws -> Result) async throws -> Result
    {
        try await database.exclusively(Self.publishing, job)
    }

    // MARK: Folded keys and reports

    /// The first and the last folded hour; nil before the first fold.
    func foldedHours() async throws -> ClosedRange<Hour>? {
        let row = try await database.session { session in
            try session.row("SELECT min(hour), max(hour) FROM submission.folded_hour", as: Int32?.self, Int32?.self)
        }
        guard let (first, last) = row, let first, let last else { return nil }
        return Hour(number: first)...Hour(number: last)
    }

    /// The home keys of a range, in no order, and those that were folded by its end and are released later. Neither has keys that
    /// have expired by an instant.
    func keys(
        released range: ReleaseRange, by policy: PublicationPolicy, at instant: Date
    ) async throws -> ReleasedKeys {
        try await database.transaction { session in
            var read = ReleasedKeys()
            try Self.readKeys(
                "SELECT hour, key_data, rolling_start, rolling_period, transmission_risk_level FROM submission.diagnosis_key",
                after: range.after, storedThrough: range.through.stored, by: policy, at: instant, in: session
            ) { release, period, key, _ in
                if release.isWithin(range.through) {
                    read.keys.append(key)
                    read.counts.add(period, at: release)
                    read.waiting.note(release.stored)
                } else {
                    read.later.note(release.stored)
                }
            }
            return read
        }
    }

    /// The keys that were folded and not published by the last hour that took keys, and haven't expired by an instant.
    func waitingKeys(by policy: PublicationPolicy, at instant: Date) async throws -> WaitingKeys {
        try await database.transaction { session in
            let last = try session.row(
                "SELECT max(hour) FROM distribution.published_hour WHERE first_end IS NOT NULL", as: Int32?.self
            ).flatMap { $0 }
            var waiting = WaitingKeys()
            try Self.readKeys(
                "SELECT hour, key_data, rolling_start, rolling_period, transmission_risk_level FROM submission.diagnosis_key",
                after: last.map(Hour.init(number:)).map { Release(stored: $0, released: $0) }, storedThrough: nil,
                by: policy,
                at: instant, in: session
            ) { release, _, _, _ in waiting.note(release.stored) }
            return waiting
        }
    }

    /// Reads keys by their release, which isn't stored but computed. Expired keys are left out here, whether or not retention has
    /// deleted them.
    /// - Parameters:
    ///   - columns: `hour` to `transmission_risk_level` of a table of keys, and any others.
    ///   - earlier: whose keys are left out.
    ///   - last: the last hour of the fold or of the import; nil for all.
    ///   - body: receives where a key stands, its period, the key, and its row, of which the other columns can be read.
    static func readKeys(
        _ columns: SQL, after earlier: Release?, storedThrough last: Hour?, by policy: PublicationPolicy,
        at instant: Date,
        in session: Session, _ body: (Release, RollingPeriod, PublishedKey, inout CopyRow) throws -> Void
    ) throws {
        try session.limitStatements(to: readingTime)
        // A key is released at most `longestDelay` after its upload, so older rows aren't read. Of the keys stored before the
        // range, only the few whose embargo ends in it are read.
        let firstEnd = earlier.map {
            Int32(clamping: ($0.released.startSeconds - policy.embargoMinutes * 60) / IntervalNumber.seconds)
        }
        let firstStored = earlier.map { min($0.stored, $0.released.advanced(by: -policy.longestDelay)) }
        // Only published columns: every other costs the database time.
        try session.copyOut(
            """
            \(columns)
            WHERE hour BETWEEN \(literal: firstStored?.number ?? 0) AND \(literal: last?.number ?? .max)
                AND transmission_risk_level >= \(literal: policy.lowestLevel.rawValue)
                AND (hour > \(literal: earlier?.stored.number ?? -1)
                    OR rolling_start + rolling_period >= \(literal: firstEnd ?? 0))
            """
        ) { row in
            let hour = Hour(number: try row.int32())
            guard let (data, period, level) = try row.key(),
                !RollingPeriod.hasExpired(endingWith: period.keptEnd, at: instant),
                let released = policy.releaseHour(of: period, level, submitted: hour)
            else { return }
            let release = Release(stored: hour, released: released)
            if let earlier, release.isWithin(earlier) { return }
            try body(
                release, period, PublishedKey(data: data, rollingPeriod: period, transmissionRiskLevel: level), &row)
        }
    }

    /// A folded key and the hour in which it was folded, the first if there are several; nil if there is none.
    func foldedKey(_ data: KeyData) async throws -> (hour: Hour, key: DiagnosisKey)? {
        try await database.transaction { session in
            // COPY takes no parameters, so the key is a setting of this transaction.
            let hexadecimal = data.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            try session.execute("SELECT set_config('vigil.key', \(hexadecimal), true)")
            var found: (Hour, DiagnosisKey)?
            try session.copyOut(
                """
                SELECT hour, key_data, rolling_start, rolling_period, transmission_risk_level, days_since_onset, report_type
                FROM submission.diagnosis_key
                WHERE key_data = decode(current_setting('vigil.key'), 'hex') ORDER BY hour DESC
                """
            ) { row in
                let hour = Hour(number: try row.int32())
                guard let (data, period, level) = try row.key() else { return }
                let (onset, report) = (try row.int16(), try row.int16())
                guard let onset = DaysSinceOnset(rawValue: Int32(onset)), let report = ReportType(rawValue: Int(report))
                else { return }
                let key = DiagnosisKey(
                    data: data, rollingPeriod: period, transmissionRiskLevel: level, daysSinceOnsetOfSymptoms: onset,
                    reportType: report)
                found = (hour, key)
            }
            return found
        }
    }

    /// The number of reports that were folded after one hour (nil: from the beginning), up to and including another.
    func reportCount(after earlier: Hour?, through last: Hour) async throws -> Int {
        try await database.session { session in
            let count = try session.row(
                """
                SELECT count(*) FROM submission.check_in_report
                WHERE hour > \(earlier?.number ?? -1) AND hour <= \(last.number)
                """, as: Int64.self)
            return Int(count ?? 0)
        }
    }

    /// The reports that were folded after one hour (nil: from the beginning), up to and including another, in no order.
    func reports(after earlier: Hour?, through last: Hour) async throws -> [CheckInReport] {
        try await database.transaction { session in
            try session.limitStatements(to: Self.readingTime)
            return try session.rows(
                """
                SELECT location_id_hash || initialization_vector || encrypted_record || authentication_code
                FROM submission.check_in_report
                WHERE hour > \(earlier?.number ?? -1) AND hour <= \(last.number)
                """, as: [UInt8].self
            ).compactMap { CheckInReport($0) }
        }
    }

    /// The number of venue reports that were folded in hours.
    func venueReportCount(in hours: ClosedRange<Hour>) async throws -> Int {
        let (first, last) = (hours.lowerBound.number, hours.upperBound.number)
        return try await database.session { session in
            let count = try session.row(
                "SELECT count(*) FROM submission.venue_report WHERE hour BETWEEN \(first) AND \(last)", as: Int64.self)
            return Int(count ?? 0)
        }
    }

    /// The venue reports that were folded in hours, in no order.
    func venueReports(in hours: ClosedRange<Hour>) async throws -> [VenueReport] {
        let (first, last) = (hours.lowerBound.number, hours.upperBound.number)
        return try await database.transaction { session in
            try session.limitStatements(to: Self.readingTime)
            return try session.rows(
                "SELECT report FROM submission.venue_report WHERE hour BETWEEN \(first) AND \(last)", as: [UInt8].self
            ).compactMap { VenueReport($0) }
        }
    }

    // MARK: Published hours

    /// All published hours, in order.
    func publishedHours() async throws -> [PublishedHour] {
        try await database.session { session in
            try session.rows(
                """
                SELECT hour, keys, first_end, foreign_keys, foreign_first_end, foreign_through, reports
                FROM distribution.published_hour ORDER BY hour
                """, as: Int32.self, Int32.self, Int32?.self, Int32.self, Int32?.self, Int32?.self, Int32.self
            ).map { hour, keys, firstEnd, foreignKeys, foreignFirstEnd, foreignThrough, reports in
                PublishedHour(
                    hour: Hour(number: hour), home: TakenKeys(through: hour, count: keys, firstEnd: firstEnd),
                    foreign: TakenKeys(through: foreignThrough, count: foreignKeys, firstEnd: foreignFirstEnd),
                    reports: Int(reports))
            }
        }
    }

    func insert(_ hour: PublishedHour) async throws {
        try await database.session { session in
            _ = try session.execute(
                """
                INSERT INTO distribution.published_hour (
                    hour, keys, first_end, foreign_keys, foreign_first_end, foreign_through, reports)
                VALUES (
                    \(hour.hour.number), \(hour.home.keys), \(nullable: hour.home.firstEnd), \(hour.foreign.keys),
                    \(nullable: hour.foreign.firstEnd), \(nullable: hour.foreign?.through.number), \(Int32(hour.reports)))
                """)
        }
    }

    /// Records what is left of the keys that hours took.
    func update(_ hours: [PublishedHour]) async throws {
        guard !hours.isEmpty else { return }
        try await database.transaction { session in
            for hour in hours {
                try session.execute(
                    """
                    UPDATE distribution.published_hour
                    SET keys = \(hour.home.keys), first_end = \(nullable: hour.home.firstEnd),
                        foreign_keys = \(hour.foreign.keys), foreign_first_end = \(nullable: hour.foreign.firstEnd)
                    WHERE hour = \(hour.hour.number)
                    """)
            }
        }
    }

    /// Records when an index first named the hours that none has named yet.
    func noteDelay(at now: Date) async throws {
        try await database.session { session in
            _ = try session.execute(
                """
                UPDATE distribution.published_hour
                SET published_after = greatest(0, extract(epoch FROM \(now)) - (hour + 1) * 3600.0)::integer
                WHERE published_after IS NULL
                """)
        }
    }

    /// The bundles of venue reports that were decided, in order.
    func publishedVenueBundles() async throws -> [VenueBundle] {
        try await database.session { session in
            try session.rows(
                "SELECT first_hour, reports FROM distribution.published_venue_bundle ORDER BY first_hour",
                as: Int32.self, Int32.self
            ).map { VenueBundle(firstHour: Hour(number: $0), reports: Int($1)) }
        }
    }

    func insert(_ bundle: VenueBundle) async throws {
        try await database.session { session in
            _ = try session.execute(
                """
                INSERT INTO distribution.published_venue_bundle (first_hour, reports)
                VALUES (\(bundle.firstHour.number), \(Int32(bundle.reports)))
                """)
        }
    }

    // MARK: Signatures

    /// The kept signature over a digest, if there is one. Using it extends its retention.
    func keptSignature(over digest: [UInt8], by signingKey: [UInt8], at now: Date) async throws -> [UInt8]? {
        try await database.session { session in
            try session.row(
                """
                UPDATE distribution.signature SET used_at = \(now)
                WHERE digest = \(digest) AND signing_key = \(signingKey) RETURNING signature
                """, as: [UInt8].self)
        }
    }

    /// Keeps a signature, unless one of the same key over the same digest is kept already.
    /// - Returns: the kept signature.
    func keepSignature(
        _ signature: [UInt8], over digest: [UInt8], by signingKey: [UInt8], at now: Date
    ) async throws -> [UInt8] {
        try await database.transaction { session in
            try session.execute(
                """
                INSERT INTO distribution.signature (digest, signing_key, signature, used_at)
                VALUES (\(digest), \(signingKey), \(signature), \(now))
                ON CONFLICT DO NOTHING
                """)
            return try session.row(
                """
                SELECT signature FROM distribution.signature
                WHERE digest = \(digest) AND signing_key = \(signingKey)
                """, as: [UInt8].self) ?? signature
        }
    }
}

/// The home keys of a range.
struct ReleasedKeys: Sendable {
    var keys: [PublishedKey] = []
    /// The same keys, counted by where they stand.
    var counts = KeyCounts()
    /// The same keys, counted as waiting if no hour takes them.
    var waiting = WaitingKeys()
    /// Keys that will be released after the range.
    var later = WaitingKeys()
}

/// As columns of `published_hour`.
extension TakenKeys? {
    fileprivate var keys: Int32 { self.map { Int32($0.count) } ?? 0 }
    fileprivate var firstEnd: Int32? { self.map { Int32(clamping: $0.firstEnd.rawValue) } }
}

extension TakenKeys {
    /// From columns of `published_hour`; nil without an end.
    fileprivate init?(through: Int32?, count: Int32, firstEnd: Int32?) {
        guard let through, let firstEnd else { return nil }
        self.init(
            through: Hour(number: through), count: Int(count),
            firstEnd: IntervalNumber(rawValue: UInt32(clamping: firstEnd)))
    }
}

extension CopyRow {
    /// The next columns, `key_data` to `transmission_risk_level`.
    ///
    /// Nil if their values make no key, which the table's constraints prevent.
    fileprivate mutating func key() throws(PostgresError) -> (KeyData, RollingPeriod, TransmissionRiskLevel)? {
        let words = try words()
        let (start, length, level) = (try int32(), try int16(), try int16())
        guard let start = UInt32(exactly: start), let length = UInt32(exactly: length),
            let period = RollingPeriod(start: IntervalNumber(rawValue: start), length: length),
            let level = TransmissionRiskLevel(rawValue: Int(level))
        else { return nil }
        return (KeyData(high: words.high, low: words.low), period, level)
    }
}
