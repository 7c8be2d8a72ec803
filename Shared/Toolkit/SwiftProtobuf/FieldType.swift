/// A scalar type of the schema language, and how its values are written.
package protocol FieldType {
    /// The type in Swift.
    associatedtype BaseType: Hashable & Sendable

    /// How a value is framed in bytes.
    static var wireType: WireType { get }
    /// Reads a value without its tag.
    static func read(from reader: inout BinaryReader) throws(BinaryDecodingError) -> BaseType
    /// Writes a value without a tag.
    static func write(_ value: BaseType, to writer: inout BinaryWriter)
    /// Reads a value of protobuf JSON.
    static func readJSON(from scanner: inout JSONScanner) throws(JSONDecodingError) -> BaseType
    /// A value in protobuf JSON.
    static func json(_ value: BaseType) -> String
}

/// A type of a map's keys and values: in these schemas they are numbers.
package protocol MapFieldType: FieldType where BaseType: Comparable & Numeric {}

/// A map's types of keys and values.
package enum _ProtobufMap<Key: MapFieldType, Value: MapFieldType> {}

/// `bool`
package enum ProtobufBool {}
/// `bytes`
package enum ProtobufBytes {}
/// `double`
package enum ProtobufDouble: MapFieldType {}
/// `fixed64`
package enum ProtobufFixed64 {}
/// `float`
package enum ProtobufFloat {}
/// `int32`
package enum ProtobufInt32: MapFieldType {}
/// `int64`
package enum ProtobufInt64 {}
/// `sint32`
package enum ProtobufSInt32 {}
/// `string`
package enum ProtobufString {}
/// `uint32`
package enum ProtobufUInt32 {}
/// `uint64`
package enum ProtobufUInt64 {}
