import ExposureKeys

/// The bytes around the 16 bytes of a key in a record, field 7 of `TemporaryExposureKeyExport`.
///
/// They are equal for all keys with the same metadata.
///
/// All fields are written, in the order of their numbers. Report type and days since onset encode the risk level
/// (``ExportedKey``).
struct RecordShape: BitwiseCopyable {
    /// The record's tag and length, then the key data's tag and length: four bytes, little-endian.
    let head: UInt32
    /// The other fields: up to sixteen bytes, little-endian.
    let tail: (UInt64, UInt64)
    /// The length of a whole record.
    let length: Int

    /// Possible lengths of records, from the shortest start and period to the longest.
    static let lengths = 30...35

    /// The number of bytes that aren't the key's.
    var surrounding: Int { length - KeyData.count }

    init(of key: PublishedKey) {
        var (low, high, count): (UInt64, UInt64, UInt64) = (0, 0, 0)
        func append(_ byte: UInt64) {
            if count < 8 { low |= byte << (8 * count) } else { high |= byte << (8 * (count - 8)) }
            count += 1
        }
        func append(field: UInt64, _ value: UInt64) {
            append(field << 3)
            var rest = value
            while rest >= 128 {
                append(rest & 127 | 128)
                rest >>= 7
            }
            append(rest)
        }
        append(field: 2, UInt64(key.level))
        append(field: 3, UInt64(key.rollingStart))
        append(field: 4, UInt64(key.rollingPeriod))
        append(field: 5, UInt64(ExportedKey.reportType(forLevel: Int(key.level)).rawValue))
        // `sint32`: zigzag, and never negative here.
        append(field: 6, UInt64(ExportedKey.infectiousness(forLevel: Int(key.level))) << 1)
        tail = (low, high)
        length = 4 + KeyData.count + Int(count)
        // All lengths are below 128, so each is one byte.
        let data = UInt32(1 << 3 | 2) | UInt32(KeyData.count) << 8
        head = UInt32(7 << 3 | 2) | UInt32(2 + KeyData.count + Int(count)) << 8 | data << 16
    }
}
