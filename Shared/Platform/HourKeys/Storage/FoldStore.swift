import Crypto
package import ExposureKeys
package import Postgres

/// An inbox as its fold uses it: it owns the hours' keys, and moves the inbox into the folded tables.
package struct FoldStore: Sendable {
    private let database: PostgresClient
    private let tables: InboxTables

    /// The statement timeout of the fold. The timeout for requests would be far too short for a crowded hour.
    private static let foldTime: Duration = .seconds(300)

    /// - Parameter database: connected as the fold's role.
    package init(_ database: PostgresClient, _ tables: InboxTables) {
        self.database = database
        self.tables = tables
    }

    /// Creates the missing keys of `count` hours from `hour` on.
    ///
    /// No key is created for hours up to the last closed one, which may be folded already. If that leaves no hour of the range,
    /// the first hour after it gets a key.
    ///
    /// The private half is durable before the public half can be used; a repeat after a crash finds the private half.
    /// - Throws: ``HourKeyProblem`` if `files` lacks the private key of an open hour after `hour`. No key is created then,
    ///   because this must be the wrong directory: two folds with a directory each couldn't open each other's hours.
    package func makeKeys(from hour: Hour, count: Int, in files: HourKeyFiles) async throws {
        let keys: SQL = "\(identifier: tables.schema).hour_key"
        try await exclusively { session in
            let lastClosed = try session.row("SELECT max(hour) FROM \(keys) WHERE closed", as: Int32?.self)
            let first = max(hour, lastClosed?.map { Hour(number: $0 + 1) } ?? hour)
            let known = Set(
                try session.rows("SELECT hour FROM \(keys) WHERE hour >= \(first.number)", as: Int32.self)
                    .map(Hour.init(number:)))
            for open in known where open > hour { _ = try files.read(open) }
            for hour in first..<max(first.advanced(by: 1), hour.advanced(by: count)) where !known.contains(hour) {
                let key = Array(try files.create(hour).rawRepresentation)
                try session.execute("INSERT INTO \(keys) (hour, public_key) VALUES (\(hour.number), \(key))")
            }
        }
    }

    /// Closes every hour up to and including one.
    ///
    /// It waits for rows that are being stored under these hours, and none follows: whoever stores a row holds a share lock on the key's
    /// row until its transaction ends. Keys that another process is just creating are closed too, because creating them takes the
    /// same advisory lock.
    package func close(through last: Hour) async throws {
        let keys: SQL = "\(identifier: tables.schema).hour_key"
        try await exclusively { session in
            _ = try session.execute("UPDATE \(keys) SET closed = true WHERE hour <= \(last.number) AND NOT closed")
        }
    }

    /// Runs a fold in one transaction; only one runs at a time.
    package func fold<Result: Sendable>(
        _ body: @escaping @Sendable (FoldTransaction) throws -> Result
    ) async throws -> Result {
        let tables = tables
        return try await exclusively(within: Self.foldTime) { try body(FoldTransaction($0, tables)) }
    }

    /// Every transaction that creates keys, closes hours or folds takes this advisory lock first.
    private func exclusively<Result: Sendable>(
        within time: Duration? = nil, _ body: @escaping @Sendable (Session) throws -> Result
    ) async throws -> Result {
        let schema = tables.schema
        return try await database.transaction { session in
            if let time { try session.limitStatements(to: time) }
            try session.execute("SELECT \(identifier: schema).take_fold_lock()")
            return try body(session)
        }
    }
}
