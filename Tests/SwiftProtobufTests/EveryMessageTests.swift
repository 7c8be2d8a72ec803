import Foundation
import TestSupport
import Testing

@testable import SwiftProtobuf

/// What holds for random values of every message of the formats.
@Suite("Every message", .heavy)
struct EveryMessageTests {
    // MARK: Bytes

    @Test("a message that ends early is refused, unless it ends between two fields", arguments: Sample.all)
    func truncation(sample: Sample) throws {
        var randomness = SeededGenerator(seed: 4)
        for _ in 0..<3 {
            let bytes: [UInt8] = try RandomMessage.of(sample.type, by: &randomness).serializedBytes()
            let borders = try Self.borders(of: bytes)
            for count in 0..<min(bytes.count, 600) {
                let prefix = Array(bytes[..<count])
                if borders.contains(count) {
                    _ = try sample.type.init(serializedBytes: prefix)
                } else {
                    #expect(throws: BinaryDecodingError.truncated) { try sample.type.init(serializedBytes: prefix) }
                }
            }
        }
    }

    /// Where a message's fields start.
    private static func borders(of bytes: [UInt8]) throws -> Set<Int> {
        try bytes.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return [0] }
            var reader = BinaryReader(from: start, count: buffer.count)
            var borders: Set<Int> = [0]
            while !reader.isAtEnd {
                let (number, type) = try reader.tag()
                try reader.skip(type, fieldNumber: number, depth: 0)
                borders.insert(bytes.count - reader.rest.count)
            }
            return borders
        }
    }

    @Test("changed bytes are refused, or are a message that is written and read again", arguments: Sample.all)
    func mutations(sample: Sample) throws {
        var randomness = SeededGenerator(seed: 5)
        for _ in 0..<100 {
            let message = try RandomMessage.of(sample.type, by: &randomness)
            let changed = Data(try message.bytes()).mutated(using: &randomness)
            guard let read = try? sample.type.init(serializedBytes: changed) else { continue }
            let again = try read.bytes()
            #expect(try sample.type.init(serializedBytes: again).bytes() == again)
        }
    }

    @Test("a message has the same hash as its equal", arguments: Sample.all)
    func hashes(sample: Sample) throws {
        var randomness = SeededGenerator(seed: 6)
        let message = try RandomMessage.of(sample.type, by: &randomness)
        let copy = try type(of: message).init(serializedBytes: message.serializedBytes() as [UInt8])
        #expect(message.hashValue == copy.hashValue)
    }

    // MARK: JSON

    @Test("random values of every message are JSON, and are read again", arguments: Sample.all)
    func json(sample: Sample) throws {
        var randomness = SeededGenerator(seed: 7)
        for _ in 0..<20 {
            let message = try RandomMessage.of(sample.type, by: &randomness)
            let json = try message.jsonUTF8Bytes()
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(json)) }
            let again = try sample.type.init(jsonUTF8Bytes: json)
            #expect(try message.bytes() == again.bytes())
        }
    }

    @Test("a text that ends early is refused", arguments: Sample.all)
    func jsonTruncation(sample: Sample) throws {
        var randomness = SeededGenerator(seed: 8)
        let json = try RandomMessage.of(sample.type, by: &randomness).jsonUTF8Bytes()
        for count in stride(from: 0, to: json.count, by: json.count / 300 + 1) {
            #expect(throws: JSONDecodingError.self) { try sample.type.init(jsonUTF8Bytes: Array(json[..<count])) }
        }
    }

    @Test("changed text is refused, or is a message", arguments: Sample.all)
    func jsonMutations(sample: Sample) throws {
        var randomness = SeededGenerator(seed: 9)
        for _ in 0..<100 {
            let json = Data(try RandomMessage.of(sample.type, by: &randomness).jsonUTF8Bytes())
            do {
                _ = try sample.type.init(jsonUTF8Bytes: Array(json.mutated(using: &randomness)))
            } catch is JSONDecodingError {}
        }
    }
}
