package import FoundationEssentials

extension Bool: PostgresEncodable, PostgresDecodable, PostgresArrayElement {
    /// `boolean`
    package static var postgresType: PostgresType { .bool }
    /// `boolean[]`
    package static var postgresArrayType: PostgresType { .boolArray }

    /// One byte, 0 or 1.
    package func encode(into buffer: inout [UInt8]) {
        buffer.append(self ? 1 : 0)
    }

    /// Only `boolean`.
    package static func accepts(_ type: PostgresType) -> Bool { type == .bool }

    /// One byte.
    package static func decode(_ bytes: RawSpan, as type: PostgresType) -> Bool? {
        bytes.exactly(UInt8.self).map { $0 != 0 }
    }
}

extension Int16: PostgresEncodable, PostgresDecodable, PostgresArrayElement {
    /// `smallint`
    package static var postgresType: PostgresType { .int2 }
    /// `smallint[]`
    package static var postgresArrayType: PostgresType { .int2Array }

    /// Two bytes.
    package func encode(into buffer: inout [UInt8]) {
        buffer.append(bigEndian: self)
    }

    /// Only `smallint`.
    package static func accepts(_ type: PostgresType) -> Bool { type == .int2 }

    /// Two bytes.
    package static func decode(_ bytes: RawSpan, as type: PostgresType) -> Int16? {
        bytes.exactly(Int16.self)
    }
}

extension Int32: PostgresEncodable, PostgresDecodable, PostgresArrayElement {
    /// `integer`
    package static var postgresType: PostgresType { .int4 }
    /// `integer[]`
    package static var postgresArrayType: PostgresType { .int4Array }

    /// Four bytes.
    package func encode(into buffer: inout [UInt8]) {
        buffer.append(bigEndian: self)
    }

    /// Only `integer`.
    package static func accepts(_ type: PostgresType) -> Bool { type == .int4 }

    /// Four bytes.
    package static func decode(_ bytes: RawSpan, as type: PostgresType) -> Int32? {
        bytes.exactly(Int32.self)
    }
}

extension Int64: PostgresEncodable, PostgresDecodable, PostgresArrayElement {
    /// `bigint`
    package static var postgresType: PostgresType { .int8 }
    /// `bigint[]`
    package static var postgresArrayType: PostgresType { .int8Array }

    /// Eight bytes.
    package func encode(into buffer: inout [UInt8]) {
        buffer.append(bigEndian: self)
    }

    /// Only `bigint`.
    package static func accepts(_ type: PostgresType) -> Bool { type == .int8 }

    /// Eight bytes.
    package static func decode(_ bytes: RawSpan, as type: PostgresType) -> Int64? {
        bytes.exactly(Int64.self)
    }
}

extension Int: PostgresEncodable, PostgresDecodable, PostgresArrayElement {
    /// `bigint`
    package static var postgresType: PostgresType { .int8 }
    /// `bigint[]`
    package static var postgresArrayType: PostgresType { .int8Array }

    /// Eight bytes.
    package func encode(into buffer: inout [UInt8]) {
        buffer.append(bigEndian: Int64(self))
    }

    /// Any integer: each fits.
    package static func accepts(_ type: PostgresType) -> Bool { type == .int8 || type == .int4 || type == .int2 }

    /// Two, four or eight bytes, as the column's type says.
    package static func decode(_ bytes: RawSpan, as type: PostgresType) -> Int? {
        switch type {
        case .int2: bytes.exactly(Int16.self).map(Int.init)
        case .int4: bytes.exactly(Int32.self).map(Int.init)
        default: bytes.exactly(Int64.self).map(Int.init)
        }
    }
}

extension Double: PostgresEncodable, PostgresDecodable {
    /// `double precision`
    package static var postgresType: PostgresType { .float8 }

    /// Eight bytes.
    package func encode(into buffer: inout [UInt8]) {
        buffer.append(bigEndian: Int64(bitPattern: bitPattern))
    }

    /// Only `double precision`.
    package static func accepts(_ type: PostgresType) -> Bool { type == .float8 }

    /// Eight bytes.
    package static func decode(_ bytes: RawSpan, as type: PostgresType) -> Double? {
        bytes.exactly(Int64.self).map { Double(bitPattern: UInt64(bitPattern: $0)) }
    }
}

extension String: PostgresEncodable, PostgresDecodable, PostgresArrayElement {
    /// `text`
    package static var postgresType: PostgresType { .text }
    /// `text[]`
    package static var postgresArrayType: PostgresType { .textArray }

    /// UTF-8. The server refuses a NUL in it.
    package func encode(into buffer: inout [UInt8]) {
        buffer.append(contentsOf: utf8)
    }

    /// `text`, `varchar` and `name`; cast an enumeration to text.
    package static func accepts(_ type: PostgresType) -> Bool { type == .text || type == .varchar || type == .name }

    /// UTF-8.
    package static func decode(_ bytes: RawSpan, as type: PostgresType) -> String? {
        bytes.withUnsafeBytes { String(validating: $0, as: UTF8.self) }
    }
}

extension UUID: PostgresEncodable, PostgresDecodable, PostgresArrayElement {
    /// `uuid`
    package static var postgresType: PostgresType { .uuid }
    /// `uuid[]`
    package static var postgresArrayType: PostgresType { .uuidArray }

    /// Sixteen bytes.
    package func encode(into buffer: inout [UInt8]) {
        withUnsafeBytes(of: uuid) { buffer.append(contentsOf: $0) }
    }

    /// Only `uuid`.
    package static func accepts(_ type: PostgresType) -> Bool { type == .uuid }

    /// Sixteen bytes.
    package static func decode(_ bytes: RawSpan, as type: PostgresType) -> UUID? {
        guard bytes.byteCount == 16 else { return nil }
        return UUID(uuid: bytes.unsafeLoadUnaligned(as: uuid_t.self))
    }
}

extension Date: PostgresEncodable, PostgresDecodable, PostgresArrayElement {
    /// `timestamp with time zone`
    package static var postgresType: PostgresType { .timestamptz }
    /// `timestamp with time zone[]`
    package static var postgresArrayType: PostgresType { .timestamptzArray }

    /// From PostgreSQL's zero, 2000-01-01, to Foundation's, 2001-01-01: 366 days, in seconds.
    private static let referenceOffset: TimeInterval = 366 * 86400

    /// Microseconds since 2000-01-01 00:00 UTC, rounded to the nearest.
    ///
    /// `distantPast`, `distantFuture` and dates beyond them become `-infinity` and `infinity`; a NaN becomes `infinity`.
    package func encode(into buffer: inout [UInt8]) {
        let seconds = timeIntervalSinceReferenceDate
        let microseconds: Int64 =
            if seconds <= Date.distantPast.timeIntervalSinceReferenceDate {
                .min
            } else if seconds < Date.distantFuture.timeIntervalSinceReferenceDate {
                Int64(((seconds + Self.referenceOffset) * 1_000_000).rounded())
            } else {
                .max
            }
        buffer.append(bigEndian: microseconds)
    }

    /// Only `timestamp with time zone`.
    package static func accepts(_ type: PostgresType) -> Bool { type == .timestamptz }

    /// Microseconds since 2000-01-01 00:00 UTC; the infinities become `distantPast` and `distantFuture`.
    package static func decode(_ bytes: RawSpan, as type: PostgresType) -> Date? {
        switch bytes.exactly(Int64.self) {
        case nil: nil
        case .some(.min): .distantPast
        case .some(.max): .distantFuture
        case .some(let microseconds):
            Date(timeIntervalSinceReferenceDate: Double(microseconds) / 1_000_000 - referenceOffset)
        }
    }
}
