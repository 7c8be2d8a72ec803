import Testing

@testable import SwiftProtobuf

/// A field whose type isn't known.
struct RawField {
    let number: Int
    /// Of a number, its low bits.
    var integer = 0
    /// Of anything with a length.
    var bytes: [UInt8] = []
    var text: String { String(decoding: bytes, as: UTF8.self) }

    static func fields(of message: [UInt8]) throws -> [RawField] {
        try message.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return [] }
            var reader = BinaryReader(from: start, count: buffer.count)
            var fields: [RawField] = []
            while !reader.isAtEnd {
                let (number, type) = try reader.tag()
                if type == .varint {
                    fields.append(RawField(number: Int(number), integer: Int(truncatingIfNeeded: try reader.varint())))
                } else {
                    try #require(type == .lengthDelimited)
                    fields.append(RawField(number: Int(number), bytes: Array(try reader.delimited().rest)))
                }
            }
            return fields
        }
    }
}

/// A message as a schema has it.
///
/// The numbers of fields are those of
/// https://github.com/protocolbuffers/protobuf/blob/v21.12/src/google/protobuf/descriptor.proto
struct SchemaMessage {
    struct Field: Equatable {
        let number: Int
        let name: String
        let json: String
    }

    /// In the order of their numbers.
    let fields: [Field]

    /// The messages by their full names, in a `FileDescriptorSet`.
    static func all(in descriptors: [UInt8]) throws -> [String: SchemaMessage] {
        var messages: [String: SchemaMessage] = [:]
        for file in try RawField.fields(of: descriptors) {
            let parts = try RawField.fields(of: file.bytes)
            guard let package = parts.first(where: { $0.number == 2 })?.text else { continue }
            for message in parts where message.number == 4 { try add(message.bytes, within: package, to: &messages) }
        }
        return messages
    }

    private static func add(
        _ descriptor: [UInt8], within scope: String, to messages: inout [String: SchemaMessage]
    ) throws {
        let parts = try RawField.fields(of: descriptor)
        // The entry of a map is a message with an option, and no other message has one.
        guard !parts.contains(where: { $0.number == 7 }) else { return }
        let name = "\(scope).\(try #require(parts.first { $0.number == 1 }).text)"
        for nested in parts where nested.number == 3 { try add(nested.bytes, within: name, to: &messages) }
        let fields = try parts.filter { $0.number == 2 }.map { field in
            let parts = try RawField.fields(of: field.bytes)
            return Field(
                number: try #require(parts.first { $0.number == 3 }).integer,
                name: try #require(parts.first { $0.number == 1 }).text,
                json: try #require(parts.first { $0.number == 10 }).text)
        }
        messages[name] = SchemaMessage(fields: fields.sorted { $0.number < $1.number })
    }
}
