/// One row that a COPY brought, whose fields are read from left to right.
///
/// It points into memory that is gone after the closure that gets it, which is why it can't be copied.
package struct CopyRow: ~Copyable {
    /// What is known of a column before the first row.
    struct Column: Sendable {
        var name: String
        var type: PostgresType
    }

    private let columns: [Column]
    /// From the first field's length to the end of the last field.
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    @usableFromInline var column = 0

    /// A row whose lengths were checked against its bytes.
    init(columns: [Column], bytes: UnsafeRawBufferPointer) {
        self.columns = columns
        self.bytes = bytes
    }

    /// The next field. Ask for an Optional where it can be NULL.
    ///
    /// Inlinable, so that it is compiled for each type where it is used: a fold's or a day's rows have millions of fields,
    /// and a generic function that learns its type at run time took half of the time of reading them.
    @inlinable
    package mutating func next<Value: PostgresDecodable>(_: Value.Type) throws(PostgresError) -> Value {
        let type = try nextType()
        guard Value.accepts(type) else { throw wrongType(Value.self) }
        guard let field = nextField() else {
            guard let null = Value.decodedNull else { throw unexpectedNull() }
            column += 1
            return null
        }
        guard let value = Value.decode(field.bytes, as: type) else { throw malformed(Value.self) }
        column += 1
        return value
    }

    @usableFromInline
    func nextType() throws(PostgresError) -> PostgresType {
        guard column < columns.count else {
            throw PostgresError(.decoding, reason: "a row has \(columns.count) columns only")
        }
        return columns[column].type
    }

    /// The bytes of the next field, which are then behind the reader; nil for NULL.
    @usableFromInline
    mutating func nextField() -> UnsafeRawBufferPointer? {
        let length = bytes.bytes.bigEndian(Int32.self, at: offset) ?? -1
        let start = offset + 4
        offset = start + max(0, Int(length))
        return length < 0 ? nil : UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
    }

    // Apart from the reading, so that what is compiled many times is small.

    @usableFromInline
    func wrongType(_ wanted: Any.Type) -> PostgresError {
        .column(columns[column].name, columns[column].type, .type(wanted))
    }

    @usableFromInline
    func malformed(_ wanted: Any.Type) -> PostgresError {
        .column(columns[column].name, columns[column].type, .malformed(wanted))
    }

    @usableFromInline
    func unexpectedNull() -> PostgresError {
        .column(columns[column].name, columns[column].type, .unexpectedNull)
    }
}
