/// Encodes a message's fields.
struct BinaryEncoder: Visitor {
    var writer = BinaryWriter()
    let sortsMaps: Bool

    init(sortsMaps: Bool) { self.sortsMaps = sortsMaps }

    mutating func visitSingular<F: FieldType>(_ type: F.Type, value: F.BaseType, fieldNumber: Int) {
        writer.tag(fieldNumber, F.wireType)
        F.write(value, to: &writer)
    }

    mutating func visitRepeated<F: FieldType>(_ type: F.Type, value: [F.BaseType], fieldNumber: Int) {
        for element in value { visitSingular(F.self, value: element, fieldNumber: fieldNumber) }
    }

    mutating func visitPacked<F: FieldType>(_ type: F.Type, value: [F.BaseType], fieldNumber: Int) {
        let start = writer.begin(fieldNumber)
        for element in value { F.write(element, to: &writer) }
        writer.end(from: start)
    }

    mutating func visitSingularEnumField<E: Enum>(value: E, fieldNumber: Int) {
        visitSingular(
            ProtobufInt32.self, value: Int32(truncatingIfNeeded: value.rawValue as Int), fieldNumber: fieldNumber)
    }

    mutating func visitSingularMessageField<M: Message>(value: M, fieldNumber: Int) throws {
        let start = writer.begin(fieldNumber)
        try value.traverse(visitor: &self)
        writer.end(from: start)
    }

    mutating func visitRepeatedMessageField<M: Message>(value: [M], fieldNumber: Int) throws {
        for element in value { try visitSingularMessageField(value: element, fieldNumber: fieldNumber) }
    }

    mutating func visitMapField<K: MapFieldType, V: MapFieldType>(
        fieldType: _ProtobufMap<K, V>.Type, value: [K.BaseType: V.BaseType], fieldNumber: Int
    ) {
        let entries = sortsMaps ? value.sorted { $0.key < $1.key } : Array(value)
        for entry in entries {
            let start = writer.begin(fieldNumber)
            visitSingular(K.self, value: entry.key, fieldNumber: 1)
            visitSingular(V.self, value: entry.value, fieldNumber: 2)
            writer.end(from: start)
        }
    }

    mutating func visitUnknown(bytes: [UInt8]) { writer.bytes += bytes }
}
