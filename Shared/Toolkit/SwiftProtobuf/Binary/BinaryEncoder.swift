/// Encodes a message's fields.
struct BinaryEncoder: FieldOperation {
    private(set) var writer = BinaryWriter()

    mutating func write(_ message: UnsafeRawPointer, _ fields: FieldTable) throws {
        for field in fields.places { try field.apply(&self, reading: message) }
        let unknown = (message + fields.unknownOffset).assumingMemoryBound(to: UnknownStorage.self)
        if !unknown.pointee.data.isEmpty { writer.bytes += unknown.pointee.data }
    }

    @inline(__always)
    mutating func scalar<F: FieldType>(_ type: F.Type, _ field: FieldPlace, at place: UnsafeMutableRawPointer) {
        switch field.content(of: F.self, at: place) {
        case .nothing: break
        case .one(let value): write(value, F.self, field.number)
        case .several(let values):
            if case .lengthDelimited = F.wireType {
                for value in values { write(value, F.self, field.number) }
            } else {
                within(field.number) { encoder in
                    for value in values { F.write(value, to: &encoder.writer) }
                }
            }
        case .entries(let entries):
            for (key, value) in entries {
                within(field.number) { encoder in
                    encoder.write(key, ProtobufInt32.self, 1)
                    encoder.write(value, F.self, 2)
                }
            }
        }
    }

    mutating func enumeration(_ type: any Enum.Type, _ field: FieldPlace, at place: UnsafeMutableRawPointer) {
        guard let number = type.number(field.shape, at: place) else { return }
        write(Int32(truncatingIfNeeded: number), ProtobufInt32.self, field.number)
    }

    mutating func message(_ type: any Message.Type, _ field: FieldPlace, at place: UnsafeMutableRawPointer) throws {
        let fields = type.fields
        try type.show(place, field.shape) { message in
            try within(field.number) { try $0.write(message, fields) }
        }
    }

    private mutating func write<F: FieldType>(_ value: F.BaseType, _ type: F.Type, _ number: Int) {
        writer.tag(number, F.wireType)
        F.write(value, to: &writer)
    }

    private mutating func within(_ number: Int, _ body: (inout Self) throws -> Void) rethrows {
        let start = writer.begin(number)
        try body(&self)
        writer.end(from: start)
    }
}
