/// SHA-256 of the GUID in a test's QR code, as the app computes it. The laboratory posts the result under the same value.
package struct HashedGUID: Hashable, Sendable, CustomStringConvertible {
    /// 64 hexadecimal digits in the case that was sent: Corona-Warn-App compares them case-sensitively.
    package let text: String

    /// Nil unless the text is 64 hexadecimal digits.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == 64, Digest(hex: text) != nil else { return nil }
        self.text = String(text)
    }

    /// SHA-256 of a GUID's text, in lower-case digits, as an app computes it.
    package init(hashing guid: some StringProtocol) {
        text = Digest(sha256: guid.utf8).hex
    }

    /// The digest that the verification server stores.
    package var digest: Digest { Digest(sha256: text.utf8) }

    package var description: String { "redacted" }
}

/// The name under which a result is posted and asked for: a hashed GUID, or the variant with a date of birth, a hash whose
/// first digit may be an `x` (corona-warn-app/cwa-verification-server: `RegistrationTokenRequest.java`).
package struct ResultID: Hashable, Sendable, CustomStringConvertible {
    /// 64 characters, as sent.
    package let text: String

    /// Nil unless the text has the form of an id.
    package init?(_ text: some StringProtocol) {
        let digits = text.first == "x" || text.first == "X" ? "0" + text.dropFirst() : String(text)
        guard digits.utf8.count == 64, Digest(hex: digits) != nil else { return nil }
        self.text = String(text)
    }

    /// The name for the result of a GUID's test: the hash itself.
    package init(_ guid: HashedGUID) { text = guid.text }

    /// The digest that the verification server stores.
    package var digest: Digest { Digest(sha256: text.utf8) }

    package var description: String { "redacted" }
}
