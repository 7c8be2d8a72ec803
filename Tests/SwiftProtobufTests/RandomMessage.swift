import FoundationEssentials
import TestSupport

@testable import SwiftProtobuf

/// Fills a message with random values.
struct RandomMessage: FieldOperation {
    private var randomness: SeededGenerator

    static func of<M: Message>(_ type: M.Type, by randomness: inout SeededGenerator) throws -> M {
        var filler = RandomMessage(randomness: randomness)
        var message = M()
        try message.withFields { try filler.fill($0, M.fields) }
        randomness = filler.randomness
        return message
    }

    private mutating func fill(_ message: UnsafeMutableRawPointer, _ fields: FieldTable) throws {
        for field in fields.places where Int.random(in: 0..<4, using: &randomness) > 0 {
            try field.apply(&self, in: message)
        }
    }

    mutating func scalar<F: FieldType>(_ type: F.Type, _ field: FieldPlace, at place: UnsafeMutableRawPointer) {
        typealias Value = F.BaseType
        switch field.shape {
        case .plain: place.assumingMemoryBound(to: Value.self).pointee = random(Value.self) ?? Value()
        case .presence: place.assumingMemoryBound(to: Presence<Value>.self).pointee.value = random(Value.self)
        case .repeated:
            place.assumingMemoryBound(to: [Value].self).pointee = (0..<count()).compactMap { _ in random(Value.self) }
        case .map:
            let keys = (0..<count()).compactMap { _ in random(Int32.self) }
            for key in keys {
                place.assumingMemoryBound(to: [Int32: Value].self).pointee[key] = random(Value.self)
            }
        }
    }

    mutating func enumeration(_ type: any Enum.Type, _ field: FieldPlace, at place: UnsafeMutableRawPointer) {
        _ = type.set(Int.random(in: 0..<8, using: &randomness), field.shape, at: place)
    }

    mutating func message(_ type: any Message.Type, _ field: FieldPlace, at place: UnsafeMutableRawPointer) throws {
        let isRepeated = if case .repeated = field.shape { true } else { false }
        for _ in 0..<(isRepeated ? count() : 1) {
            try type.merge(into: place, field.shape) { try fill($0, type.fields) }
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
