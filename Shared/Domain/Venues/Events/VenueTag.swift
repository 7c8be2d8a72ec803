import Crypto

/// What a tracer's entry and a phone's diary have in common: the name of a venue that is published in place of the venue.
///
/// There are two kinds. The tag of a venue with a seed is HMAC-SHA-256 of the day under the seed's authentication key: 32 bytes,
/// another one each day, which only who has the seed can tell to be this venue's. The tag of a venue with a number is SHA-384 of
/// the number: 48 bytes, always the same. It hides nothing, since there are few numbers and their register is public.
package struct VenueTag: Hashable, Sendable, CustomStringConvertible {
    /// 32 or 48 bytes.
    package let bytes: [UInt8]

    /// How a venue is named.
    package enum Kind: Sendable {
        /// By a seed and a day.
        case day
        /// By a ``GlobalLocationNumber``.
        case number
    }

    /// The kind, which follows from the length.
    package var kind: Kind { bytes.count == 32 ? .day : .number }

    /// Nil unless there are 32 or 48 bytes.
    package init?(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard [32, 48].contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    fileprivate init(unchecked bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// Nil unless the text is 64 or 96 hexadecimal digits of either case.
    package init?(hex: some StringProtocol) {
        let digits = hex.utf8.map { digit -> UInt8? in
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
            default: nil
            }
        }
        let known = digits.compactMap(\.self)
        guard known.count == digits.count, known.count.isMultiple(of: 2) else { return nil }
        self.init(stride(from: 0, to: known.count, by: 2).map { known[$0] << 4 | known[$0 + 1] })
    }

    /// Two lower-case hexadecimal digits a byte.
    package var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// A few digits by which two people can tell that they speak of the same venue.
    package var shortHex: String { "\(hex.prefix(4))-\(hex.dropFirst(4).prefix(4))" }

    package var description: String { hex }
}

extension VenueKeys {
    /// The venue's tag on a day: HMAC-SHA-256 over the ASCII text `venue-event` and the day's number in four bytes, big-endian.
    /// - Parameter day: days since 1970, UTC.
    package func tag(onDay day: UInt32) -> VenueTag {
        var code = HMAC<SHA256>(key: authentication)
        code.update(data: Array("venue-event".utf8))
        withUnsafeBytes(of: day.bigEndian) { code.update(data: $0) }
        return VenueTag(unchecked: code.finalize())
    }
}

/// The number of a place in a public register (GS1 Global Location Number): twelve digits and a check digit.
///
/// New Zealand's NZ COVID Tracer had it on its posters.
package struct GlobalLocationNumber: Hashable, Sendable {
    /// Thirteen digits.
    package let text: String

    /// Nil unless there are thirteen ASCII digits of which the last checks the others (GS1 General Specifications, 7.9).
    package init?(_ text: some StringProtocol) {
        let digits = text.utf8.map { Int($0) - Int(UInt8(ascii: "0")) }
        guard digits.count == 13, digits.allSatisfy((0...9).contains),
            digits.enumerated().map({ $1 * ($0.isMultiple(of: 2) ? 1 : 3) }).reduce(0, +).isMultiple(of: 10)
        else { return nil }
        self.text = String(text)
    }

    /// SHA-384 of the thirteen ASCII digits.
    package var tag: VenueTag { VenueTag(unchecked: SHA384.hash(data: Array(text.utf8))) }
}
