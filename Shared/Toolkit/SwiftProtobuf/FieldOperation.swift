/// What is done with a field: reading it or writing it in some form.
///
/// A place is the memory of the property that holds the field; its type follows from the field's shape and its value's type.
protocol FieldOperation {
    mutating func scalar<F: FieldType>(_ type: F.Type, _ field: FieldPlace, at place: UnsafeMutableRawPointer) throws
    mutating func enumeration(_ type: any Enum.Type, _ field: FieldPlace, at place: UnsafeMutableRawPointer) throws
    mutating func message(_ type: any Message.Type, _ field: FieldPlace, at place: UnsafeMutableRawPointer) throws
}

extension FieldPlace {
    /// Does an operation with this field of a message.
    func apply(_ operation: inout some FieldOperation, in message: UnsafeMutableRawPointer) throws {
        let place = message + offset
        switch kind {
        case .bool: try operation.scalar(ProtobufBool.self, self, at: place)
        case .int32: try operation.scalar(ProtobufInt32.self, self, at: place)
        case .sint32: try operation.scalar(ProtobufSInt32.self, self, at: place)
        case .uint32: try operation.scalar(ProtobufUInt32.self, self, at: place)
        case .int64: try operation.scalar(ProtobufInt64.self, self, at: place)
        case .uint64: try operation.scalar(ProtobufUInt64.self, self, at: place)
        case .fixed64: try operation.scalar(ProtobufFixed64.self, self, at: place)
        case .double: try operation.scalar(ProtobufDouble.self, self, at: place)
        case .float: try operation.scalar(ProtobufFloat.self, self, at: place)
        case .string: try operation.scalar(ProtobufString.self, self, at: place)
        case .bytes: try operation.scalar(ProtobufBytes.self, self, at: place)
        case .enumeration(let type): try operation.enumeration(type, self, at: place)
        case .message(let type): try operation.message(type, self, at: place)
        }
    }

    /// Does an operation that only reads with this field of a message.
    func apply(_ operation: inout some FieldOperation, reading message: UnsafeRawPointer) throws {
        try apply(&operation, in: UnsafeMutableRawPointer(mutating: message))
    }
}

/// What a field holds.
enum FieldContent<Value> {
    case nothing
    case one(Value)
    case several([Value])
    /// In the order of their keys, so that equal messages are written alike.
    case entries([(key: Int32, value: Value)])
}

extension FieldPlace {
    /// What is to be written of a scalar field.
    @inline(__always)
    func content<F: FieldType>(of type: F.Type, at place: UnsafeMutableRawPointer) -> FieldContent<F.BaseType> {
        switch shape {
        case .plain:
            let value = place.assumingMemoryBound(to: F.BaseType.self).pointee
            return F.isZero(value) ? .nothing : .one(value)
        case .presence:
            let value = place.assumingMemoryBound(to: Presence<F.BaseType>.self).pointee.value
            return value.map { .one($0) } ?? .nothing
        case .repeated:
            let values = place.assumingMemoryBound(to: [F.BaseType].self).pointee
            return values.isEmpty ? .nothing : .several(values)
        case .map:
            let entries = place.assumingMemoryBound(to: [Int32: F.BaseType].self).pointee
            return entries.isEmpty ? .nothing : .entries(entries.sorted { $0.key < $1.key })
        }
    }
}
