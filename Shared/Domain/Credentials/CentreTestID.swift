/// The id of a rapid antigen or point-of-care PCR test, as the test centre's software sends it.
///
/// A laboratory posts under the hash of the id, and an app asks with the hash of the id, but a test centre sends the id itself,
/// as the test's QR code holds it. So the server hashes the ids of test centres and no others. The type makes sure that their
/// text can't be stored without being hashed: an id looks like a hash, and operators of Corona-Warn-App confused the two
/// (<https://github.com/corona-warn-app/cwa-quicktest-onboarding/issues/41>).
package struct CentreTestID: Hashable, Sendable, CustomStringConvertible {
    /// 64 hexadecimal digits, or an `x` and 63, in the case that was sent.
    package let text: String

    /// Nil unless the text has the form of an id, which is that of a ``ResultID``.
    package init?(_ text: some StringProtocol) {
        guard let id = ResultID(text) else { return nil }
        self.text = id.text
    }

    /// The name under which the result is stored: SHA-256 of the id's text as it was sent, in lower-case digits.
    ///
    /// An app that scanned the same text computes the same.
    package var resultID: ResultID { ResultID(HashedGUID(hashing: text)) }

    /// The names under which a test centre's request may find the result: the hash, and the text itself for software that hashes
    /// before it asks.
    package var possibleResultIDs: [ResultID] { [resultID, ResultID(text)].compactMap(\.self) }

    package var description: String { "redacted" }
}
