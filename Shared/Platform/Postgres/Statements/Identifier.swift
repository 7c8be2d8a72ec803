/// The name of a table, column, role or database, safe to put into SQL text.
///
/// Only lower-case ASCII letters, digits and underscores are allowed, so that a name means the same with and without quotes
/// (<https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-SYNTAX-IDENTIFIERS>).
package struct Identifier: Sendable, Hashable, CustomStringConvertible {
    /// The name without quotes.
    package let name: String

    /// A name in the source code. It is a programming error if it isn't a valid one.
    package init(_ name: StaticString) {
        self.name = name.description
        precondition(Self.isValid(self.name), "not an identifier")
    }

    /// A name made at run time; nil unless it matches `^[a-z_][a-z0-9_]{0,62}$`.
    package init?(validating name: String) {
        guard Self.isValid(name) else { return nil }
        self.name = name
    }

    /// The name in double quotes, as it goes into SQL text.
    package var quoted: String { "\"\(name)\"" }

    /// The name without quotes.
    package var description: String { name }

    private static func isValid(_ name: String) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let underscore = UInt8(ascii: "_")
        guard let first = name.utf8.first, name.utf8.count <= 63 else { return false }
        return (letters.contains(first) || first == underscore)
            && name.utf8.allSatisfy { letters.contains($0) || digits.contains($0) || $0 == underscore }
    }
}
