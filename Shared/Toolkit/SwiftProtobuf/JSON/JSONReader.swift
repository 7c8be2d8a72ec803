/// Decodes a message's fields from protobuf JSON.
struct JSONReader: Decoder {
    private var scanner: JSONScanner
    private let names: _NameMap
    /// How many messages may still be within each other, this one not counted.
    private let depth: Int
    private var isFirst = true

    /// Merges an object's fields into a message.
    static func read<M: Message>(
        _ message: inout M, from scanner: inout JSONScanner, depth: Int = 100
    ) throws {
        guard depth > 0 else { throw JSONDecodingError.messageDepthLimit }
        try scanner.expect("{")
        var reader = JSONReader(scanner: scanner, names: M._protobuf_nameMap, depth: depth - 1)
        try message.decodeMessage(decoder: &reader)
        scanner = reader.scanner
    }

    /// Null is allowed for every field, and says nothing.
    mutating func nextFieldNumber() throws -> Int? {
        while true {
            if scanner.take("}") { return nil }
            if !isFirst { try scanner.expect(",") }
            isFirst = false
            let name = try scanner.string()
            try scanner.expect(":")
            guard let number = names.number(named: name) else { throw JSONDecodingError.unknownField }
            if !scanner.take(word: "null") { return number }
        }
    }

    mutating func value<F: FieldType>(_ type: F.Type) throws -> F.BaseType? { try F.readJSON(from: &scanner) }

    mutating func enumValue<E: Enum>(_ type: E.Type) throws -> E? {
        let number: Int?
        if scanner.next() == UInt8(ascii: "\"") {
            number = E._protobuf_nameMap.number(named: try scanner.string())
        } else {
            number = Int(try scanner.integer() as Int32)
        }
        guard let number, let value = E(rawValue: number) else { throw JSONDecodingError.unrecognizedEnumValue }
        return value
    }

    mutating func decodeRepeated<F: FieldType>(_ type: F.Type, value: inout [F.BaseType]) throws {
        try elements { scanner in value.append(try F.readJSON(from: &scanner)) }
    }

    mutating func decodeSingularMessageField<M: Message>(value: inout M?) throws {
        var message = value ?? M()
        try Self.read(&message, from: &scanner, depth: depth)
        value = message
    }

    mutating func decodeRepeatedMessageField<M: Message>(value: inout [M]) throws {
        let depth = depth
        try elements { scanner in
            var message = M()
            try Self.read(&message, from: &scanner, depth: depth)
            value.append(message)
        }
    }

    private mutating func elements(_ read: (inout JSONScanner) throws -> Void) throws {
        try scanner.expect("[")
        if scanner.take("]") { return }
        repeat {
            if scanner.take(word: "null") { throw JSONDecodingError.illegalNull }
            try read(&scanner)
        } while scanner.take(",")
        try scanner.expect("]")
    }

    mutating func decodeMapField<K: MapFieldType, V: MapFieldType>(
        fieldType: _ProtobufMap<K, V>.Type, value: inout [K.BaseType: V.BaseType]
    ) throws {
        try scanner.expect("{", otherwise: .malformedMap)
        if scanner.take("}") { return }
        repeat {
            guard scanner.next() == UInt8(ascii: "\"") else { throw JSONDecodingError.unquotedMapKey }
            let key = try K.readJSON(from: &scanner)
            try scanner.expect(":")
            if scanner.take(word: "null") { throw JSONDecodingError.illegalNull }
            value[key] = try V.readJSON(from: &scanner)
        } while scanner.take(",")
        try scanner.expect("}")
    }
}
