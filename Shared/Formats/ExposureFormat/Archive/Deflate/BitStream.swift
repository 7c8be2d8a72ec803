/// A stream of bits, least significant bit first, as DEFLATE defines it (RFC 1951, section 3.1.1).
struct BitStream: ~Copyable {
    private var bytes: UnsafeMutableRawBufferPointer
    private var position = 0
    private var bits: UInt64 = 0
    private var count: UInt64 = 0

    /// - Parameter capacity: in bytes; the buffer grows as needed.
    init(capacity: Int) {
        bytes = .allocate(byteCount: max(64, capacity), alignment: 8)
    }

    deinit { bytes.deallocate() }

    /// Writes up to 48 bits into reserved room. Bits above `length` must be 0.
    @inline(__always)
    mutating func write(_ value: UInt64, _ length: UInt64) {
        bits |= value << count
        count += length
    }

    /// Stores whole bytes; up to seven bits remain. Write at most 57 bits between two flushes.
    @inline(__always)
    mutating func flush() {
        bytes.storeBytes(of: bits.littleEndian, toByteOffset: position, as: UInt64.self)
        let whole = count >> 3
        position += Int(whole)
        bits >>= whole << 3
        count &= 7
    }

    /// Reserves room for this many bytes and one more word.
    mutating func reserve(_ more: Int) {
        guard position + more + 8 > bytes.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(bytes.count * 2, position + more + 8), alignment: 8)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<position]))
        bytes.deallocate()
        bytes = larger
    }

    /// All bytes, the last one padded with zeros.
    consuming func finish() -> [UInt8] {
        flush()
        let length = position + (count > 0 ? 1 : 0)
        return Array(bytes[..<length])
    }
}
