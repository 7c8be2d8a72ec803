import FoundationEssentials

// How values are written, in bytes (https://protobuf.dev/programming-guides/encoding/) and in JSON
// (https://protobuf.dev/programming-guides/json/).

enum ProtobufBool: FieldType {
    static var wireType: WireType { .varint }
    static func isZero(_ value: Bool) -> Bool { !value }
    static func read(from reader: inout BinaryReader) throws(BinaryDecodingError) -> Bool { try reader.varint() != 0 }
    static func write(_ value: Bool, to writer: inout BinaryWriter) { writer.varint(value ? 1 : 0) }
    static func readJSON(from scanner: inout JSONScanner) throws(JSONDecodingError) -> Bool { try scanner.bool() }
    static func json(_ value: Bool) -> String { value ? "true" : "false" }
}

enum ProtobufInt32: FieldType {
    static var wireType: WireType { .varint }
    static func read(from reader: inout BinaryReader) throws(BinaryDecodingError) -> Int32 {
        Int32(truncatingIfNeeded: try reader.varint())
    }
    static func write(_ value: Int32, to writer: inout BinaryWriter) {
        writer.varint(UInt64(bitPattern: Int64(value)))
    }
}

enum ProtobufSInt32: FieldType {
    static var wireType: WireType { .varint }
    static func read(from reader: inout BinaryReader) throws(BinaryDecodingError) -> Int32 {
        let number = UInt32(truncatingIfNeeded: try reader.varint())
        return Int32(bitPattern: number >> 1) ^ -Int32(bitPattern: number & 1)
    }
    static func write(_ value: Int32, to writer: inout BinaryWriter) {
        writer.varint(UInt64(UInt32(bitPattern: value << 1 ^ value >> 31)))
    }
}

enum ProtobufUInt32: FieldType {
    static var wireType: WireType { .varint }
    static func read(from reader: inout BinaryReader) throws(BinaryDecodingError) -> UInt32 {
        UInt32(truncatingIfNeeded: try reader.varint())
    }
    static func write(_ value: UInt32, to writer: inout BinaryWriter) { writer.varint(UInt64(value)) }
}

enum ProtobufInt64: FieldType {
    static var wireType: WireType { .varint }
    static func read(from reader: inout BinaryReader) throws(BinaryDecodingError) -> Int64 {
        Int64(bitPattern: try reader.varint())
    }
    static func write(_ value: Int64, to writer: inout BinaryWriter) { writer.varint(UInt64(bitPattern: value)) }
}

enum ProtobufUInt64: FieldType {
    static var wireType: WireType { .varint }
    static func read(from reader: inout BinaryReader) throws(BinaryDecodingError) -> UInt64 { try reader.varint() }
    static func write(_ value: UInt64, to writer: inout BinaryWriter) { writer.varint(value) }
}

enum ProtobufFixed64: FieldType {
    static var wireType: WireType { .fixed64 }
    static func read(from reader: inout BinaryReader) throws(BinaryDecodingError) -> UInt64 {
        try reader.fixed(UInt64.self)
    }
    static func write(_ value: UInt64, to writer: inout BinaryWriter) { writer.fixed(value) }
}

enum ProtobufDouble: FieldType {
    static var wireType: WireType { .fixed64 }
    static func read(from reader: inout BinaryReader) throws(BinaryDecodingError) -> Double {
        Double(bitPattern: try reader.fixed(UInt64.self))
    }
    static func write(_ value: Double, to writer: inout BinaryWriter) { writer.fixed(value.bitPattern) }
}

enum ProtobufFloat: FieldType {
    static var wireType: WireType { .fixed32 }
    static func read(from reader: inout BinaryReader) throws(BinaryDecodingError) -> Float {
        Float(bitPattern: try reader.fixed(UInt32.self))
    }
    static func write(_ value: Float, to writer: inout BinaryWriter) { writer.fixed(value.bitPattern) }
}

enum ProtobufString: FieldType {
    static var wireType: WireType { .lengthDelimited }
    static func isZero(_ value: String) -> Bool { value.isEmpty }
    static func read(from reader: inout BinaryReader) throws(BinaryDecodingError) -> String {
        guard let text = String(validating: try reader.delimited().rest, as: UTF8.self) else { throw .invalidUTF8 }
        return text
    }
    static func write(_ value: String, to writer: inout BinaryWriter) {
        var value = value
        value.withUTF8 { writer.delimited(UnsafeRawBufferPointer($0)) }
    }
    static func readJSON(from scanner: inout JSONScanner) throws(JSONDecodingError) -> String { try scanner.string() }
    static func json(_ value: String) -> String { JSONWriter.quoted(value) }
}

enum ProtobufBytes: FieldType {
    static var wireType: WireType { .lengthDelimited }
    static func isZero(_ value: Data) -> Bool { value.isEmpty }
    static func read(from reader: inout BinaryReader) throws(BinaryDecodingError) -> Data {
        Data(buffer: try reader.delimited().rest)
    }
    static func write(_ value: Data, to writer: inout BinaryWriter) {
        value.withUnsafeBytes { writer.delimited($0) }
    }
    static func readJSON(from scanner: inout JSONScanner) throws(JSONDecodingError) -> Data { try scanner.base64() }
    static func json(_ value: Data) -> String { "\"\(value.base64EncodedString())\"" }
}
