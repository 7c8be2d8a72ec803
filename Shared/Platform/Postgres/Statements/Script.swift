/// Several SQL statements that are sent as one text without parameters, as migrations are.
///
/// Like `SQL`, its literals are `StaticString`s. Whatever a script takes from elsewhere is quoted: a name by `\(identifier:)`, a
/// string, for example a role's password verifier, by `\(literal:)`.
package struct Script: Sendable, ExpressibleByStringInterpolation {
    /// The statements as they are sent. It holds whatever was quoted into it, passwords included, so it must not be logged.
    package private(set) var text: String

    /// A script from the source code.
    package init(_ text: StaticString) {
        self.text = text.description
    }

    /// A script from the source code.
    package init(stringLiteral text: StaticString) {
        self.text = text.description
    }

    /// A script with quoted parts.
    package init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
    }

    /// Two scripts one after the other.
    package static func + (first: Script, second: Script) -> Script {
        var both = first
        both.text += "\n" + second.text
        return both
    }

    /// Collects the pieces of a literal.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        /// An empty script with room for its pieces.
        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        /// Text from the source code.
        package mutating func appendLiteral(_ literal: StaticString) {
            text += literal.description
        }

        /// A name, quoted.
        package mutating func appendInterpolation(identifier: Identifier) {
            text += identifier.quoted
        }

        /// A number.
        package mutating func appendInterpolation(_ number: Int) {
            text += String(number)
        }

        /// A string as an SQL literal. It must not hold a NUL, which no string in PostgreSQL can.
        package mutating func appendInterpolation(literal value: String) {
            text += Self.quoted(value)
        }

        /// Another script.
        package mutating func appendInterpolation(_ script: Script) {
            text += script.text
        }

        /// Correct with either value of `standard_conforming_strings`: a string with backslashes is written in the E'' form
        /// (<https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-SYNTAX-STRINGS-ESCAPE>).
        private static func quoted(_ value: String) -> String {
            precondition(!value.utf8.contains(0), "a string in PostgreSQL can't hold NUL")
            var hasBackslash = false
            var quoted = "'"
            for scalar in value.unicodeScalars {
                if scalar == "'" { quoted += "'" }
                if scalar == "\\" {
                    quoted += "\\"
                    hasBackslash = true
                }
                quoted.unicodeScalars.append(scalar)
            }
            return (hasBackslash ? " E" : "") + quoted + "'"
        }
    }
}

extension Script: CustomStringConvertible, CustomReflectable {
    /// The length only: a script may hold a password.
    package var description: String { "Script(\(text.utf8.count) bytes)" }

    /// Shows the length only.
    package var customMirror: Mirror { Mirror(self, children: ["bytes": text.utf8.count]) }
}
