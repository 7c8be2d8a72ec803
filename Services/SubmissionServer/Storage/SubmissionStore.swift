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

    /// Whoever makes keys, closes hours or folds takes this lock, for the length of its transaction.
    private static let takeFoldLock: SQL = "SELECT submission.take_fold_lock()"
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
            try session.execute(Self.takeFoldLock)
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
    /// after: ``insert(_:hour:)`` holds a share lock on the key it uses. Keys that somebody is just making are
    /// closed, too: that takes the same advisory lock.
    func close(through last: Hour) async throws {
        try await database.transaction { session in
            try session.execute(Self.takeFoldLock)
            _ = try session.execute(
                "UPDATE submission.hour_key SET closed = true WHERE hour <= \(last.number) AND NOT closed")
        }
    }

    // MARK: Inbox

    /// Stores uploads that are sealed to one hour, except those whose tag is there already. Also without any it waits for a
    /// commit: whoever stores nothing waits as long (``SQL/commitMark``).
    /// - Returns: false when the hour is closed and those that are not there must be sealed to a later one.
    func insert(_ rows: [InboxRow], hour: Hour) async throws -> Bool {
        let tags = rows.map(\.tag.bytes)
        return try await database.session { session in
            // In the order of their tags, so that two that insert the same don't wait for each other in a circle.
            let inserted = try session.row(
                """
                WITH open AS (
                    SELECT hour FROM submission.hour_key WHERE hour = \(hour.number) AND NOT closed FOR SHARE
                ), stored AS (
                    INSERT INTO submission.inbox (tag, hour, sealed)
                    SELECT tag, hour, sealed FROM open, unnest(\(tags), \(rows.map(\.sealed.bytes))) AS upload (tag, sealed)
                    ORDER BY tag
                    ON CONFLICT (tag) DO NOTHING
                    RETURNING 1
                )
                SELECT (SELECT count(*) FROM stored), \(SQL.commitMark) IS NULL
                """, as: Int64.self, Bool.self)
            if inserted.map({ Int($0.0) }) == rows.count { return true }
            let present = try session.row(
                "SELECT count(*) FROM submission.inbox WHERE tag = ANY (\(tags))", as: Int64.self)
            return present.map(Int.init) == Set(tags).count
        }
    }

    // MARK: Fold

    /// Runs a fold in one transaction, of which there is one at a time.
    func fold<Result: Sendable>(_ body: @escaping @Sendable (FoldTransaction) throws -> Result) async throws -> Result {
        try await database.transaction { session in
            try session.limitStatements(to: Self.foldTime)
            try session.execute(Self.takeFoldLock)
            return try body(FoldTransaction(session: session))
        }
    }
}
