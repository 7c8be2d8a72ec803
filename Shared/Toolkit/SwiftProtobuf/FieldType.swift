/// A scalar type of the schema language, and how its values are written.
protocol FieldType {
    /// The type in Swift.
    associatedtype BaseType: ScalarValue

    /// How a value is framed in bytes.
    static var wireType: WireType { get }
    /// Whether proto3 leaves the value out.
    static func isZero(_ value: BaseType) -> Bool
    /// Reads a value without its tag.
    static func read(from reader: inout BinaryReader) throws(BinaryDecodingError) -> BaseType
    /// Writes a value without a tag.
    static func write(_ value: BaseType, to writer: inout BinaryWriter)
    /// Reads a value of protobuf JSON.
    static func readJSON(from scanner: inout JSONScanner) throws(JSONDecodingError) -> BaseType
    /// A value in protobuf JSON.
    static func json(_ value: BaseType) -> String
}

extension FieldType where BaseType: FixedWidthInteger {
    static func isZero(_ value: BaseType) -> Bool { value == 0 }

    static func readJSON(from scanner: inout JSONScanner) throws(JSONDecodingError) -> BaseType {
        try scanner.integer()
    }

    /// JavaScript's numbers don't hold all of 64 bits.
    static func json(_ value: BaseType) -> String { BaseType.bitWidth == 64 ? "\"\(value)\"" : "\(value)" }
}

extension FieldType where BaseType: BinaryFloatingPoint & LosslessStringConvertible {
    /// The negative zero is written.
    static func isZero(_ value: BaseType) -> Bool { value == 0 && value.sign == .plus }

    static func readJSON(from scanner: inout JSONScanner) throws(JSONDecodingError) -> BaseType {
        try scanner.floatingPoint()
    }

    static func json(_ value: BaseType) -> String { JSONWriter.text(of: value) }
}
