/// 122 random bits in the form of a lower-case UUID version 4 (RFC 9562, section 5.4), which registration tokens and TANs have
/// on the wire (corona-warn-app/cwa-verification-server: `RegistrationToken.java`, `Tan.java`).
package struct RandomIdentifier: Hashable, Sendable {
    /// Exactly 16 bytes, version and variant bits included.
    package let bytes: [UInt8]

    /// Creates an identifier from fresh randomness.
    package init(using randomness: inout some RandomNumberGenerator) {
        // Two words only, because each use of the system's generator is a system call.
        self.init(shaping: (0..<2).flatMap { _ in withUnsafeBytes(of: randomness.next()) { Array($0) } })
    }

    /// The first 16 bytes of a keyed hash, so that a holder of the key can recompute the identifier.
    package init(_ digest: Digest) {
        self.init(shaping: Array(digest.bytes.prefix(16)))
    }

    /// The identifier of 122 bits: all that aren't version or variant, from the first to the last.
    init(freeBits bits: UInt128) {
        let high = UInt64(truncatingIfNeeded: bits >> 74) << 16 | UInt64(truncatingIfNeeded: bits >> 62) & 0xfff
        let low = UInt64(truncatingIfNeeded: bits) & (1 << 62 - 1)
        self.init(shaping: [high, low].flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } })
    }

    /// The inverse of ``init(freeBits:)``.
    var freeBits: UInt128 {
        let words = bytes.withUnsafeBytes { bytes in
            (0..<2).map { UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self)) }
        }
        return UInt128(words[0] >> 16) << 74 | UInt128(words[0] & 0xfff) << 62 | UInt128(words[1] & (1 << 62 - 1))
    }

    private init(shaping bytes: [UInt8]) {
        var bytes = bytes
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        self.bytes = bytes
    }

    /// Nil unless the text is a UUID version 4 of the RFC's variant in lower case, as the contract's pattern requires.
    package init?(_ text: some StringProtocol) {
        let characters = Array(text.utf8)
        let dashes: Set = [8, 13, 18, 23]
        guard characters.count == 36, dashes.allSatisfy({ characters[$0] == UInt8(ascii: "-") }),
            !characters.contains(where: { (UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0) }),
            let bytes = [UInt8](hex: String(text.filter { $0 != "-" })), bytes.count == 16,
            bytes[6] >> 4 == 4, bytes[8] >> 6 == 2
        else { return nil }
        self.bytes = bytes
    }

    /// 36 characters, lower case with dashes: the secret as sent on the wire; not for logs.
    package var text: String {
        let hex = Array(bytes.hex.utf8)
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
        return groups.map { String(decoding: hex[$0], as: UTF8.self) }.joined(separator: "-")
    }
}

/// The token that a phone holds after registering a test. It gives access to the result and the TAN.
package struct RegistrationToken: Hashable, Sendable {
    /// The token as a plain identifier.
    package let identifier: RandomIdentifier

    /// Declares an identifier to be a token; only the type distinguishes it from a TAN.
    package init(_ identifier: RandomIdentifier) { self.identifier = identifier }

    /// Nil unless the text has the form of a token.
    package init?(_ text: some StringProtocol) {
        guard let identifier = RandomIdentifier(text) else { return nil }
        self.identifier = identifier
    }

    /// The token as a phone holds and sends it; not for logs.
    package var text: String { identifier.text }
    /// The digest that is stored.
    package var digest: Digest { Digest(sha256: text.utf8) }
}

/// A transaction number, which authorises one upload.
package struct TAN: Hashable, Sendable {
    /// The TAN as a plain identifier.
    package let identifier: RandomIdentifier

    /// Declares an identifier to be a TAN; only the type distinguishes it from a token.
    package init(_ identifier: RandomIdentifier) { self.identifier = identifier }

    /// Nil unless the text has the form of a TAN.
    package init?(_ text: some StringProtocol) {
        guard let identifier = RandomIdentifier(text) else { return nil }
        self.identifier = identifier
    }

    /// The TAN as a phone holds and sends it; not for logs.
    package var text: String { identifier.text }
}

extension RegistrationToken: CustomStringConvertible {
    package var description: String { "redacted" }
}

extension TAN: CustomStringConvertible {
    package var description: String { "redacted" }
}
