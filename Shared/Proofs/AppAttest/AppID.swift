import Crypto

/// An app as Apple names it: its team's name, a full stop, and its bundle identifier.
package struct AppID: Hashable, Sendable {
    /// As the app's entitlements have it.
    package let text: String
    /// SHA-256 of the text, 32 bytes: what Apple's evidence says of the app.
    package let hash: [UInt8]

    private static let teamCharacters = 10
    /// Of a bundle identifier, as App Store Connect accepts them.
    private static let bundleCharacters = 1...155

    /// Nil unless the text is ten capital letters and digits, a full stop, and letters, digits, hyphens and full stops.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count == Self.teamCharacters, Self.bundleCharacters.contains(parts[1].count),
            parts[0].allSatisfy({ Self.isDigit($0) || Self.isCapital($0) }),
            parts[1].allSatisfy({ Self.isDigit($0) || Self.isCapital($0 & 0xDF) || $0 == 0x2D || $0 == 0x2E })
        else { return nil }
        self.text = text
        hash = Array(SHA256.hash(data: Array(text.utf8)))
    }

    private static func isDigit(_ letter: UInt8) -> Bool { (0x30...0x39).contains(letter) }

    private static func isCapital(_ letter: UInt8) -> Bool { (0x41...0x5A).contains(letter) }
}
