/// One row of a COPY, whose fields are read from left to right.
///
/// It points into memory that is valid only during the closure that receives it, which is why it can't be copied.
package struct CopyRow: ~Copyable {
    /// A column's name and type, known before the first row.
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

// The common types, each with a function of its own: a day has millions of fields, and an unspecialised generic function, as
// one of another module is, would take half of the time of reading them.
extension CopyRow {
    /// The next field, a `smallint`.
    package mutating func int16() throws(PostgresError) -> Int16 { try next(Int16.self) }

    /// The next field, an `integer`.
    package mutating func int32() throws(PostgresError) -> Int32 { try next(Int32.self) }

    /// The next field, a `bytea` of exactly 16 bytes, as two integers, the first byte in the highest place.
    package mutating func words() throws(PostgresError) -> (high: UInt64, low: UInt64) {
        let words = try next(Words.self)
        return (words.high, words.low)
    }

    /// Calls `body` with the bytes of the next field, a `text`, in place: they are valid only during the call.
    package mutating func text(_ body: (UnsafeRawBufferPointer) -> Void) throws(PostgresError) {
        body(try next(InPlace.self).bytes)
    }

    private struct InPlace: PostgresDecodable {
        let bytes: UnsafeRawBufferPointer

        static func accepts(_ type: PostgresType) -> Bool { type == .text }

        static func decode(_ bytes: RawSpan, as type: PostgresType) -> InPlace? {
            bytes.withUnsafeBytes { InPlace(bytes: $0) }
        }
    }

    private struct Words: PostgresDecodable {
        let high: UInt64
        let low: UInt64

        static func accepts(_ type: PostgresType) -> Bool { type == .bytea }

        static func decode(_ bytes: RawSpan, as type: PostgresType) -> Words? {
            guard bytes.byteCount == 16, let high = bytes.bigEndian(UInt64.self),
                let low = bytes.bigEndian(UInt64.self, at: 8)
            else { return nil }
            return Words(high: high, low: low)
        }
    }
}
