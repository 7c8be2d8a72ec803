import CLibPQ

/// The server's answer to one statement. Frees libpq's memory at the end of its life.
struct QueryResult: ~Copyable {
    private let handle: OpaquePointer

    /// Takes over a result from libpq.
    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    deinit {
        PQclear(handle)
    }

    var status: ExecStatusType { PQresultStatus(handle) }
    var rowCount: Int { Int(PQntuples(handle)) }
    var columnCount: Int { Int(PQnfields(handle)) }

    /// Rows that an INSERT, UPDATE, DELETE or SELECT touched; 0 for other statements.
    var affectedRows: Int { Int(String(cString: PQcmdTuples(handle))) ?? 0 }

    /// Whether the command tag begins with this: the tag of a COMMIT that was a ROLLBACK doesn't begin with COMMIT.
    func isTagged(_ prefix: String) -> Bool {
        String(cString: PQcmdStatus(handle)).hasPrefix(prefix)
    }

    func columnType(_ column: Int) -> PostgresType {
        PostgresType(rawValue: PQftype(handle, Int32(column)))
    }

    /// The column's name, which comes from the statement's text.
    func columnName(_ column: Int) -> String {
        PQfname(handle, Int32(column)).map { String(cString: $0) } ?? "?"
    }

    /// Parameters of a statement that was described.
    var parameterCount: Int { Int(PQnparams(handle)) }

    func parameterType(_ parameter: Int) -> PostgresType {
        PostgresType(rawValue: PQparamtype(handle, Int32(parameter)))
    }

    /// The server's SQLSTATE; nil if the error is libpq's own.
    var sqlState: SQLState? {
        field(Int32(UInt8(ascii: "C"))).map(SQLState.init(rawValue:))
    }

    /// The error, with only those parts of the server's error that can't hold data; see `PostgresError`.
    ///
    /// The letters are the wire protocol's field codes, which `postgres_ext.h` gives names.
    func error(_ code: PostgresError.Code, reason: String? = nil) -> PostgresError {
        PostgresError(
            code, sqlState: sqlState, constraint: field(Int32(UInt8(ascii: "n"))),
            position: field(Int32(UInt8(ascii: "P"))).flatMap { Int($0) }, reason: reason)
    }

    private func field(_ code: Int32) -> String? {
        PQresultErrorField(handle, code).map { String(cString: $0) }
    }

    /// The value of one column of one row.
    ///
    /// That the column's type is one `Value` accepts must have been checked: see `require(_:in:)`.
    func value<Value: PostgresDecodable>(_: Value.Type, row: Int, column: Int) throws(PostgresError) -> Value {
        if let value = decode(Value.self, row: Int32(row), column: Int32(column)) { return value }
        let isNull = PQgetisnull(handle, Int32(row), Int32(column)) == 1
        throw .column(columnName(column), columnType(column), isNull ? .unexpectedNull : .malformed(Value.self))
    }

    private func decode<Value: PostgresDecodable>(_: Value.Type, row: Int32, column: Int32) -> Value? {
        guard PQgetisnull(handle, row, column) == 0 else { return Value.decodedNull }
        let bytes = UnsafeRawBufferPointer(
            start: PQgetvalue(handle, row, column), count: Int(PQgetlength(handle, row, column)))
        return Value.decode(bytes.bytes, as: PostgresType(rawValue: PQftype(handle, column)))
    }

    /// Checks that a column has a type that can be read as `Value`.
    func require<Value: PostgresDecodable>(_: Value.Type, in column: Int) throws(PostgresError) {
        guard Value.accepts(columnType(column)) else {
            throw .column(columnName(column), columnType(column), .type(Value.self))
        }
    }

    /// Checks that there are as many columns as the caller wants to read.
    func requireColumns(_ count: Int) throws(PostgresError) {
        guard columnCount == count else {
            throw PostgresError(.decoding, reason: "\(columnCount) columns instead of \(count)")
        }
    }
}

extension PostgresError {
    enum ColumnProblem {
        case unexpectedNull
        case malformed(Any.Type)
        case type(Any.Type)
    }

    /// A column that can't be read. Its name is from the statement's static text.
    static func column(_ name: String, _ type: PostgresType, _ problem: ColumnProblem) -> PostgresError {
        let column = "column \"\(name)\" of type OID \(type.rawValue)"
        return switch problem {
        case .unexpectedNull: PostgresError(.decoding, reason: "\(column) is NULL")
        case .malformed(let wanted): PostgresError(.decoding, reason: "\(column) is not a well-formed \(wanted)")
        case .type(let wanted): PostgresError(.decoding, reason: "\(column) can't be read as \(wanted)")
        }
    }
}
