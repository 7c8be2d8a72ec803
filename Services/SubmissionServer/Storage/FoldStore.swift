import Crypto
import ExposureKeys
import HourKeys
import Postgres

/// The tables of the schema `submission` as the fold uses them: it owns the hours' keys, and moves the inbox into the folded
/// tables.
struct FoldStore: Sendable {
    private let database: PostgresClient

    /// Every transaction that creates keys, closes hours or folds takes this advisory lock first.
    private static let takeFoldLock: SQL = "SELECT submission.take_fold_lock()"
    /// The statement timeout of the fold. The timeout for requests would be far too short for a crowded hour.
    private static let foldTime: Duration = .seconds(300)

    /// - Parameter database: connected as `vigil_fold`.
    init(_ database: PostgresClient) {
        self.database = database
    }

    /// Creates the missing keys of `count` hours from `hour` on.
    ///
    /// No key is created for hours up to the last closed one, which may be folded already. If that leaves no hour of the range,
    /// the first hour after it gets a key.
    ///
    /// The private half is durable before the public half can be used; a repeat after a crash finds the private half.
    /// - Throws: ``HourKeyProblem`` if `files` lacks the private key of an open hour after `hour`. No key is created then,
    ///   because this must be the wrong directory: two folds with a directory each couldn't open each other's hours.
    func makeKeys(from hour: Hour, count: Int, in files: HourKeyFiles) async throws {
        try await database.transaction { session in
            try session.execute(Self.takeFoldLock)
            let lastClosed = try session.row(
                "SELECT max(hour) FROM submission.hour_key WHERE closed", as: Int32?.self)
            let first = max(hour, lastClosed?.map { Hour(number: $0 + 1) } ?? hour)
            let known = Set(
                try session.rows("SELECT hour FROM submission.hour_key WHERE hour >= \(first.number)", as: Int32.self)
                    .map(Hour.init(number:)))
            for open in known where open > hour { _ = try files.read(open) }
            for hour in first..<max(first.advanced(by: 1), hour.advanced(by: count)) where !known.contains(hour) {
                let key = Array(try files.create(hour).rawRepresentation)
                try session.execute(
                    "INSERT INTO submission.hour_key (hour, public_key) VALUES (\(hour.number), \(key))")
            }
        }
    }

    /// Closes every hour up to and including one.
    ///
    /// It waits for uploads that are being stored under these hours, and none follows: `submission.store_uploads` holds a share
    /// lock on the key's row until its transaction ends. Keys that another process is just creating are closed too, because
    /// creating them takes the same advisory lock.
    func close(through last: Hour) async throws {
        try await database.transaction { session in
            try session.execute(Self.takeFoldLock)
            _ = try session.execute(
                "UPDATE submission.hour_key SET closed = true WHERE hour <= \(last.number) AND NOT closed")
        }
    }

    /// Runs a fold in one transaction; only one runs at a time.
    func fold<Result: Sendable>(_ body: @escaping @Sendable (FoldTransaction) throws -> Result) async throws -> Result {
        try await database.transaction { session in
            try session.limitStatements(to: Self.foldTime)
            try session.execute(Self.takeFoldLock)
            return try body(FoldTransaction(session: session))
        }
    }
}
