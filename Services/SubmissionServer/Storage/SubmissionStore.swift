import Credentials
import ExposureKeys
import Postgres

import enum Crypto.Curve25519

/// One upload as it waits.
struct InboxRow: Sendable {
    let tag: Digest
    let hour: Hour
    let sealed: SealedUpload
}

/// The tables of the schema `submission`.
struct SubmissionStore: Sendable {
    private let database: PostgresClient

    /// Whoever makes keys, closes hours or folds holds this advisory lock. The number is arbitrary.
    private static let foldLock: Int64 = 0x7669_6769_6c00_0002
    /// How long a statement of the fold may take; a request's would be far too short for a crowded hour.
    private static let foldTime: Duration = .seconds(300)

    init(_ database: PostgresClient) {
        self.database = database
    }

    // MARK: Hour keys

    /// The first open key at or after an hour.
    func openKey(atOrAfter hour: Hour) async throws -> HourPublicKey? {
        let row = try await database.session { session in
            try session.row(
                """
                SELECT hour, public_key FROM submission.hour_key
                WHERE hour >= \(hour.number) AND NOT closed ORDER BY hour LIMIT 1
                """, as: Int32.self, [UInt8].self)
        }
        guard let (number, bytes) = row else { return nil }
        return HourPublicKey(
            hour: Hour(number: number), key: try Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes))
    }

    /// Makes the keys that are missing among `count` hours from `hour` on. None is made up to the last closed hour, which
    /// may be folded already; where that leaves none of them, the first hour after it gets one.
    /// - Parameter create: makes the private half durable and gives the public half; asked again after a crash, it
    ///   gives the same.
    func insertKeys(
        from hour: Hour, count: Int,
        create: @escaping @Sendable (Hour) throws -> Curve25519.KeyAgreement.PublicKey
    ) async throws {
        try await database.transaction { session in
            try session.execute("SELECT pg_advisory_xact_lock(\(Self.foldLock))")
            let lastClosed = try session.row(
                "SELECT max(hour) FROM submission.hour_key WHERE closed", as: Int32?.self)
            let first = max(hour, lastClosed?.map { Hour(number: $0 + 1) } ?? hour)
            for hour in first..<max(first.advanced(by: 1), hour.advanced(by: count)) {
                let known = try session.row(
                    "SELECT 1 FROM submission.hour_key WHERE hour = \(hour.number)", as: Int32.self)
                guard known == nil else { continue }
                let key = Array(try create(hour).rawRepresentation)
                try session.execute(
                    "INSERT INTO submission.hour_key (hour, public_key) VALUES (\(hour.number), \(key))")
            }
        }
    }

    /// Closes every hour up to and including one. Waits for uploads that are just being sealed to them, and none comes
    /// after: ``insert(_:tag:hour:)`` holds a share lock on the key it uses. Keys that somebody is just making are
    /// closed, too: that takes the same advisory lock.
    func close(through last: Hour) async throws {
        try await database.transaction { session in
            try session.execute("SELECT pg_advisory_xact_lock(\(Self.foldLock))")
            _ = try session.execute(
                "UPDATE submission.hour_key SET closed = true WHERE hour <= \(last.number) AND NOT closed")
        }
    }

    // MARK: Inbox

    /// Stores an upload, unless its tag is there already.
    /// - Returns: false when the hour is closed and the upload must be sealed to a later one.
    func insert(_ sealed: SealedUpload, tag: Digest, hour: Hour) async throws -> Bool {
        try await database.session { session in
            let inserted = try session.execute(
                """
                WITH open AS (
                    SELECT hour FROM submission.hour_key WHERE hour = \(hour.number) AND NOT closed FOR SHARE
                )
                INSERT INTO submission.inbox (tag, hour, sealed)
                SELECT \(tag.bytes), hour, \(sealed.bytes) FROM open
                ON CONFLICT (tag) DO NOTHING
                """)
            if inserted == 1 { return true }
            return try session.row(
                "SELECT 1 FROM submission.inbox WHERE tag = \(tag.bytes)", as: Int32.self) != nil
        }
    }

    // MARK: Fold

    /// Moves what is in the inbox into the folded keys, in one transaction.
    ///
    /// Hours that were folded before stay as they are: a row that belongs to one joins the first hour after them. A key
    /// that is there already, from whatever hour, is not inserted again.
    /// - Parameters:
    ///   - last: the last hour to fold; it must be closed.
    ///   - open: opens the rows.
    func fold(
        through last: Hour, open: @escaping @Sendable ([InboxRow]) throws -> OpenedInbox
    ) async throws -> Fold.Report {
        try await database.transaction { session in
            try session.limitStatements(to: Self.foldTime)
            try session.execute("SELECT pg_advisory_xact_lock(\(Self.foldLock))")
            let folded = try session.row("SELECT max(hour) FROM submission.folded_hour", as: Int32?.self)
            let lastFolded = folded?.map(Hour.init(number:))
            var report = Fold.Report(lastHour: max(last, lastFolded ?? last).number)
            guard lastFolded.map({ $0 < last }) ?? true else { return report }

            let opened = try open(try Self.inbox(in: session, through: last))
            report.uploads = opened.uploads
            report.unreadable = opened.unreadable
            let first = lastFolded?.advanced(by: 1) ?? min(opened.keys.keys.min() ?? last, last)
            // An outage of more than the keys' own lifetime needs no row for each of its hours.
            for hour in max(first, last.advanced(by: -14 * 24))...last {
                let keys = opened.keys.filter { max($0.key, first) == hour }.flatMap(\.value).sorted()
                let inserted = try Self.insert(keys, hour: hour, in: session)
                try session.execute(
                    "INSERT INTO submission.folded_hour (hour, keys) VALUES (\(hour.number), \(Int32(inserted)))")
                report.keys += inserted
            }
            try session.execute("DELETE FROM submission.inbox WHERE hour <= \(last.number)")
            return report
        }
    }

    private static func inbox(in session: Session, through last: Hour) throws -> [InboxRow] {
        try session.rows(
            "SELECT tag, hour, sealed FROM submission.inbox WHERE hour <= \(last.number)",
            as: [UInt8].self, Int32.self, [UInt8].self
        ).compactMap { tag, hour, sealed in
            Digest(bytes: tag).map {
                InboxRow(tag: $0, hour: Hour(number: hour), sealed: SealedUpload(bytes: sealed))
            }
        }
    }

    /// Rows per statement: enough to make its cost vanish, few enough to bound its parameters.
    private static let batch = 10_000

    private static func insert(_ keys: [DiagnosisKey], hour: Hour, in session: Session) throws -> Int {
        guard !keys.isEmpty else { return 0 }
        try session.execute("SELECT submission.ensure_day(\(hour.day.number))")
        var inserted = 0
        for start in stride(from: 0, to: keys.count, by: batch) {
            let keys = keys[start..<min(start + batch, keys.count)]
            inserted += try session.execute(
                """
                INSERT INTO submission.diagnosis_key (
                    hour, key_data, rolling_start, rolling_period, transmission_risk_level, days_since_onset,
                    report_type)
                SELECT \(hour.number), key_data, start, period, level, onset, report
                FROM unnest(
                    \(keys.map(\.data.bytes)), \(keys.map { Int32($0.rollingPeriod.start.rawValue) }),
                    \(keys.map { Int16($0.rollingPeriod.length) }),
                    \(keys.map { Int16($0.transmissionRiskLevel.rawValue) }),
                    \(keys.map { Int16($0.daysSinceOnsetOfSymptoms.rawValue) }),
                    \(keys.map { Int16($0.reportType.rawValue) })
                ) WITH ORDINALITY AS folded (key_data, start, period, level, onset, report, position)
                WHERE NOT EXISTS (
                    SELECT FROM submission.diagnosis_key AS known WHERE known.key_data = folded.key_data)
                ORDER BY position
                ON CONFLICT DO NOTHING
                """)
        }
        return inserted
    }
}
