/// Decodes the fields of one message.
struct BinaryDecoder: FieldOperation {
    private var reader: BinaryReader
    /// How many messages may still be within each other, this one not counted.
    private let depth: Int
    private let keepsUnknown: Bool

    // The field at which the decoder is.
    private var wireType = WireType.varint
    private var isRead = false

    init(_ reader: BinaryReader, depth: Int, keepsUnknown: Bool) throws(BinaryDecodingError) {
        guard depth >= 0 else { throw .messageDepthLimit }
        self.reader = reader
        self.depth = depth
        self.keepsUnknown = keepsUnknown
    }

    /// Merges all fields into a message.
    mutating func merge(into message: UnsafeMutableRawPointer, _ fields: FieldTable) throws {
        var index = 0
        while !reader.isAtEnd {
            let start = reader.position
            let number: UInt64
            (number, wireType) = try reader.tag()
            let content = reader.position
            if let known = fields.index(of: number, behind: index) {
                index = known
                isRead = false
                try fields.places[known].apply(&self, in: message)
                if isRead { continue }
            }
            // Unknown, of another type than in the schema, or a number that an enumeration can't hold.
            reader.position = content
            try reader.skip(wireType, fieldNumber: number, depth: depth)
            guard keepsUnknown else { continue }
            (message + fields.unknownOffset).assumingMemoryBound(to: UnknownStorage.self).pointee
                .append(UnsafeBufferPointer(start: start, count: reader.position - start))
        }
    }

    /// Says that the field is read now, if it has the right type.
    private mutating func take(_ type: WireType) -> Bool {
        guard wireType == type else { return false }
        isRead = true
        return true
    }

    @inline(__always)
    mutating func scalar<F: FieldType>(_ type: F.Type, _ field: FieldPlace, at place: UnsafeMutableRawPointer) throws {
        switch field.shape {
        case .plain:
            guard take(F.wireType) else { return }
            place.assumingMemoryBound(to: F.BaseType.self).pointee = try F.read(from: &reader)
        case .presence:
            guard take(F.wireType) else { return }
            place.assumingMemoryBound(to: Presence<F.BaseType>.self).pointee.value = try F.read(from: &reader)
        case .repeated:
            let values = place.assumingMemoryBound(to: [F.BaseType].self)
            if take(F.wireType) {
                values.pointee.append(try F.read(from: &reader))
            } else if take(.lengthDelimited) {
                var packed = try reader.delimited()
                while !packed.isAtEnd { values.pointee.append(try F.read(from: &packed)) }
            }
        case .map:
            guard take(.lengthDelimited) else { return }
            let (key, value) = try entry(F.self)
            place.assumingMemoryBound(to: [Int32: F.BaseType].self).pointee[key] = value
        }
    }

    /// What isn't there is zero, and what else is there is passed over.
    private mutating func entry<F: FieldType>(_ type: F.Type) throws(BinaryDecodingError) -> (Int32, F.BaseType) {
        var entry = try reader.delimited()
        var (key, value) = (Int32(), F.BaseType())
        while !entry.isAtEnd {
            switch try entry.tag() {
            case (1, .varint): key = try ProtobufInt32.read(from: &entry)
            case (2, F.wireType): value = try F.read(from: &entry)
            case (let number, let type): try entry.skip(type, fieldNumber: number, depth: depth)
            }
        }
        return (key, value)
    }

    mutating func enumeration(_ type: any Enum.Type, _ field: FieldPlace, at place: UnsafeMutableRawPointer) throws {
        guard wireType == .varint else { return }
        isRead = type.set(Int(try ProtobufInt32.read(from: &reader)), field.shape, at: place)
    }

    mutating func message(_ type: any Message.Type, _ field: FieldPlace, at place: UnsafeMutableRawPointer) throws {
        guard take(.lengthDelimited) else { return }
        var decoder = try BinaryDecoder(reader.delimited(), depth: depth - 1, keepsUnknown: keepsUnknown)
        try type.merge(into: place, field.shape) { try decoder.merge(into: $0, type.fields) }
    }
}
