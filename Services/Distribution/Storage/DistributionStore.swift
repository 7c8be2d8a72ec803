import ExposureKeys
import FoundationEssentials
import Postgres

/// The tables of the schema `distribution`, and the folded keys, which it may read.
struct DistributionStore: Sendable {
    private let database: PostgresClient

    /// Whoever publishes holds it. The number is arbitrary.
    private static let publishing = AdvisoryLock(0x7669_6769_6c00_0003)

    init(_ database: PostgresClient) {
        self.database = database
    }

    /// Runs a job of which there may be one at a time, on all machines together.
    func exclusively<Result: Sendable>(_ job: @escaping @Sendable () async throws -> Result) async throws -> Result {
        try await database.exclusively(Self.publishing, job)
    }

    // MARK: Folded keys

    /// The first and the last folded hour; nil before the first fold.
    func foldedHours() async throws -> ClosedRange<Hour>? {
        let row = try await database.session { session in
            try session.row("SELECT min(hour), max(hour) FROM submission.folded_hour", as: Int32?.self, Int32?.self)
        }
        guard let (first, last) = row, let first, let last else { return nil }
        return Hour(number: first)...Hour(number: last)
    }

    /// The keys whose release lies after one hour (nil: from the beginning) and at or before another.
    func keys(
        releasedAfter earlier: Hour?, through last: Hour, by policy: PublicationPolicy
    ) async throws -> [DiagnosisKey] {
        // A key is released at or after its upload, and not much later: no older partition needs a look. What was uploaded
        // before the range is released in it only because of the embargo, which few keys meet: the others aren't read.
        let firstUpload = earlier.map { $0.number - Int32(policy.longestDelay) } ?? 0
        let before = earlier?.number ?? -1
        let firstEnd = earlier.map {
            Int32(clamping: ($0.startSeconds - policy.embargoMinutes * 60) / IntervalNumber.seconds)
        }
        let lowestLevel = Int16(policy.lowestLevel.rawValue)
        return try await database.session { session in
            try session.rows(
                """
                SELECT hour, key_data, rolling_start, rolling_period, transmission_risk_level, days_since_onset,
                    report_type
                FROM submission.diagnosis_key
                WHERE hour BETWEEN \(firstUpload) AND \(last.number) AND transmission_risk_level >= \(lowestLevel)
                    AND (hour > \(before) OR rolling_start + rolling_period >= \(firstEnd ?? 0))
                """, as: Int32.self, [UInt8].self, Int32.self, Int16.self, Int16.self, Int16.self, Int16.self
            ).compactMap { hour, data, start, length, level, onset, report in
                let key = DiagnosisKey(
                    data: data, start: start, length: length, level: level, onset: onset, report: report)
                guard let key, let release = policy.releaseHour(of: key, submitted: Hour(number: hour)),
                    release <= last, earlier.map({ $0 < release }) ?? true
                else { return nil }
                return key
            }
        }
    }

    // MARK: Published hours

    /// In order.
    func publishedHours() async throws -> [PublishedHour] {
        try await database.session { session in
            try session.rows(
                "SELECT hour, keys FROM distribution.published_hour ORDER BY hour", as: Int32.self, Int32.self
            ).map { PublishedHour(hour: Hour(number: $0), keys: Int($1)) }
        }
    }

    func insertPublishedHour(_ hour: Hour, keys: Int) async throws {
        try await database.session { session in
            _ = try session.execute(
                "INSERT INTO distribution.published_hour (hour, keys) VALUES (\(hour.number), \(Int32(keys)))")
        }
    }

    // MARK: Signatures

    /// Keeps a signature, unless one of the same key over the same digest is kept already.
    /// - Returns: the one that is kept.
    func keepSignature(
        _ signature: [UInt8], of digest: [UInt8], by signingKey: [UInt8], at now: Date
    ) async throws -> [UInt8] {
        try await database.transaction { session in
            try session.execute(
                """
                INSERT INTO distribution.signature (digest, signing_key, signature, created_at)
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

extension DiagnosisKey {
    /// Nil when a row's values make no key, which the table's constraints rule out.
    fileprivate init?(data: [UInt8], start: Int32, length: Int16, level: Int16, onset: Int16, report: Int16) {
        guard let data = KeyData(data), let start = UInt32(exactly: start), let length = UInt32(exactly: length),
            let period = RollingPeriod(start: IntervalNumber(rawValue: start), length: length),
            let level = TransmissionRiskLevel(rawValue: Int(level)),
            let onset = DaysSinceOnset(rawValue: Int32(onset)), let report = ReportType(rawValue: Int(report))
        else { return nil }
        self.init(
            data: data, rollingPeriod: period, transmissionRiskLevel: level, daysSinceOnsetOfSymptoms: onset,
            reportType: report)
    }
}
