import Crypto
package import ExposureKeys
import FoundationEssentials

/// What stands for a venue in a tracer's published entry. Phones compute the tags of the venues in their diary and compare.
package struct VenueTag: Hashable, Sendable {
    /// Lower-case hexadecimal digits: 64 for a venue with a seed, 96 for a numbered one.
    package let text: String

    /// Nil unless there are 64 or 96 hexadecimal digits in lower case.
    package init?(_ text: some StringProtocol) {
        guard [64, 96].contains(text.utf8.count),
            text.utf8.allSatisfy({
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            })
        else { return nil }
        self.text = String(text)
    }

    /// The tag of a venue with a seed, for entries that begin on a day: another one each day, so that only who has the seed can tell that
    /// two entries are of one venue. HMAC-SHA-256 with the venue's authentication key of `venue-event` and the day's number, four bytes,
    /// highest first.
    package init(of keys: VenueKeys, on day: Day) {
        let number = withUnsafeBytes(of: day.number.bigEndian) { Array($0) }
        text =
            HMAC<SHA256>.authenticationCode(
                for: Array("venue-event".utf8) + number, using: keys.authentication
            ).hexadecimal
    }

    /// The tag of a numbered venue: SHA-384 of the 13 digits, as New Zealand's app compares it.
    ///
    /// It hides nothing: there are 10^12 numbers, and their register is public. Its entries count as public.
    package init(of number: GlobalLocationNumber) {
        text = SHA384.hash(data: Array(number.digits.utf8)).hexadecimal
    }
}

/// A Global Location Number of GS1: 13 digits, of which the last is a check digit.
package struct GlobalLocationNumber: Hashable, Sendable {
    /// 13 ASCII digits.
    package let digits: String

    /// Nil unless there are 13 digits whose last is right (GS1 General Specifications, 7.9.1).
    package init?(_ digits: some StringProtocol) {
        let values = digits.utf8.map { Int($0) - Int(UInt8(ascii: "0")) }
        guard values.count == 13, values.allSatisfy({ (0...9).contains($0) }) else { return nil }
        // The last digit weighs one, the one before it three, and so on.
        let sum = values.reversed().enumerated().reduce(0) { $0 + $1.element * ($1.offset % 2 == 0 ? 1 : 3) }
        guard sum % 10 == 0 else { return nil }
        self.digits = String(digits)
    }
}

extension Sequence<UInt8> {
    fileprivate var hexadecimal: String {
        map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
