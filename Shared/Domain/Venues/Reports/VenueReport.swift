/// A report about a visit to a venue ("venue report v1"): who was there can read it, to everybody else it is random bytes.
///
/// 16 bytes of initialization vector, 9 of AES-256-CTR ciphertext, 32 of HMAC-SHA-256 over both: the construction of Apple's
/// "Exposure Notifications: Off-Device Venue Check-Ins" (2021), which has no name of a venue, so that reports of one venue, or of
/// one person, can't be told to belong together. The document leaves key derivation and widths open; ``VenueSeed`` has them.
package struct VenueReport: Hashable, Sendable {
    /// Exactly 57 bytes.
    package let bytes: [UInt8]

    /// The number of bytes in a report.
    package static let count = 16 + 9 + 32

    /// Nil unless there are exactly 57 bytes.
    package init?(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == Self.count else { return nil }
        self.bytes = bytes
    }

    /// 57 random bytes, which are the report of no venue: nobody without a seed can tell them from one.
    package init(using random: inout some RandomNumberGenerator) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.count + 7)
        while bytes.count < Self.count {
            withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) }
        }
        self.bytes = Array(bytes.prefix(Self.count))
    }

    /// The initialization vector, 16 bytes.
    package var initializationVector: ArraySlice<UInt8> { bytes[0..<16] }
    /// Start, end and transmission risk level, encrypted: 9 bytes.
    package var encryptedRecord: ArraySlice<UInt8> { bytes[16..<25] }
    /// What the authentication code covers: vector and ciphertext, 25 bytes.
    package var authenticated: ArraySlice<UInt8> { bytes[0..<25] }
    /// The authentication code, 32 bytes.
    package var authenticationCode: ArraySlice<UInt8> { bytes[25..<57] }
}

extension VenueReport: Comparable {
    /// Compares the bytes, so that the order depends on content alone. As vectors are random, it is a shuffle that anybody can repeat.
    package static func < (left: VenueReport, right: VenueReport) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
