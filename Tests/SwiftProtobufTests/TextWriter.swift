import FoundationEssentials

@testable import SwiftProtobuf

/// Writes a message in the text format, which protoc reads.
/// https://protobuf.dev/reference/protobuf/textformat-spec/
struct TextWriter: Visitor {
    private var text = ""
    private let names: _NameMap

    static func text<M: Message>(of message: M) throws -> String {
        var writer = TextWriter(names: M._protobuf_nameMap)
        try message.traverse(visitor: &writer)
        return writer.text
    }

    private init(names: _NameMap) { self.names = names }

    private mutating func write(_ fieldNumber: Int, _ value: String) {
        text += "\(names.names(of: fieldNumber)?.proto ?? "?") \(value)\n"
    }

    mutating func visitSingular<F: FieldType>(_ type: F.Type, value: F.BaseType, fieldNumber: Int) {
        write(fieldNumber, ": \(Self.text(of: value))")
    }

    mutating func visitRepeated<F: FieldType>(_ type: F.Type, value: [F.BaseType], fieldNumber: Int) {
        for element in value { visitSingular(F.self, value: element, fieldNumber: fieldNumber) }
    }

    mutating func visitPacked<F: FieldType>(_ type: F.Type, value: [F.BaseType], fieldNumber: Int) {
        visitRepeated(F.self, value: value, fieldNumber: fieldNumber)
    }

    mutating func visitSingularEnumField<E: Enum>(value: E, fieldNumber: Int) {
        let number: Int = value.rawValue
        write(fieldNumber, ": \(E._protobuf_nameMap.names(of: number)?.proto ?? "\(number)")")
    }

    mutating func visitSingularMessageField<M: Message>(value: M, fieldNumber: Int) throws {
        write(fieldNumber, "{\n\(try Self.text(of: value))}")
    }

    mutating func visitRepeatedMessageField<M: Message>(value: [M], fieldNumber: Int) throws {
        for element in value { try visitSingularMessageField(value: element, fieldNumber: fieldNumber) }
    }

    mutating func visitMapField<K: MapFieldType, V: MapFieldType>(
        fieldType: _ProtobufMap<K, V>.Type, value: [K.BaseType: V.BaseType], fieldNumber: Int
    ) {
        for (key, content) in value {
            write(fieldNumber, "{ key: \(Self.text(of: key)) value: \(Self.text(of: content)) }")
        }
    }

    mutating func visitUnknown(bytes: [UInt8]) {}

    private static func text(of value: some Any) -> String {
        switch value {
        case let real as Double: real.description
        // As the same number in twice as many bits, which protoc doesn't round again.
        case let real as Float: Double(real).description
        case let string as String: quoted(Array(string.utf8))
        case let data as Data: quoted(Array(data))
        default: "\(value)"
        }
    }

    /// Every byte as three octal digits.
    private static func quoted(_ bytes: [UInt8]) -> String {
        "\"" + bytes.map { "\\\($0 >> 6)\($0 >> 3 & 7)\($0 & 7)" }.joined() + "\""
    }
}
