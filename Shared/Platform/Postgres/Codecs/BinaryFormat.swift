// PostgreSQL's binary format is big-endian throughout.

extension [UInt8] {
    mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    /// Overwrites four bytes, for a length that is known only afterwards.
    mutating func store(bigEndian value: Int32, at offset: Int) {
        let bits = UInt32(bitPattern: value)
        self[offset] = UInt8(truncatingIfNeeded: bits >> 24)
        self[offset + 1] = UInt8(truncatingIfNeeded: bits >> 16)
        self[offset + 2] = UInt8(truncatingIfNeeded: bits >> 8)
        self[offset + 3] = UInt8(truncatingIfNeeded: bits)
    }
}

extension RawSpan {
    /// The integer that begins at `offset`; nil if it would end outside.
    func bigEndian<Value: FixedWidthInteger & BitwiseCopyable>(_: Value.Type, at offset: Int = 0) -> Value? {
        guard offset >= 0, byteCount - offset >= MemoryLayout<Value>.size else { return nil }
        return Value(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: Value.self))
    }

    /// All bytes as one integer; nil if there are more or fewer than it has.
    func exactly<Value: FixedWidthInteger & BitwiseCopyable>(_: Value.Type) -> Value? {
        byteCount == MemoryLayout<Value>.size ? bigEndian(Value.self) : nil
    }

    /// A copy of the bytes.
    var copied: [UInt8] {
        withUnsafeBytes { Array($0) }
    }
}
