/// The GUID of a PCR test, as it is printed beside its QR code: six hexadecimal digits, a hyphen, and a UUID.
///
/// Whoever knows it can register the test. Both published apps accept this form and no other (cwa-app-ios
/// `CoronaTestsQRCodeParser.swift`, cwa-app-android `PcrQrCodeExtractor.kt`).
package struct TestGUID: Hashable, Sendable, CustomStringConvertible {
    /// 43 characters in the case that was printed. App and laboratory hash them as they are, so their case matters.
    package let text: String

    /// The number of digits between hyphens.
    private static let groups = [6, 8, 4, 4, 4, 12]

    /// Nil unless the text has the form.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == Self.groups, parts.allSatisfy({ [UInt8](hex: $0) != nil }) else { return nil }
        self.text = String(text)
    }

    /// A new one: 24 random bits and a random UUID, in upper case, which takes less room in a QR code.
    package init(using randomness: inout some RandomNumberGenerator) {
        let prefix = (0..<3).map { _ in UInt8.random(in: .min ... .max, using: &randomness) }
        text = "\(prefix.hex)-\(RandomIdentifier(using: &randomness).text)".uppercased()
    }

    /// The content of the QR code. No app opens the address: it marks the code as one of this system.
    package var qrCodeText: String { Self.qrCodePrefix + text }

    /// What stands before the GUID in the QR code; apps accept it in any case.
    package static let qrCodePrefix = "https://localhost/?"

    package var description: String { "redacted" }
}
