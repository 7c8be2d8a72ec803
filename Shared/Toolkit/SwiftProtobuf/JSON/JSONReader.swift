/// Decodes a message's fields from protobuf JSON.
struct JSONReader: FieldOperation {
    var scanner: JSONScanner
    /// How many messages may still be within each other.
    private var depth = 100

    init(_ scanner: JSONScanner) { self.scanner = scanner }

    /// Merges an object's fields into a message. Null is allowed for every field, and says nothing.
    mutating func object(into message: UnsafeMutableRawPointer, _ fields: FieldTable) throws {
        guard depth > 0 else { throw JSONDecodingError.messageDepthLimit }
        depth -= 1
        defer { depth += 1 }
        try scanner.expect("{")
        if scanner.take("}") { return }
        repeat {
            let name = try scanner.string()
            try scanner.expect(":")
            guard let index = fields.index(named: name) else { throw JSONDecodingError.unknownField }
            if !scanner.take(word: "null") { try fields.places[index].apply(&self, in: message) }
        } while scanner.take(",")
        try scanner.expect("}")
    }

    mutating func scalar<F: FieldType>(_ type: F.Type, _ field: FieldPlace, at place: UnsafeMutableRawPointer) throws {
        switch field.shape {
        case .plain: place.assumingMemoryBound(to: F.BaseType.self).pointee = try F.readJSON(from: &scanner)
        case .presence:
            place.assumingMemoryBound(to: Presence<F.BaseType>.self).pointee.value = try F.readJSON(from: &scanner)
        case .repeated:
            let values = place.assumingMemoryBound(to: [F.BaseType].self)
            try elements { values.pointee.append(try F.readJSON(from: &$0.scanner)) }
        case .map: try entries(F.self, into: &place.assumingMemoryBound(to: [Int32: F.BaseType].self).pointee)
        }
    }

    mutating func enumeration(_ type: any Enum.Type, _ field: FieldPlace, at place: UnsafeMutableRawPointer) throws {
        let number: Int?
        if scanner.next() == UInt8(ascii: "\"") {
            let name = try scanner.string()
            number = type.names.first { $0.value == name }?.key
        } else {
            number = Int(try scanner.integer() as Int32)
        }
        guard let number, type.set(number, field.shape, at: place) else {
            throw JSONDecodingError.unrecognizedEnumValue
        }
    }

    mutating func message(_ type: any Message.Type, _ field: FieldPlace, at place: UnsafeMutableRawPointer) throws {
        func merge(_ reader: inout Self) throws {
            try type.merge(into: place, field.shape) { try reader.object(into: $0, type.fields) }
        }
        if case .repeated = field.shape { try elements(merge) } else { try merge(&self) }
    }

    private mutating func elements(_ read: (inout Self) throws -> Void) throws {
        try scanner.expect("[")
        if scanner.take("]") { return }
        repeat {
            if scanner.take(word: "null") { throw JSONDecodingError.illegalNull }
            try read(&self)
        } while scanner.take(",")
        try scanner.expect("]")
    }

    private mutating func entries<F: FieldType>(_ type: F.Type, into map: inout [Int32: F.BaseType]) throws {
        try scanner.expect("{", otherwise: .malformedMap)
        if scanner.take("}") { return }
        repeat {
            guard scanner.next() == UInt8(ascii: "\"") else { throw JSONDecodingError.unquotedMapKey }
            let key = try ProtobufInt32.readJSON(from: &scanner)
            try scanner.expect(":")
            if scanner.take(word: "null") { throw JSONDecodingError.illegalNull }
            map[key] = try F.readJSON(from: &scanner)
        } while scanner.take(",")
        try scanner.expect("}")
    }
}
