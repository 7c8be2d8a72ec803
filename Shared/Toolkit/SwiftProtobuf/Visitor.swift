package import FoundationEssentials

/// Sees a message's fields, to write them in a form.
package protocol Visitor {
    /// A field with one value.
    mutating func visitSingular<F: FieldType>(_ type: F.Type, value: F.BaseType, fieldNumber: Int) throws
    /// A field with values that are written one by one.
    mutating func visitRepeated<F: FieldType>(_ type: F.Type, value: [F.BaseType], fieldNumber: Int) throws
    /// A field with values that are written together, if the form can do that.
    mutating func visitPacked<F: FieldType>(_ type: F.Type, value: [F.BaseType], fieldNumber: Int) throws
    /// A field with a value of an enumeration.
    mutating func visitSingularEnumField<E: Enum>(value: E, fieldNumber: Int) throws
    /// A field with a message.
    mutating func visitSingularMessageField<M: Message>(value: M, fieldNumber: Int) throws
    /// A field with messages.
    mutating func visitRepeatedMessageField<M: Message>(value: [M], fieldNumber: Int) throws
    /// A field with a map.
    mutating func visitMapField<K: MapFieldType, V: MapFieldType>(
        fieldType: _ProtobufMap<K, V>.Type, value: [K.BaseType: V.BaseType], fieldNumber: Int) throws
    /// All unknown fields of a message, as they came.
    mutating func visitUnknown(bytes: [UInt8]) throws
}

// MARK: The names that generated code calls

extension Visitor {
    /// See ``visitSingular(_:value:fieldNumber:)``.
    package mutating func visitSingularBoolField(value: Bool, fieldNumber: Int) throws {
        try visitSingular(ProtobufBool.self, value: value, fieldNumber: fieldNumber)
    }
    /// See ``visitSingular(_:value:fieldNumber:)``.
    package mutating func visitSingularBytesField(value: Data, fieldNumber: Int) throws {
        try visitSingular(ProtobufBytes.self, value: value, fieldNumber: fieldNumber)
    }
    /// See ``visitSingular(_:value:fieldNumber:)``.
    package mutating func visitSingularDoubleField(value: Double, fieldNumber: Int) throws {
        try visitSingular(ProtobufDouble.self, value: value, fieldNumber: fieldNumber)
    }
    /// See ``visitSingular(_:value:fieldNumber:)``.
    package mutating func visitSingularFixed64Field(value: UInt64, fieldNumber: Int) throws {
        try visitSingular(ProtobufFixed64.self, value: value, fieldNumber: fieldNumber)
    }
    /// See ``visitSingular(_:value:fieldNumber:)``.
    package mutating func visitSingularFloatField(value: Float, fieldNumber: Int) throws {
        try visitSingular(ProtobufFloat.self, value: value, fieldNumber: fieldNumber)
    }
    /// See ``visitSingular(_:value:fieldNumber:)``.
    package mutating func visitSingularInt32Field(value: Int32, fieldNumber: Int) throws {
        try visitSingular(ProtobufInt32.self, value: value, fieldNumber: fieldNumber)
    }
    /// See ``visitSingular(_:value:fieldNumber:)``.
    package mutating func visitSingularInt64Field(value: Int64, fieldNumber: Int) throws {
        try visitSingular(ProtobufInt64.self, value: value, fieldNumber: fieldNumber)
    }
    /// See ``visitSingular(_:value:fieldNumber:)``.
    package mutating func visitSingularSInt32Field(value: Int32, fieldNumber: Int) throws {
        try visitSingular(ProtobufSInt32.self, value: value, fieldNumber: fieldNumber)
    }
    /// See ``visitSingular(_:value:fieldNumber:)``.
    package mutating func visitSingularStringField(value: String, fieldNumber: Int) throws {
        try visitSingular(ProtobufString.self, value: value, fieldNumber: fieldNumber)
    }
    /// See ``visitSingular(_:value:fieldNumber:)``.
    package mutating func visitSingularUInt32Field(value: UInt32, fieldNumber: Int) throws {
        try visitSingular(ProtobufUInt32.self, value: value, fieldNumber: fieldNumber)
    }
    /// See ``visitSingular(_:value:fieldNumber:)``.
    package mutating func visitSingularUInt64Field(value: UInt64, fieldNumber: Int) throws {
        try visitSingular(ProtobufUInt64.self, value: value, fieldNumber: fieldNumber)
    }
    /// See ``visitRepeated(_:value:fieldNumber:)``.
    package mutating func visitRepeatedBytesField(value: [Data], fieldNumber: Int) throws {
        try visitRepeated(ProtobufBytes.self, value: value, fieldNumber: fieldNumber)
    }
    /// See ``visitRepeated(_:value:fieldNumber:)``.
    package mutating func visitRepeatedStringField(value: [String], fieldNumber: Int) throws {
        try visitRepeated(ProtobufString.self, value: value, fieldNumber: fieldNumber)
    }
    /// See ``visitPacked(_:value:fieldNumber:)``.
    package mutating func visitPackedDoubleField(value: [Double], fieldNumber: Int) throws {
        try visitPacked(ProtobufDouble.self, value: value, fieldNumber: fieldNumber)
    }
    /// See ``visitPacked(_:value:fieldNumber:)``.
    package mutating func visitPackedInt32Field(value: [Int32], fieldNumber: Int) throws {
        try visitPacked(ProtobufInt32.self, value: value, fieldNumber: fieldNumber)
    }
    /// See ``visitPacked(_:value:fieldNumber:)``.
    package mutating func visitPackedUInt32Field(value: [UInt32], fieldNumber: Int) throws {
        try visitPacked(ProtobufUInt32.self, value: value, fieldNumber: fieldNumber)
    }
}
