/// The identifier that a phone broadcasts for about ten minutes. Receivers can't link it to the next one.
///
/// The 16 bytes are stored inline, as two integers: a phone that was in company for two weeks has heard tens of thousands.
package struct RollingProximityIdentifier: Hashable, Sendable, BitwiseCopyable {
    /// The first eight bytes, little-endian.
    package let first: UInt64
    /// The last eight bytes, little-endian.
    package let second: UInt64

    /// The number of bytes in an identifier.
    package static let count = 16

    /// Creates an identifier from two integers in their stored form.
    package init(first: UInt64, second: UInt64) {
        self.first = first
        self.second = second
    }

    /// Nil unless there are exactly 16 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.count else { return nil }
        self = bytes.withUnsafeBytes { bytes in
            Self(
                first: UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)),
                second: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        }
    }

    /// The 16 bytes in a new array.
    package var bytes: [UInt8] { withUnsafeBytes(of: (first.littleEndian, second.littleEndian)) { Array($0) } }
}
