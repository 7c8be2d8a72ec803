/// A strong entity tag (RFC 9110, section 8.8.3).
package struct EntityTag: Hashable, Sendable {
    /// The tag with its quotation marks.
    package let text: String

    /// A tag made from modification time and size, as nginx makes it.
    ///
    /// - Parameter modified: in seconds since 1970.
    package init(modified: Int, size: Int) {
        text = "\"\(String(modified, radix: 16))-\(String(size, radix: 16))\""
    }

    /// Whether a list of tags, of the field `If-None-Match`, has this one, be it marked as weak; `*` matches any (RFC 9110,
    /// section 13.1.2).
    package func isIn(_ list: String) -> Bool {
        list == text
            || list.split(separator: ",").contains { tag in
                let tag = tag.drop(while: { $0 == " " }).reversed().drop(while: { $0 == " " }).reversed()
                return tag.elementsEqual("*") || tag.elementsEqual(text) || tag.elementsEqual("W/" + text)
            }
    }
}
