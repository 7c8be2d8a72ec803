/// A type whose arrays can be parameters and columns.
///
/// It is a separate protocol because of one exception: `[UInt8]` is a `bytea`, not an array.
package protocol PostgresArrayElement {
    /// The array's type.
    static var postgresArrayType: PostgresType { get }
    /// Appends a whole array.
    static func encodeArray(_ values: [Self], into buffer: inout [UInt8])
    /// Whether a column of this type can be read as an array of this.
    static func acceptsArray(_ type: PostgresType) -> Bool
    /// A whole array, or nil if the bytes are not one.
    static func decodeArray(_ bytes: RawSpan, as type: PostgresType) -> [Self]?
}

extension Array: PostgresEncodable where Element: PostgresArrayElement {
    /// The array's type.
    package static var postgresType: PostgresType { Element.postgresArrayType }

    /// Appends the array.
    package func encode(into buffer: inout [UInt8]) {
        Element.encodeArray(self, into: &buffer)
    }
}

extension Array: PostgresDecodable where Element: PostgresArrayElement {
    /// The array's types.
    package static func accepts(_ type: PostgresType) -> Bool { Element.acceptsArray(type) }

    /// The array.
    package static func decode(_ bytes: RawSpan, as type: PostgresType) -> [Element]? {
        Element.decodeArray(bytes, as: type)
    }
}

extension UInt8: PostgresArrayElement {
    /// `bytea`
    package static var postgresArrayType: PostgresType { .bytea }

    /// The bytes as they are.
    package static func encodeArray(_ values: [UInt8], into buffer: inout [UInt8]) {
        buffer.append(contentsOf: values)
    }

    /// Only `bytea`.
    package static func acceptsArray(_ type: PostgresType) -> Bool { type == .bytea }

    /// The bytes as they are.
    package static func decodeArray(_ bytes: RawSpan, as type: PostgresType) -> [UInt8]? {
        bytes.copied
    }
}

extension Array: PostgresArrayElement where Element == UInt8 {
    /// `bytea[]`
    package static var postgresArrayType: PostgresType { .byteaArray }
}

/// Arrays as `array_send` writes them: dimensions, whether there are NULLs, the element's type, then length and lower
/// bound of each dimension, then each element with its length.
extension PostgresArrayElement where Self: PostgresEncodable & PostgresDecodable {
    /// One dimension from 1, no NULLs. An empty array has no dimension.
    package static func encodeArray(_ values: [Self], into buffer: inout [UInt8]) {
        buffer.append(bigEndian: Int32(values.isEmpty ? 0 : 1))
        buffer.append(bigEndian: Int32(0))
        buffer.append(bigEndian: postgresType.rawValue)
        guard !values.isEmpty else { return }
        buffer.append(bigEndian: Int32(values.count))
        buffer.append(bigEndian: Int32(1))
        for value in values {
            let start = buffer.count
            buffer.append(bigEndian: Int32(0))
            value.encode(into: &buffer)
            buffer.store(bigEndian: Int32(buffer.count - start - 4), at: start)
        }
    }

    /// The arrays of the types that one element accepts.
    package static func acceptsArray(_ type: PostgresType) -> Bool {
        type.element.map(accepts) ?? false
    }

    /// One dimension without NULLs; other arrays, and bytes with wrong lengths, are malformed.
    package static func decodeArray(_ bytes: RawSpan, as type: PostgresType) -> [Self]? {
        guard let dimensions = bytes.bigEndian(Int32.self), let element = bytes.bigEndian(UInt32.self, at: 8),
            type.element?.rawValue == element
        else { return nil }
        if dimensions == 0 { return [] }
        guard dimensions == 1, let count = bytes.bigEndian(Int32.self, at: 12), count >= 0 else { return nil }
        var values: [Self] = []
        // Each element takes at least four bytes, so a wrong count can't reserve much memory.
        values.reserveCapacity(Swift.min(Int(count), bytes.byteCount / 4))
        var offset = 20
        for _ in 0..<count {
            guard let length = bytes.bigEndian(Int32.self, at: offset), length >= 0,
                Int(length) <= bytes.byteCount - offset - 4
            else { return nil }
            offset += 4
            let end = offset + Int(length)
            guard let value = decode(bytes.extracting(offset..<end), as: PostgresType(rawValue: element)) else {
                return nil
            }
            values.append(value)
            offset = end
        }
        return offset == bytes.byteCount ? values : nil
    }
}
