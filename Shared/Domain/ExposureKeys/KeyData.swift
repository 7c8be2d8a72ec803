/// The 16 random bytes of a temporary exposure key.
///
/// They are stored inline, as two integers: an hour may have more than a million keys, and allocating an array for each would
/// cost more than all other work with them.
package struct KeyData: Hashable, Comparable, Sendable, BitwiseCopyable {
    /// The first eight bytes, big-endian.
    package let high: UInt64
    /// The last eight bytes, big-endian.
    package let low: UInt64

    /// The number of bytes in a key.
    package static let count = 16

    /// A key from two integers, for example random ones.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Nil unless there are exactly 16 bytes.
    package init?(_ bytes: some Sequence<UInt8>) {
        let inPlace = bytes.withContiguousStorageIfAvailable { Self(UnsafeRawBufferPointer($0)) }
        guard let key = inPlace ?? Array(bytes).withUnsafeBytes({ Self($0) }) else { return nil }
        self = key
    }

    /// Nil unless there are exactly 16 bytes.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.count else { return nil }
        high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    /// Calls `body` with the 16 bytes in place, without an array.
    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try Swift.withUnsafeBytes(of: (high.bigEndian, low.bigEndian), body)
    }

    /// The 16 bytes in a new array.
    package var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// Appends the 16 bytes to a buffer.
    package func append(to buffer: inout [UInt8]) {
        withUnsafeBytes { buffer.append(contentsOf: $0) }
    }

    /// Unsigned lexicographic order of the bytes.
    package static func < (left: KeyData, right: KeyData) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }
}
