import ExposureKeys

/// A key as it stands in a published file: field 7 of `TemporaryExposureKeyExport`, written without an object in between.
///
/// A day has hundreds of thousands of them, and messages made by the protobuf library would take longer than all the rest.
enum WireKeyRecord {
    /// Bytes of a record with the longest values there are.
    static let longest = 2 + 2 + 16 + 2 + 6 + 3 + 2 + 11

    /// Tags as on the wire: field number times eight, plus the type.
    private enum Tag {
        static let key: UInt8 = 7 << 3 | 2
        static let data: UInt8 = 1 << 3 | 2
        static let level: UInt8 = 2 << 3
        static let start: UInt8 = 3 << 3
        static let period: UInt8 = 4 << 3
        static let reportType: UInt8 = 5 << 3
        static let daysSinceOnset: UInt8 = 6 << 3
    }

    /// Appends one record, its fields in the order of their numbers, all of them present.
    static func append(_ key: ExportedKey, to bytes: inout [UInt8]) {
        bytes.append(Tag.key)
        // No record reaches 128 bytes, so its length is one byte, which is known at the end.
        let length = bytes.count
        bytes.append(0)
        bytes.append(Tag.data)
        bytes.append(16)
        key.data.append(to: &bytes)
        bytes.append(Tag.level)
        append(UInt64(key.transmissionRiskLevel.rawValue), to: &bytes)
        bytes.append(Tag.start)
        append(UInt64(key.rollingPeriod.start.rawValue), to: &bytes)
        bytes.append(Tag.period)
        append(UInt64(key.rollingPeriod.length), to: &bytes)
        bytes.append(Tag.reportType)
        append(UInt64(key.reportType.rawValue), to: &bytes)
        if let days = key.daysSinceOnsetOfSymptoms {
            bytes.append(Tag.daysSinceOnset)
            // `sint32`: zigzag.
            append(UInt64(UInt32(bitPattern: days << 1 ^ days >> 31)), to: &bytes)
        }
        bytes[length] = UInt8(truncatingIfNeeded: bytes.count - length - 1)
    }

    /// A varint.
    private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 128 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}
