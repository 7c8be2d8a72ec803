package import FoundationEssentials

// How values are written, in bytes (https://protobuf.dev/programming-guides/encoding/) and in JSON
// (https://protobuf.dev/programming-guides/json/).

extension ProtobufBool: FieldType {
    /// See ``FieldType``.
    package static var wireType: WireType { .varint }
    /// See ``FieldType``.
    package static func read(from reader: inout BinaryReader) throws(BinaryDecodingError) -> Bool {
        try reader.varint() != 0
    }
    /// See ``FieldType``.
    package static func write(_ value: Bool, to writer: inout BinaryWriter) {
        writer.varint(value ? 1 : 0)
    }
    /// See ``FieldType``.
    package static func readJSON(from scanner: inout JSONScanner) throws(JSONDecodingError) -> Bool {
        try scanner.bool()
    }
    /// See ``FieldType``.
    package static func json(_ value: Bool) -> String { value ? "true" : "false" }
}

extension ProtobufInt32: FieldType {
    /// See ``FieldType``.
    package static var wireType: WireType { .varint }
    /// See ``FieldType``.
    package static func read(from reader: inout BinaryReader) throws(BinaryDecodingError) -> Int32 {
        Int32(truncatingIfNeeded: try reader.varint())
    }
    /// See ``FieldType``.
    package static func write(_ value: Int32, to writer: inout BinaryWriter) {
        writer.varint(UInt64(bitPattern: Int64(value)))
    }
    /// See ``FieldType``.
    package static func readJSON(from scanner: inout JSONScanner) throws(JSONDecodingError) -> Int32 {
        try scanner.integer()
    }
    /// See ``FieldType``.
    package static func json(_ value: Int32) -> String { "\(value)" }
}

extension ProtobufSInt32: FieldType {
    /// See ``FieldType``.
    package static var wireType: WireType { .varint }
    /// See ``FieldType``.
    package static func read(from reader: inout BinaryReader) throws(BinaryDecodingError) -> Int32 {
        let number = UInt32(truncatingIfNeeded: try reader.varint())
        return Int32(bitPattern: number >> 1) ^ -Int32(bitPattern: number & 1)
    }
    /// See ``FieldType``.
    package static func write(_ value: Int32, to writer: inout BinaryWriter) {
        writer.varint(UInt64(UInt32(bitPattern: value << 1 ^ value >> 31)))
    }
    /// See ``FieldType``.
    package static func readJSON(from scanner: inout JSONScanner) throws(JSONDecodingError) -> Int32 {
        try scanner.integer()
    }
    /// See ``FieldType``.
    package static func json(_ value: Int32) -> String { "\(value)" }
}

extension ProtobufUInt32: FieldType {
    /// See ``FieldType``.
    package static var wireType: WireType { .varint }
    /// See ``FieldType``.
    package static func read(from reader: inout BinaryReader) throws(BinaryDecodingError) -> UInt32 {
        UInt32(truncatingIfNeeded: try reader.varint())
    }
    /// See ``FieldType``.
    package static func write(_ value: UInt32, to writer: inout BinaryWriter) {
        writer.varint(UInt64(value))
    }
    /// See ``FieldType``.
    package static func readJSON(from scanner: inout JSONScanner) throws(JSONDecodingError) -> UInt32 {
        try scanner.integer()
    }
    /// See ``FieldType``.
    package static func json(_ value: UInt32) -> String { "\(value)" }
}

extension ProtobufInt64: FieldType {
    /// See ``FieldType``.
    package static var wireType: WireType { .varint }
    /// See ``FieldType``.
    package static func read(from reader: inout BinaryReader) throws(BinaryDecodingError) -> Int64 {
        Int64(bitPattern: try reader.varint())
    }
    /// See ``FieldType``.
    package static func write(_ value: Int64, to writer: inout BinaryWriter) {
        writer.varint(UInt64(bitPattern: value))
    }
    /// See ``FieldType``.
    package static func readJSON(from scanner: inout JSONScanner) throws(JSONDecodingError) -> Int64 {
        try scanner.integer()
    }
    /// See ``FieldType``.
    package static func json(_ value: Int64) -> String { "\"\(value)\"" }
}

extension ProtobufUInt64: FieldType {
    /// See ``FieldType``.
    package static var wireType: WireType { .varint }
    /// See ``FieldType``.
    package static func read(from reader: inout BinaryReader) throws(BinaryDecodingError) -> UInt64 {
        try reader.varint()
    }
    /// See ``FieldType``.
    package static func write(_ value: UInt64, to writer: inout BinaryWriter) {
        writer.varint(value)
    }
    /// See ``FieldType``.
    package static func readJSON(from scanner: inout JSONScanner) throws(JSONDecodingError) -> UInt64 {
        try scanner.integer()
    }
    /// See ``FieldType``.
    package static func json(_ value: UInt64) -> String { "\"\(value)\"" }
}

extension ProtobufFixed64: FieldType {
    /// See ``FieldType``.
    package static var wireType: WireType { .fixed64 }
    /// See ``FieldType``.
    package static func read(from reader: inout BinaryReader) throws(BinaryDecodingError) -> UInt64 {
        try reader.fixed(UInt64.self)
    }
    /// See ``FieldType``.
    package static func write(_ value: UInt64, to writer: inout BinaryWriter) {
        writer.fixed(value)
    }
    /// See ``FieldType``.
    package static func readJSON(from scanner: inout JSONScanner) throws(JSONDecodingError) -> UInt64 {
        try scanner.integer()
    }
    /// See ``FieldType``.
    package static func json(_ value: UInt64) -> String { "\"\(value)\"" }
}

extension ProtobufDouble: FieldType {
    /// See ``FieldType``.
    package static var wireType: WireType { .fixed64 }
    /// See ``FieldType``.
    package static func read(from reader: inout BinaryReader) throws(BinaryDecodingError) -> Double {
        Double(bitPattern: try reader.fixed(UInt64.self))
    }
    /// See ``FieldType``.
    package static func write(_ value: Double, to writer: inout BinaryWriter) {
        writer.fixed(value.bitPattern)
    }
    /// See ``FieldType``.
    package static func readJSON(from scanner: inout JSONScanner) throws(JSONDecodingError) -> Double {
        try scanner.floatingPoint()
    }
    /// See ``FieldType``.
    package static func json(_ value: Double) -> String { JSONWriter.text(of: value) }
}

extension ProtobufFloat: FieldType {
    /// See ``FieldType``.
    package static var wireType: WireType { .fixed32 }
    /// See ``FieldType``.
    package static func read(from reader: inout BinaryReader) throws(BinaryDecodingError) -> Float {
        Float(bitPattern: try reader.fixed(UInt32.self))
    }
    /// See ``FieldType``.
    package static func write(_ value: Float, to writer: inout BinaryWriter) {
        writer.fixed(value.bitPattern)
    }
    /// See ``FieldType``.
    package static func readJSON(from scanner: inout JSONScanner) throws(JSONDecodingError) -> Float {
        try scanner.floatingPoint()
    }
    /// See ``FieldType``.
    package static func json(_ value: Float) -> String { JSONWriter.text(of: value) }
}

extension ProtobufString: FieldType {
    /// See ``FieldType``.
    package static var wireType: WireType { .lengthDelimited }
    /// See ``FieldType``.
    package static func read(from reader: inout BinaryReader) throws(BinaryDecodingError) -> String {
        guard let text = String(validating: try reader.delimited().rest, as: UTF8.self) else { throw .invalidUTF8 }
        return text
    }
    /// See ``FieldType``.
    package static func write(_ value: String, to writer: inout BinaryWriter) {
        var value = value
        value.withUTF8 { writer.delimited(UnsafeRawBufferPointer($0)) }
    }
    /// See ``FieldType``.
    package static func readJSON(from scanner: inout JSONScanner) throws(JSONDecodingError) -> String {
        try scanner.string()
    }
    /// See ``FieldType``.
    package static func json(_ value: String) -> String { JSONWriter.quoted(value) }
}

extension ProtobufBytes: FieldType {
    /// See ``FieldType``.
    package static var wireType: WireType { .lengthDelimited }
    /// See ``FieldType``.
    package static func read(from reader: inout BinaryReader) throws(BinaryDecodingError) -> Data {
        Data(buffer: try reader.delimited().rest)
    }
    /// See ``FieldType``.
    package static func write(_ value: Data, to writer: inout BinaryWriter) {
        value.withUnsafeBytes { writer.delimited($0) }
    }
    /// See ``FieldType``.
    package static func readJSON(from scanner: inout JSONScanner) throws(JSONDecodingError) -> Data {
        try scanner.base64()
    }
    /// See ``FieldType``.
    package static func json(_ value: Data) -> String { "\"\(value.base64EncodedString())\"" }
}
