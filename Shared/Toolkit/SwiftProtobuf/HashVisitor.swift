/// Hashes a message's fields.
///
/// Zero counts for nothing: -0.0 is equal to 0.0, but of the two only -0.0 is shown to visitors.
struct HashVisitor: Visitor {
    var hasher: Hasher

    mutating func visitSingular<F: FieldType>(_ type: F.Type, value: F.BaseType, fieldNumber: Int) {
        if let number = value as? any FloatingPoint, number.isZero { return }
        combine(fieldNumber, value)
    }

    mutating func visitRepeated<F: FieldType>(_ type: F.Type, value: [F.BaseType], fieldNumber: Int) {
        combine(fieldNumber, value)
    }

    mutating func visitPacked<F: FieldType>(_ type: F.Type, value: [F.BaseType], fieldNumber: Int) {
        combine(fieldNumber, value)
    }

    mutating func visitSingularEnumField<E: Enum>(value: E, fieldNumber: Int) { combine(fieldNumber, value) }

    mutating func visitSingularMessageField<M: Message>(value: M, fieldNumber: Int) { combine(fieldNumber, value) }

    mutating func visitRepeatedMessageField<M: Message>(value: [M], fieldNumber: Int) { combine(fieldNumber, value) }

    mutating func visitMapField<K: MapFieldType, V: MapFieldType>(
        fieldType: _ProtobufMap<K, V>.Type, value: [K.BaseType: V.BaseType], fieldNumber: Int
    ) {
        combine(fieldNumber, value)
    }

    mutating func visitUnknown(bytes: [UInt8]) { hasher.combine(bytes) }

    private mutating func combine(_ fieldNumber: Int, _ value: some Hashable) {
        hasher.combine(fieldNumber)
        hasher.combine(value)
    }
}
