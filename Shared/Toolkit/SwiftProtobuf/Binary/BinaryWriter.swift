/// Writes a message's bytes.
struct BinaryWriter {
    var bytes: [UInt8] = []

    /// A number in as few bytes as it needs.
    mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// A number of fixed length.
    mutating func fixed(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Bytes, behind their length.
    mutating func delimited(_ content: UnsafeRawBufferPointer) {
        varint(UInt64(content.count))
        bytes.append(contentsOf: content)
    }

    mutating func tag(_ fieldNumber: Int, _ wireType: WireType) {
        varint(UInt64(fieldNumber) << 3 | UInt64(wireType.rawValue))
    }

    /// Starts a field of as yet unknown length, for which it keeps one byte.
    mutating func begin(_ fieldNumber: Int) -> Int {
        tag(fieldNumber, .lengthDelimited)
        bytes.append(0)
        return bytes.count
    }

    /// Ends a field.
    ///
    /// Content of more than 127 bytes moves by the bytes that its length needs beyond the first one, once for each message around it.
    mutating func end(from start: Int) {
        let length = bytes.count - start
        if length < 0x80 {
            bytes[start - 1] = UInt8(length)
        } else {
            insert(length: length, at: start)
        }
    }

    mutating func insert(length: Int, at start: Int) {
        var writer = BinaryWriter()
        writer.varint(UInt64(length))
        bytes.replaceSubrange((start - 1)..<start, with: writer.bytes)
    }
}
