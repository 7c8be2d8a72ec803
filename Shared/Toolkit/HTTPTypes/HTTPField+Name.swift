extension HTTPField {
    /// A field's name: a token (RFC 9110, section 5.1), compared without case.
    package struct Name: Sendable {
        /// The name as it was given.
        package let rawName: String

        /// The name in lower case, which is what HTTP/2 sends and what comparisons use.
        package let canonicalName: String

        /// A name, unless the text isn't a token: empty, not ASCII, or with a separator or control character.
        package init?(_ name: String) {
            guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte) else { return nil }
            rawName = name
            // A name in lower case, as HTTP/2's all are, shares its storage.
            canonicalName = name.utf8.contains(where: isUppercase) ? name.lowercased() : name
        }

        /// A constant. Literals are never allocated, so a constant costs nothing and needs no lock.
        init(raw: String, canonical: String) {
            rawName = raw
            canonicalName = canonical
        }
    }
}

extension HTTPField.Name: Hashable, CustomStringConvertible {
    /// Without regard to case.
    package static func == (left: Self, right: Self) -> Bool { left.canonicalName == right.canonicalName }

    /// Without regard to case, as names are compared.
    package func hash(into hasher: inout Hasher) { hasher.combine(canonicalName) }

    package var description: String { rawName }
}

/// Whether a byte may stand in a token (RFC 9110, section 5.6.2).
func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
        UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
        true
    default: false
    }
}

private func isUppercase(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
