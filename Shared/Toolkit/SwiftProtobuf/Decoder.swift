package import FoundationEssentials

/// Hands out a message's fields as they were sent.
package protocol Decoder {
    /// The next known field's number; nil behind the last one.
    ///
    /// A field that nobody reads is an unknown one.
    mutating func nextFieldNumber() throws -> Int?
    /// The field's value; nil if it was sent as another type, and is therefore an unknown field.
    mutating func value<F: FieldType>(_ type: F.Type) throws -> F.BaseType?
    /// As ``value(_:)-swift.method``; also nil for a number that the enumeration can't hold.
    mutating func enumValue<E: Enum>(_ type: E.Type) throws -> E?
    /// Adds the field's values.
    mutating func decodeRepeated<F: FieldType>(_ type: F.Type, value: inout [F.BaseType]) throws
    /// Merges the field into a message.
    mutating func decodeSingularMessageField<M: Message>(value: inout M?) throws
    /// Adds the field's messages.
    mutating func decodeRepeatedMessageField<M: Message>(value: inout [M]) throws
    /// Adds the field's entries; of several with the same key, the last one counts.
    mutating func decodeMapField<K: MapFieldType, V: MapFieldType>(
        fieldType: _ProtobufMap<K, V>.Type, value: inout [K.BaseType: V.BaseType]) throws
}

// MARK: The names that generated code calls

extension Decoder {
    /// The last value counts.
    package mutating func decodeSingularEnumField<E: Enum>(value: inout E) throws {
        if let sent = try enumValue(E.self) { value = sent }
    }
    /// The last value counts.
    package mutating func decodeSingularEnumField<E: Enum>(value: inout E?) throws {
        if let sent = try enumValue(E.self) { value = sent }
    }
    /// The last value counts.
    package mutating func decodeSingularBoolField(value: inout Bool) throws {
        if let sent = try self.value(ProtobufBool.self) { value = sent }
    }
    /// The last value counts.
    package mutating func decodeSingularBoolField(value: inout Bool?) throws {
        if let sent = try self.value(ProtobufBool.self) { value = sent }
    }
    /// The last value counts.
    package mutating func decodeSingularBytesField(value: inout Data) throws {
        if let sent = try self.value(ProtobufBytes.self) { value = sent }
    }
    /// The last value counts.
    package mutating func decodeSingularBytesField(value: inout Data?) throws {
        if let sent = try self.value(ProtobufBytes.self) { value = sent }
    }
    /// The last value counts.
    package mutating func decodeSingularDoubleField(value: inout Double) throws {
        if let sent = try self.value(ProtobufDouble.self) { value = sent }
    }
    /// The last value counts.
    package mutating func decodeSingularDoubleField(value: inout Double?) throws {
        if let sent = try self.value(ProtobufDouble.self) { value = sent }
    }
    /// The last value counts.
    package mutating func decodeSingularFixed64Field(value: inout UInt64?) throws {
        if let sent = try self.value(ProtobufFixed64.self) { value = sent }
    }
    /// The last value counts.
    package mutating func decodeSingularFloatField(value: inout Float) throws {
        if let sent = try self.value(ProtobufFloat.self) { value = sent }
    }
    /// The last value counts.
    package mutating func decodeSingularInt32Field(value: inout Int32) throws {
        if let sent = try self.value(ProtobufInt32.self) { value = sent }
    }
    /// The last value counts.
    package mutating func decodeSingularInt32Field(value: inout Int32?) throws {
        if let sent = try self.value(ProtobufInt32.self) { value = sent }
    }
    /// The last value counts.
    package mutating func decodeSingularInt64Field(value: inout Int64) throws {
        if let sent = try self.value(ProtobufInt64.self) { value = sent }
    }
    /// The last value counts.
    package mutating func decodeSingularInt64Field(value: inout Int64?) throws {
        if let sent = try self.value(ProtobufInt64.self) { value = sent }
    }
    /// The last value counts.
    package mutating func decodeSingularSInt32Field(value: inout Int32) throws {
        if let sent = try self.value(ProtobufSInt32.self) { value = sent }
    }
    /// The last value counts.
    package mutating func decodeSingularSInt32Field(value: inout Int32?) throws {
        if let sent = try self.value(ProtobufSInt32.self) { value = sent }
    }
    /// The last value counts.
    package mutating func decodeSingularStringField(value: inout String) throws {
        if let sent = try self.value(ProtobufString.self) { value = sent }
    }
    /// The last value counts.
    package mutating func decodeSingularStringField(value: inout String?) throws {
        if let sent = try self.value(ProtobufString.self) { value = sent }
    }
    /// The last value counts.
    package mutating func decodeSingularUInt32Field(value: inout UInt32) throws {
        if let sent = try self.value(ProtobufUInt32.self) { value = sent }
    }
    /// The last value counts.
    package mutating func decodeSingularUInt64Field(value: inout UInt64) throws {
        if let sent = try self.value(ProtobufUInt64.self) { value = sent }
    }
    /// See ``decodeRepeated(_:value:)``.
    package mutating func decodeRepeatedBytesField(value: inout [Data]) throws {
        try decodeRepeated(ProtobufBytes.self, value: &value)
    }
    /// See ``decodeRepeated(_:value:)``.
    package mutating func decodeRepeatedDoubleField(value: inout [Double]) throws {
        try decodeRepeated(ProtobufDouble.self, value: &value)
    }
    /// See ``decodeRepeated(_:value:)``.
    package mutating func decodeRepeatedInt32Field(value: inout [Int32]) throws {
        try decodeRepeated(ProtobufInt32.self, value: &value)
    }
    /// See ``decodeRepeated(_:value:)``.
    package mutating func decodeRepeatedStringField(value: inout [String]) throws {
        try decodeRepeated(ProtobufString.self, value: &value)
    }
    /// See ``decodeRepeated(_:value:)``.
    package mutating func decodeRepeatedUInt32Field(value: inout [UInt32]) throws {
        try decodeRepeated(ProtobufUInt32.self, value: &value)
    }
}
