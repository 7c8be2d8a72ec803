/// What a phone broadcasts for about ten minutes; whoever hears it can't link it to the next one.
///
/// The 16 bytes are kept in place, as two integers: a phone that was in company for two weeks has heard tens of thousands.
package struct RollingProximityIdentifier: Hashable, Sendable, BitwiseCopyable {
    /// The first eight bytes, the first of them in the lowest place.
    package let first: UInt64
    /// The last eight bytes, likewise.
    package let second: UInt64

    /// Bytes of an identifier.
    package static let count = 16

    /// An identifier of two integers as they are kept.
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
