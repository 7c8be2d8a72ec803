/// Decodes the fields of one message.
struct BinaryDecoder: Decoder {
    var reader: BinaryReader
    /// How many messages may still be within each other, this one not counted.
    let depth: Int
    let keepsUnknown: Bool
    /// The unknown fields so far.
    var unknown: [UInt8] = []

    // The field at which the decoder is.
    var start: UnsafePointer<UInt8>
    var fieldNumber: UInt64 = 0
    var wireType = WireType.varint
    var isUnread = false

    init(_ reader: BinaryReader, depth: Int, keepsUnknown: Bool) throws(BinaryDecodingError) {
        guard depth >= 0 else { throw .messageDepthLimit }
        self.reader = reader
        self.depth = depth
        self.keepsUnknown = keepsUnknown
        start = reader.position
    }

    /// A decoder of what is within a field.
    func within(_ reader: BinaryReader) throws(BinaryDecodingError) -> BinaryDecoder {
        try BinaryDecoder(reader, depth: depth - 1, keepsUnknown: keepsUnknown)
    }

    mutating func nextFieldNumber() throws -> Int? {
        if isUnread { try skip() }
        guard !reader.isAtEnd else { return nil }
        start = reader.position
        (fieldNumber, wireType) = try reader.tag()
        isUnread = true
        return Int(fieldNumber)
    }

    mutating func skip() throws(BinaryDecodingError) {
        isUnread = false
        try reader.skip(wireType, fieldNumber: fieldNumber, depth: depth)
        if keepsUnknown { unknown += UnsafeBufferPointer(start: start, count: reader.position - start) }
    }

    /// Says that the field is read now, if it has the right type.
    mutating func take(_ type: WireType) -> Bool {
        guard wireType == type else { return false }
        isUnread = false
        return true
    }

    mutating func value<F: FieldType>(_ type: F.Type) throws -> F.BaseType? {
        take(F.wireType) ? try F.read(from: &reader) : nil
    }

    mutating func enumValue<E: Enum>(_ type: E.Type) throws -> E? {
        let position = reader.position
        guard let number = try value(ProtobufInt32.self) else { return nil }
        if let value = E(rawValue: Int(number)) { return value }
        reader.position = position
        isUnread = true
        return nil
    }

    mutating func decodeRepeated<F: FieldType>(_ type: F.Type, value: inout [F.BaseType]) throws {
        if let single = try self.value(F.self) {
            value.append(single)
        } else if take(.lengthDelimited) {
            var packed = try reader.delimited()
            while !packed.isAtEnd { value.append(try F.read(from: &packed)) }
        }
    }

    mutating func decodeSingularMessageField<M: Message>(value: inout M?) throws {
        guard take(.lengthDelimited) else { return }
        var decoder = try within(reader.delimited())
        if value == nil { value = M() }
        // In place: what repeated fields merge isn't copied each time.
        try value?.merge(from: &decoder)
    }

    mutating func decodeRepeatedMessageField<M: Message>(value: inout [M]) throws {
        guard take(.lengthDelimited) else { return }
        var decoder = try within(reader.delimited())
        var message = M()
        try message.merge(from: &decoder)
        value.append(message)
    }

    mutating func decodeMapField<K: MapFieldType, V: MapFieldType>(
        fieldType: _ProtobufMap<K, V>.Type, value: inout [K.BaseType: V.BaseType]
    ) throws {
        guard take(.lengthDelimited) else { return }
        var entry = try BinaryDecoder(reader.delimited(), depth: depth, keepsUnknown: false)
        var (key, content) = (K.BaseType.zero, V.BaseType.zero)
        while let number = try entry.nextFieldNumber() {
            switch number {
            case 1: key = try entry.value(K.self) ?? key
            case 2: content = try entry.value(V.self) ?? content
            default: break
            }
        }
        value[key] = content
    }
}

extension Message {
    /// Merges a decoder's fields.
    mutating func merge(from decoder: inout BinaryDecoder) throws {
        try decodeMessage(decoder: &decoder)
        if !decoder.unknown.isEmpty { unknownFields.append(decoder.unknown) }
    }
}
