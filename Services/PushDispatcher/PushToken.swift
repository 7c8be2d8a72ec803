/// The device token of an app, as APNs issues it.
///
/// It is a secret while the phone uses it: with it and the app's signing key anybody can wake the phone. It has no description
/// and is not logged; the database stores it sealed (``TokenVault``).
package struct PushToken: Hashable, Sendable {
    /// Hexadecimal digits in lower case, an even number from 2 to 200: the length isn't fixed
    /// (<https://developer.apple.com/documentation/usernotifications/registering-your-app-with-apns>).
    let hex: String

    /// The maximum number of digits.
    static let longest = 200

    /// Nil unless the text has the form of a token; digits may be of either case.
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
