/// A key with which a client marks a repeated request: at least 128 random bits as text
/// (<https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/>).
///
/// It is a secret of the client: with the rest of the request it obtains the same answer again.
package struct IdempotencyKey: Hashable, Sendable, CustomStringConvertible {
    /// Without the quotes of the header's syntax. It must not be logged.
    package let text: String

    /// The fewest characters that can hold 128 bits in base64, and the most that are accepted.
    private static let length = 22...64

    /// Nil unless the text has 22 to 64 letters, digits, or characters of base64 and UUIDs, with or without quotes.
    package init?(_ text: some StringProtocol) {
        let isQuoted = text.utf8.count >= 2 && text.first == "\"" && text.last == "\""
        let bare = isQuoted ? String(text.dropFirst().dropLast()) : String(text)
        guard Self.length.contains(bare.utf8.count), bare.utf8.allSatisfy(Self.isAllowed) else { return nil }
        self.text = bare
    }

    /// Creates a key with 128 fresh bits.
    package init(using randomness: inout some RandomNumberGenerator) {
        text = (0..<2).flatMap { _ in withUnsafeBytes(of: randomness.next()) { Array($0) } }.hex
    }

    /// The key of a request that a keyed hash identifies: its 64 hexadecimal digits.
    package init(_ digest: Digest) { text = digest.hex }

    /// A key with 128 fresh bits of the system's randomness.
    package static var fresh: IdempotencyKey {
        var randomness = SystemRandomNumberGenerator()
        return IdempotencyKey(using: &randomness)
    }

    private static func isAllowed(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "+"),
            UInt8(ascii: "/"), UInt8(ascii: "="):
            true
        default: false
        }
    }

    package var description: String { "redacted" }
}
