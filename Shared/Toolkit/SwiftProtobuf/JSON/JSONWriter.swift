/// Writes a message's fields as protobuf JSON. Unknown fields have no names and are left out.
struct JSONWriter: Visitor {
    private var text = "{"
    private let names: _NameMap

    /// An object with a message's fields.
    static func object<M: Message>(_ message: M) throws -> String {
        var writer = JSONWriter(names: M._protobuf_nameMap)
        try message.traverse(visitor: &writer)
        return writer.text + "}"
    }

    private init(names: _NameMap) { self.names = names }

    private mutating func write(_ fieldNumber: Int, _ value: String) {
        // Generated code has a name for each of its fields.
        guard let name = names.names(of: fieldNumber)?.json else { return }
        if text.utf8.count > 1 { text += "," }
        text += "\"\(name)\":\(value)"
    }

    mutating func visitSingular<F: FieldType>(_ type: F.Type, value: F.BaseType, fieldNumber: Int) {
        write(fieldNumber, F.json(value))
    }

    mutating func visitRepeated<F: FieldType>(_ type: F.Type, value: [F.BaseType], fieldNumber: Int) {
        write(fieldNumber, "[\(value.map { F.json($0) }.joined(separator: ","))]")
    }

    mutating func visitPacked<F: FieldType>(_ type: F.Type, value: [F.BaseType], fieldNumber: Int) {
        visitRepeated(F.self, value: value, fieldNumber: fieldNumber)
    }

    /// The value's name, or the number of one that the schema doesn't know.
    mutating func visitSingularEnumField<E: Enum>(value: E, fieldNumber: Int) {
        let number: Int = value.rawValue
        write(fieldNumber, E._protobuf_nameMap.names(of: number).map { "\"\($0.proto)\"" } ?? "\(number)")
    }

    mutating func visitSingularMessageField<M: Message>(value: M, fieldNumber: Int) throws {
        write(fieldNumber, try Self.object(value))
    }

    mutating func visitRepeatedMessageField<M: Message>(value: [M], fieldNumber: Int) throws {
        write(fieldNumber, "[\(try value.map { try Self.object($0) }.joined(separator: ","))]")
    }

    mutating func visitMapField<K: MapFieldType, V: MapFieldType>(
        fieldType: _ProtobufMap<K, V>.Type, value: [K.BaseType: V.BaseType], fieldNumber: Int
    ) {
        let entries = value.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\(V.json($0.value))" }
        write(fieldNumber, "{\(entries.joined(separator: ","))}")
    }

    mutating func visitUnknown(bytes: [UInt8]) {}

    // MARK: Scalars

    /// A number that isn't finite has a name.
    static func text(of number: some BinaryFloatingPoint & LosslessStringConvertible) -> String {
        if number.isNaN { return "\"NaN\"" }
        if number.isInfinite { return number > 0 ? "\"Infinity\"" : "\"-Infinity\"" }
        return number.description
    }

    static func quoted(_ string: String) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
