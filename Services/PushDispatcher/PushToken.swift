/// Where APNs finds a phone's app.
///
/// It is a secret as long as the phone uses it: whoever knows it and has the app's signing key can wake the phone. It has no
/// description and is not logged; the database has it sealed (``TokenVault``).
package struct PushToken: Hashable, Sendable {
    /// Hexadecimal digits in lower case, an even number from 2 to 200: Apple says that the length may change.
    let hex: String

    /// The most digits of one.
    static let longest = 200

    /// Nil unless the text has the shape of a token; digits may be of either case.
    package init?(_ text: some StringProtocol) {
        let digits = text.utf8
        guard (2...Self.longest).contains(digits.count), digits.count.isMultiple(of: 2), digits.allSatisfy(Self.isDigit)
        else { return nil }
        hex = text.lowercased()
    }

    private static func isDigit(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}

extension PushToken: CustomStringConvertible, CustomReflectable {
    /// Never the token.
    package var description: String { "redacted" }
    /// Never the token.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
