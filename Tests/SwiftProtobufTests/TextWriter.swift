import FoundationEssentials

@testable import SwiftProtobuf

/// Writes a message in the text format, which protoc reads.
/// https://protobuf.dev/reference/protobuf/textformat-spec/
struct TextWriter: FieldOperation {
    private var text = ""
    private var name = ""

    static func text(of message: some Message) throws -> String {
        var writer = TextWriter()
        try message.withFields(reading: { try writer.write($0, type(of: message).fields) })
        return writer.text
    }

    private mutating func write(_ message: UnsafeRawPointer, _ fields: FieldTable) throws {
        for (field, names) in zip(fields.places, fields.names) {
            name = names.proto
            try field.apply(&self, reading: message)
        }
    }

    mutating func scalar<F: FieldType>(_ type: F.Type, _ field: FieldPlace, at place: UnsafeMutableRawPointer) {
        switch field.content(of: F.self, at: place) {
        case .nothing: break
        case .one(let value): text += "\(name): \(Self.text(of: value))\n"
        case .several(let values): for value in values { text += "\(name): \(Self.text(of: value))\n" }
        case .entries(let entries):
            for (key, value) in entries { text += "\(name) { key: \(key) value: \(Self.text(of: value)) }\n" }
        }
    }

    mutating func enumeration(_ type: any Enum.Type, _ field: FieldPlace, at place: UnsafeMutableRawPointer) {
        guard let number = type.number(field.shape, at: place) else { return }
        text += "\(name): \(type.names[number] ?? "\(number)")\n"
    }

    mutating func message(_ type: any Message.Type, _ field: FieldPlace, at place: UnsafeMutableRawPointer) throws {
        let name = name
        try type.show(place, field.shape) { message in
            text += "\(name) {\n"
            try write(message, type.fields)
            text += "}\n"
        }
    }

    private static func text(of value: some Any) -> String {
        switch value {
        case let real as Double: real.description
        // As the same number in twice as many bits, which protoc doesn't round again.
        case let real as Float: Double(real).description
        case let string as String: quoted(Array(string.utf8))
        case let data as Data: quoted(Array(data))
        default: "\(value)"
        }
    }

    /// Every byte as three octal digits.
    private static func quoted(_ bytes: [UInt8]) -> String {
        "\"" + bytes.map { "\\\($0 >> 6)\($0 >> 3 & 7)\($0 & 7)" }.joined() + "\""
    }
}
