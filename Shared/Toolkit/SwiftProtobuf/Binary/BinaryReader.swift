/// Why bytes are no message.
package enum BinaryDecodingError: Error, Equatable {
    /// They end within a field.
    case truncated
    /// A tag isn't one, a group has no end, or a number has more than 64 bits.
    case malformedProtobuf
    /// A string isn't UTF-8.
    case invalidUTF8
    /// Messages contain each other more often than the options allow.
    case messageDepthLimit
}

/// How a field's value is framed.
/// https://protobuf.dev/programming-guides/encoding/#structure
enum WireType: UInt8 {
    /// Seven bits a byte, the lowest first.
    case varint = 0
    /// Eight bytes.
    case fixed64 = 1
    /// A length, and as many bytes.
    case lengthDelimited = 2
    /// Fields until the end of the group; only in unknown fields.
    case startGroup = 3
    /// The end of a group.
    case endGroup = 4
    /// Four bytes.
    case fixed32 = 5
}

/// Reads bytes from the front. It doesn't keep them: it must not be used longer than they exist.
struct BinaryReader {
    var position: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>

    init(from start: UnsafePointer<UInt8>, count: Int) {
        position = start
        end = start + count
    }

    var isAtEnd: Bool { position == end }

    /// A number of up to 64 bits. More bytes than it needs are allowed, up to ten.
    mutating func varint() throws(BinaryDecodingError) -> UInt64 {
        guard position < end else { throw .truncated }
        let first = position.pointee
        position += 1
        return first < 0x80 ? UInt64(first) : try varint(behind: first)
    }

    mutating func varint(behind first: UInt8) throws(BinaryDecodingError) -> UInt64 {
        var value = UInt64(first & 0x7F)
        var shift: UInt64 = 7
        while position < end {
            let byte = position.pointee
            position += 1
            guard shift < 63 || byte <= 1 else { throw .malformedProtobuf }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw .truncated
    }

    /// A number of fixed length.
    mutating func fixed<Number: FixedWidthInteger>(_ type: Number.Type) throws(BinaryDecodingError) -> Number {
        let start = position
        try skip(MemoryLayout<Number>.size)
        return Number(littleEndian: UnsafeRawPointer(start).loadUnaligned(as: Number.self))
    }

    /// Tags and lengths have 32 bits. Other libraries read no more than this of one.
    private static let longestTag = 5

    /// The bytes behind a length.
    mutating func delimited() throws(BinaryDecodingError) -> BinaryReader {
        let first = position
        let length = try varint()
        guard length <= UInt64(end - position) else { throw .truncated }
        guard position - first <= Self.longestTag else { throw .malformedProtobuf }
        let start = position
        position += Int(length)
        return BinaryReader(from: start, count: Int(length))
    }

    mutating func skip(_ count: Int) throws(BinaryDecodingError) {
        guard count <= end - position else { throw .truncated }
        position += count
    }

    /// The rest of the bytes.
    var rest: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: position, count: end - position) }

    /// Skips the value of a field.
    /// - Parameter depth: How many groups the value may nest.
    mutating func skip(
        _ wireType: WireType, fieldNumber: UInt64, depth: Int
    ) throws(BinaryDecodingError) {
        switch wireType {
        case .varint: _ = try varint()
        case .fixed64: try skip(8)
        case .fixed32: try skip(4)
        case .lengthDelimited: _ = try delimited()
        case .endGroup: throw .malformedProtobuf
        case .startGroup:
            guard depth > 0 else { throw .messageDepthLimit }
            while true {
                let (number, type) = try tag()
                if type == .endGroup, number == fieldNumber { return }
                try skip(type, fieldNumber: number, depth: depth - 1)
            }
        }
    }

    /// A field's number and type.
    mutating func tag() throws(BinaryDecodingError) -> (number: UInt64, WireType) {
        let first = position
        let tag = try varint()
        guard position - first <= Self.longestTag, tag >> 3 != 0, tag <= UInt64(UInt32.max),
            let type = WireType(rawValue: UInt8(tag & 7))
        else { throw .malformedProtobuf }
        return (tag >> 3, type)
    }
}
