import Foundation
import Testing

/// A protobuf message read without a schema: by field numbers, as they stand in the bytes.
struct RawMessage {
    enum Value: Equatable, Sendable {
        case integer(Int64)
        case double(Double)
        case bytes([UInt8])

        static func text(_ text: String) -> Value { .bytes(Array(text.utf8)) }
    }

    private let fields: [(number: Int, value: Value)]

    init(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        func varint() throws -> UInt64 {
            var value: UInt64 = 0
            for shift in stride(from: 0, to: 64, by: 7) {
                let next = rest.popFirst()
                let byte = try #require(next)
                value |= UInt64(byte & 0x7F) << UInt64(shift)
                if byte < 0x80 { break }
            }
            return value
        }
        var fields: [(number: Int, value: Value)] = []
        while !rest.isEmpty {
            let tag = try varint()
            let value: Value
            switch tag & 7 {
            case 0: value = .integer(Int64(bitPattern: try varint()))
            case 1:
                try #require(rest.count >= 8)
                let bits = rest.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                rest.removeFirst(8)
                value = .double(Double(bitPattern: bits))
            case 2:
                let length = Int(try varint())
                try #require(rest.count >= length)
                value = .bytes(Array(rest.prefix(length)))
                rest.removeFirst(length)
            default: throw CocoaError(.fileReadCorruptFile)
            }
            fields.append((Int(tag >> 3), value))
        }
        self.fields = fields
    }

    /// What stands at a path of field numbers, such as `7.3.1`; `5#2` is the third of the fields with number 5.
    subscript(path: String) -> Value? {
        get throws {
            let steps = path.split(separator: ".")
            let first = try #require(steps.first).split(separator: "#")
            let (number, position) = (Int(first[0]), first.count > 1 ? Int(first[1]) ?? 0 : 0)
            let matching = fields.filter { $0.number == number }
            guard position < matching.count else { return nil }
            let value = matching[position].value
            guard steps.count > 1 else { return value }
            guard case .bytes(let nested) = value else { return nil }
            return try RawMessage(nested)[steps.dropFirst().joined(separator: ".")]
        }
    }
}
