import Crypto

/// A SHA-256 or HMAC-SHA-256 value: the only form in which secrets are stored, so that a stolen database opens nothing.
package struct Digest: Hashable, Sendable {
    /// Exactly 32 bytes.
    package let bytes: [UInt8]

    /// Bytes of a SHA-256 value.
    package static let count = 32

    /// Nil unless there are exactly 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.count else { return nil }
        self.bytes = bytes
    }

    /// SHA-256, for secrets that are too long to be guessed, such as tokens and TANs.
    package init(sha256 input: some Sequence<UInt8>) {
        bytes = Array(SHA256.hash(data: Array(input)))
    }

    fileprivate init(hmac code: HMAC<SHA256>.MAC) {
        bytes = Array(code)
    }

    /// Nil unless the text is 64 hexadecimal digits of either case.
    package init?(hex: some StringProtocol) {
        guard let bytes = [UInt8](hex: hex) else { return nil }
        self.init(bytes: bytes)
    }

    /// 64 lower-case hexadecimal digits.
    package var hex: String { bytes.hex }
}

/// A 256-bit key for keyed hashes. It has no description and is never logged or stored.
package struct HashKey: Sendable {
    private let key: SymmetricKey

    /// Bytes of a key: as many as the hash has.
    package static let count = 32

    /// Nil unless there are exactly 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.count else { return nil }
        key = SymmetricKey(data: bytes)
    }

    /// HMAC-SHA-256 over a purpose and the parts, each preceded by its length, so that no two lists of parts have the same
    /// input, and a digest for one purpose isn't valid for another.
    package func digest(for purpose: StaticString, _ parts: [UInt8]...) -> Digest {
        var hash = HMAC<SHA256>(key: key)
        for part in [Array(purpose.description.utf8)] + parts {
            withUnsafeBytes(of: UInt64(part.count).bigEndian) { hash.update(data: $0) }
            hash.update(data: part)
        }
        return Digest(hmac: hash.finalize())
    }
}

extension [UInt8] {
    /// Nil unless the text is an even number of hexadecimal digits of either case.
    package init?(hex: some StringProtocol) {
        let digits = hex.utf8.map { digit -> UInt8 in
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
            default: .max
            }
        }
        guard digits.count.isMultiple(of: 2), !digits.contains(.max) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// Two lower-case hexadecimal digits a byte.
    package var hex: String {
        let digits = Array<UInt8>("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
