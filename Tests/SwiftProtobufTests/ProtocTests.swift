import TestSupport
import Testing

@testable import SwiftProtobuf

/// What protoc, another implementation, makes of the same messages. Skipped where it isn't installed.
@Suite("protoc agrees", .enabled(if: Protoc.isInstalled), .heavy)
struct ProtocTests {
    /// Random messages of every type, by their number in ``Sample/all``.
    private static func messages(seed: UInt64, each count: Int) throws -> [(number: Int, message: any Message)] {
        var randomness = SeededGenerator(seed: seed)
        return try Sample.all.enumerated().flatMap { index, sample in
            try (0..<count).map { _ in (index + 1, try RandomMessage.of(sample.type, by: &randomness)) }
        }
    }

    private static func recoded(_ bytes: [UInt8], as type: any Message.Type) throws -> [UInt8] {
        try type.init(serializedBytes: bytes).bytes()
    }

    @Test("the generated code has every message and field of the schemas, with its names and number")
    func schemas() throws {
        let schemas = try SchemaMessage.all(in: Protoc.descriptors())
        #expect(Set(schemas.keys) == Set(Sample.all.map(\.name)) && schemas.count == Sample.all.count)
        for sample in Sample.all {
            let table = sample.type.fields
            let fields = zip(table.places, table.names).map { place, names in
                SchemaMessage.Field(number: place.number, name: names.proto, json: names.json)
            }
            #expect(schemas[sample.name]?.fields == fields, "\(sample)")
        }
    }

    @Test("random values of every message have the bytes that protoc makes of their text, and are read from them again")
    func encoding() throws {
        let messages = try Self.messages(seed: 1, each: 20)
        let text = try messages.map { "f\($0.number) {\n\(try TextWriter.text(of: $0.message))}\n" }.joined()
        let theirs = try Protoc.encode(Array(text.utf8))
        try #require(theirs.count == messages.count)
        for ((number, message), bytes) in zip(messages, theirs) {
            #expect(try message.bytes() == bytes, "\(type(of: message).protoMessageName)")
            #expect(try Self.recoded(bytes, as: Sample.all[number - 1].type) == bytes)
        }
    }

    @Test("two messages one after the other are merged as protoc merges them")
    func merging() throws {
        let pairs = zip(try Self.messages(seed: 2, each: 10), try Self.messages(seed: 3, each: 10))
        let merged = try pairs.map { ($0.number, try $0.message.bytes() + $1.message.bytes()) }
        let ours = try merged.map { try Self.recoded($1, as: Sample.all[$0 - 1].type) }
        let theirs = try Protoc.encode(Protoc.decode(merged))
        try #require(ours.count == theirs.count)
        for (index, pair) in zip(ours, theirs).enumerated() {
            let sample = Sample.all[index / 10]
            // protoc's text has each entry of a map's key, so the last one has to be chosen once more.
            #expect(try Self.recoded(pair.1, as: sample.type) == pair.0, "\(sample)")
        }
    }
}
