/// The fields of a small protobuf message, by their numbers: for a QR code's payload, and for the one block of a report.
///
/// Numbers and bytes only, each field at most once: that is what the published apps write.
struct ProtobufFields {
    private enum Value {
        case number(UInt64)
        case bytes(ArraySlice<UInt8>)
    }

    private var fields: [UInt64: Value] = [:]

    /// Nil for bytes that are no message, for other types of fields, and for a field that is given twice.
    init?(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while !rest.isEmpty {
            guard let tag = Self.varint(&rest), tag >> 3 > 0 else { return nil }
            let value: Value
            switch tag & 7 {
            case 0:
                guard let number = Self.varint(&rest) else { return nil }
                value = .number(number)
            case 2:
                guard let count = Self.varint(&rest).flatMap(Int.init(exactly:)), count <= rest.count else {
                    return nil
                }
                value = .bytes(rest.prefix(count))
                rest = rest.dropFirst(count)
            default: return nil
            }
            guard fields.updateValue(value, forKey: tag >> 3) == nil else { return nil }
        }
    }

    /// 0 if the field is missing, as in every message of version 3.
    func number(_ field: UInt64) -> UInt64 {
        if case .number(let number) = fields[field] { number } else { 0 }
    }

    /// Empty if the field is missing.
    func bytes(_ field: UInt64) -> ArraySlice<UInt8> {
        if case .bytes(let bytes) = fields[field] { bytes } else { [] }
    }

    /// A message within this one; without fields if it is missing. Nil if its bytes are none.
    func message(_ field: UInt64) -> ProtobufFields? { ProtobufFields(bytes(field)) }

    /// A message of numbers, in the order given. Zero is written, too.
    static func encode(_ numbers: [(field: UInt8, number: UInt32)]) -> [UInt8] {
        numbers.flatMap { field, number in
            var bytes = [field << 3]
            var rest = number
            while rest >= 0x80 {
                bytes.append(UInt8(rest & 0x7f) | 0x80)
                rest >>= 7
            }
            return bytes + [UInt8(rest)]
        }
    }

    private static func varint(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = bytes.popFirst(), shift < 63 || byte < 2 else { return nil }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}
