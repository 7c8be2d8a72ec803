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
    private var column = 0

    /// A row whose lengths were checked against its bytes.
    init(columns: [Column], bytes: UnsafeRawBufferPointer) {
        self.columns = columns
        self.bytes = bytes
    }

    /// The next field. Ask for an Optional where it can be NULL.
    package mutating func next<Value: PostgresDecodable>(_: Value.Type) throws(PostgresError) -> Value {
        guard column < columns.count, let length = bytes.bytes.bigEndian(Int32.self, at: offset) else {
            throw PostgresError(.decoding, reason: "a row has \(columns.count) columns only")
        }
        let type = columns[column].type
        guard Value.accepts(type) else { throw .column(columns[column].name, type, .type(Value.self)) }
        guard length >= 0 else {
            guard let null = Value.decodedNull else { throw .column(columns[column].name, type, .unexpectedNull) }
            offset += 4
            column += 1
            return null
        }
        let start = offset + 4
        let end = start + Int(length)
        let field = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        guard let value = Value.decode(field.bytes, as: type) else {
            throw .column(columns[column].name, type, .malformed(Value.self))
        }
        offset = end
        column += 1
        return value
    }
}
