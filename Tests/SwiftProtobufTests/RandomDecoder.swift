import FoundationEssentials
import TestSupport

@testable import SwiftProtobuf

/// Fills a message with random values, through the code that fills it with received ones.
struct RandomDecoder: Decoder {
    private(set) var randomness: SeededGenerator
    private var fields: [Int]

    static func message<M: Message>(_ type: M.Type = M.self, by randomness: inout SeededGenerator) throws -> M {
        var decoder = RandomDecoder(M.self, randomness)
        var message = M()
        try message.decodeMessage(decoder: &decoder)
        randomness = decoder.randomness
        return message
    }

    private init<M: Message>(_ type: M.Type, _ randomness: SeededGenerator) {
        var randomness = randomness
        fields = (1...127).filter { M._protobuf_nameMap.names(of: $0) != nil }
            .filter { _ in Int.random(in: 0..<4, using: &randomness) > 0 }
            .reversed()
        self.randomness = randomness
    }

    mutating func nextFieldNumber() -> Int? { fields.popLast() }

    mutating func value<F: FieldType>(_ type: F.Type) -> F.BaseType? { random(F.BaseType.self) }

    mutating func enumValue<E: Enum>(_ type: E.Type) -> E? {
        E(rawValue: Int.random(in: 0..<8, using: &randomness)) ?? E()
    }

    mutating func decodeRepeated<F: FieldType>(_ type: F.Type, value: inout [F.BaseType]) {
        for _ in 0..<count() { value += [random(F.BaseType.self)].compactMap(\.self) }
    }

    mutating func decodeSingularMessageField<M: Message>(value: inout M?) throws {
        value = try Self.message(by: &randomness)
    }

    mutating func decodeRepeatedMessageField<M: Message>(value: inout [M]) throws {
        for _ in 0..<count() { value.append(try Self.message(by: &randomness)) }
    }

    mutating func decodeMapField<K: MapFieldType, V: MapFieldType>(
        fieldType: _ProtobufMap<K, V>.Type, value: inout [K.BaseType: V.BaseType]
    ) {
        for _ in 0..<count() {
            if let key = random(K.BaseType.self), let content = random(V.BaseType.self) { value[key] = content }
        }
    }

    private mutating func count() -> Int { Int.random(in: 0..<3, using: &randomness) }

    // MARK: Scalars

    private mutating func random<T>(_ type: T.Type) -> T? {
        let bits = randomness.next()
        return switch type {
        case is Bool.Type: (bits % 2 == 0) as? T
        case is Int32.Type: Int32(truncatingIfNeeded: integer()) as? T
        case is Int64.Type: integer() as? T
        case is UInt32.Type: UInt32(truncatingIfNeeded: integer()) as? T
        case is UInt64.Type: UInt64(bitPattern: integer()) as? T
        case is Double.Type: real(Double(bitPattern: bits)) as? T
        case is Float.Type: real(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) as? T
        case is String.Type:
            String(
                (0..<bits % 20).compactMap { _ in "aZ09 \"\\'\n\u{0}\u{7F}äß漢👩‍🔬?{".randomElement(using: &randomness) })
                as? T
        case is Data.Type:
            Data((0..<bits % 5 * (bits >> 8 % 40)).map { _ in UInt8.random(in: 0...255, using: &randomness) }) as? T
        default: nil
        }
    }

    private mutating func integer() -> Int64 {
        let bits = Int64(bitPattern: randomness.next())
        let borders: [Int64] = [
            0, 1, -1, 127, 128, 16_383, 16_384, Int64(Int32.max), Int64(Int32.min), Int64(UInt32.max), .min, .max,
        ]
        return bits % 2 == 0
            ? borders.randomElement(using: &randomness) ?? 0 : bits >> Int64.random(in: 0..<64, using: &randomness)
    }

    private mutating func real<R: BinaryFloatingPoint>(_ bits: R) -> R {
        let borders: [R] = [
            0, -0.0, 1, -1.5, 0.1, .infinity, -.infinity, .nan, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
        ]
        if bits.isNaN { return .nan }
        return Bool.random(using: &randomness) ? borders.randomElement(using: &randomness) ?? 0 : bits
    }
}
