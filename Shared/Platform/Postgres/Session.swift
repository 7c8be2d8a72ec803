/// A connection for the duration of a closure.
///
/// It is valid within that closure only. Using it afterwards is a programming error and ends the process; it isn't Sendable, so
/// the compiler finds most such errors.
package final class Session {
    private var connection: Connection?
    private let isInTransaction: Bool
    /// Whether a statement failed because of a concurrent transaction (40001, 40P01).
    private(set) var sawConflict = false

    private init(_ connection: Connection, inTransaction: Bool) {
        self.connection = connection
        isInTransaction = inTransaction
    }

    /// Calls `body` with a session that ends with the call.
    static func lend<R>(
        _ connection: Connection, inTransaction: Bool, _ body: (Session) throws -> R
    ) throws -> R {
        let session = Session(connection, inTransaction: inTransaction)
        defer { session.connection = nil }
        return try body(session)
    }

    /// Executes a statement. Returns the number of rows that it inserted, changed, deleted or selected.
    @discardableResult
    package func execute(_ sql: SQL) throws(PostgresError) -> Int {
        try query(sql).affectedRows
    }

    /// Executes a query and reads all its rows, by columns from left to right:
    /// `rows("SELECT a, b FROM t WHERE x = \(v)", as: Int64.self, [UInt8].self)`.
    ///
    /// There must be as many columns as types, and each must have a type that is accepted, even if there is no row.
    package func rows<each Column: PostgresDecodable>(
        _ sql: SQL, as columns: repeat (each Column).Type
    ) throws(PostgresError) -> [(repeat each Column)] {
        let result = try query(sql)
        try Self.check(result, repeat each columns)
        var rows: [(repeat each Column)] = []
        rows.reserveCapacity(result.rowCount)
        for row in 0..<result.rowCount {
            rows.append(try Self.read(row, of: result, repeat each columns))
        }
        return rows
    }

    /// Executes a query and reads its first row; nil if it has none.
    package func row<each Column: PostgresDecodable>(
        _ sql: SQL, as columns: repeat (each Column).Type
    ) throws(PostgresError) -> (repeat each Column)? {
        let result = try query(sql)
        try Self.check(result, repeat each columns)
        guard result.rowCount > 0 else { return nil }
        let first: (repeat each Column) = try Self.read(0, of: result, repeat each columns)
        return first
    }

    /// Executes a query of one column and reads all its rows.
    package func rows<Column: PostgresDecodable>(
        _ sql: SQL, as column: Column.Type
    ) throws(PostgresError) -> [Column] {
        let result = try query(sql)
        try Self.check(result, column)
        var values: [Column] = []
        values.reserveCapacity(result.rowCount)
        for row in 0..<result.rowCount {
            values.append(try result.value(column, row: row, column: 0))
        }
        return values
    }

    /// Executes a query of one column and reads its first row; nil if it has none.
    package func row<Column: PostgresDecodable>(
        _ sql: SQL, as column: Column.Type
    ) throws(PostgresError) -> Column? {
        let result = try query(sql)
        try Self.check(result, column)
        guard result.rowCount > 0 else { return nil }
        return try result.value(column, row: 0, column: 0)
    }

    /// Executes a query without parameters by COPY in binary format, and passes its rows on as they arrive, for results that
    /// shouldn't be held in memory as a whole. Returns their number.
    ///
    /// If `body` throws, the rest of the data isn't read: the connection is closed, which rolls back an open transaction.
    @discardableResult
    package func copyOut(_ query: SQL, _ body: (inout CopyRow) throws -> Void) throws -> Int {
        precondition(query.types.isEmpty, "COPY takes no parameters")
        let connection = lent
        do {
            var parser = CopyParser(columns: try connection.describe(query))
            try connection.copyOut("COPY (\(query.text)) TO STDOUT (FORMAT binary)") { try parser.feed($0, body) }
            try parser.finish()
            return parser.rowCount
        } catch let error as PostgresError {
            throw noted(error)
        }
    }

    /// Inserts rows by COPY in binary format, many times as fast as by INSERT. Returns their number.
    ///
    /// `target` is the table with its columns. `columns` are their types, which must be exactly those of the table:
    /// `copyIn(into: "lab.result (id, value)", columns: Int32.self, [UInt8].self) { try $0.row(id, bytes) }`.
    ///
    /// It is one statement: all rows are inserted, or none, and none if `body` throws. The connection can be used afterwards in
    /// either case, but no other statement is possible within `body`.
    ///
    /// - Throws: what `body` throws; `PostgresError` with `.decoding` if the columns differ in number or type, otherwise as any
    ///   statement. The server reports a row that it rejects only after all rows were sent.
    @discardableResult
    package func copyIn<each Column: PostgresEncodable>(
        into target: SQL, columns: repeat (each Column).Type,
        writing body: (inout CopyWriter<repeat each Column>) throws -> Void
    ) throws -> Int {
        precondition(target.types.isEmpty, "COPY takes no parameters")
        let connection = lent
        var types: [PostgresType] = []
        for column in repeat each columns { types.append(column.postgresType) }
        do {
            let actual = try connection.describe(target: target.text, columns: types.count)
            for (number, (actual, wanted)) in zip(actual, types).enumerated() where actual != wanted {
                throw PostgresError(
                    .decoding,
                    reason: "column \(number + 1) has type OID \(actual.rawValue) instead of \(wanted.rawValue)")
            }
            let text = "COPY \(target.text) FROM STDIN (FORMAT binary)"
            return try connection.copyIn(text, columns: types.count) {
                var writer = CopyWriter<repeat each Column>(connection)
                try body(&writer)
                try writer.finish()
            }
        } catch let error as PostgresError {
            throw noted(error)
        }
    }

    /// Executes the statements of a script. Outside a transaction they form one, unless the script has its own BEGIN and COMMIT.
    package func script(_ script: Script) throws(PostgresError) {
        let connection = lent
        do {
            _ = try connection.command(script.text)
        } catch {
            throw noted(error)
        }
    }

    /// Changes the statement timeout for the rest of this transaction, for jobs that take longer than a request; zero is no
    /// limit.
    package func limitStatements(to timeout: Duration) throws(PostgresError) {
        precondition(isInTransaction, "outside a transaction the limit would have no end")
        let connection = lent
        do {
            try connection.limitStatements(to: timeout)
        } catch {
            throw noted(error)
        }
    }

    /// Makes a role's password verifier (SCRAM-SHA-256), for `ALTER ROLE … PASSWORD`.
    ///
    /// libpq makes it without asking the server, so that the password itself is never part of a statement, which a server may log
    /// (<https://www.postgresql.org/docs/current/libpq-misc.html#LIBPQ-PQENCRYPTPASSWORDCONN>).
    package func passwordVerifier(_ password: String, for role: Identifier) throws(PostgresError) -> String {
        precondition(!password.utf8.contains(0), "a password can't hold NUL")
        return try lent.passwordVerifier(password, for: role.name)
    }

    /// Closes the connection after this session; the server then releases whatever belonged to it.
    func abandon() { lent.abandon() }

    private var lent: Connection {
        guard let connection else { preconditionFailure("a session was used after its closure had returned") }
        return connection
    }

    private func query(_ sql: SQL) throws(PostgresError) -> QueryResult {
        let connection = lent
        do {
            return try connection.execute(sql)
        } catch {
            throw noted(error)
        }
    }

    private func noted(_ error: PostgresError) -> PostgresError {
        if error.isConflict { sawConflict = true }
        return error
    }

    private static func check<each Column: PostgresDecodable>(
        _ result: borrowing QueryResult, _ columns: repeat (each Column).Type
    ) throws(PostgresError) {
        var column = 0
        for _ in repeat each columns { column += 1 }
        try result.requireColumns(column)
        column = 0
        for type in repeat each columns {
            try result.require(type, in: column)
            column += 1
        }
    }

    private static func read<each Column: PostgresDecodable>(
        _ row: Int, of result: borrowing QueryResult, _ columns: repeat (each Column).Type
    ) throws(PostgresError) -> (repeat each Column) {
        var column = -1
        func next<Value: PostgresDecodable>(
            _ type: Value.Type, _ result: borrowing QueryResult
        ) throws(PostgresError) -> Value {
            column += 1
            return try result.value(type, row: row, column: column)
        }
        return (repeat try next(each columns, result))
    }
}
