/// The id of a rapid antigen or point-of-care PCR test, as the centre's software sends it.
///
/// Who hashes what: a laboratory posts under the hash of the id, an app asks for the hash of the id, but a centre sends
/// the id itself, as it stands in the test's QR code. So the server hashes for the centre, and for nobody else: that is
/// why a centre's id is a type of its own, whose text can't become a name in storage without its hash. An id looks
/// like a hash, which is why the two were confused in the field (Corona-Warn-App sheet, section 2 and 9, thread 17).
package struct CentreTestID: Hashable, Sendable, CustomStringConvertible {
    /// 64 hexadecimal digits, or an `x` and 63, in the case in which they were sent.
    package let text: String

    /// Nil unless the text has the shape of an id, which is that of a ``ResultID``.
    package init?(_ text: some StringProtocol) {
        guard let id = ResultID(text) else { return nil }
        self.text = id.text
    }

    /// The one name under which the result is stored: SHA-256 of the id's text as it was sent, in lower-case digits,
    /// which is what the app computes that scanned the same text.
    package var resultID: ResultID { ResultID(HashedGUID(hashing: text)) }

    /// The names under which a centre's question may find the result: the hash; and the text itself, for software that
    /// hashes before it asks.
    package var possibleResultIDs: [ResultID] { [resultID, ResultID(text)].compactMap(\.self) }

    package var description: String { "redacted" }
}
