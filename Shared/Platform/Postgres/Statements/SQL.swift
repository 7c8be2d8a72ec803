/// One SQL statement: text from the source code, and values that are sent apart from it.
///
/// It is written as a literal. An interpolation is a bind parameter (`\(value)`), another `SQL`, an `Identifier`, or an integer in
/// the text (`\(literal: hour)`). Literals are `StaticString`s, so there is no way to put a string made at run time into the text:
/// SQL injection can't be written. A list is one parameter, an array: `id = ANY(\(ids))`.
package struct SQL: Sendable, ExpressibleByStringInterpolation {
    /// The text, with `$1`, `$2`, … where the values go.
    private(set) var text: String
    /// The type of each parameter.
    private(set) var types: [PostgresType] = []
    /// The position of each parameter in the text and in `payload`.
    private(set) var parameters: [Parameter] = []
    /// All values in binary format, one after the other.
    private(set) var payload: [UInt8] = []

    struct Parameter: Sendable {
        /// The start of the text's `$n`, in UTF-8.
        var place: Int
        /// The start of the value in the payload.
        var start: Int
        /// The value's length; nil is NULL.
        var length: Int?
    }

    /// SQL without parameters.
    package init(stringLiteral text: StaticString) {
        self.text = text.description
    }

    /// SQL with parameters.
    package init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.sql
    }

    private init(reservingCapacity capacity: Int, parameters count: Int) {
        text = ""
        text.reserveCapacity(capacity)
        types.reserveCapacity(count)
        parameters.reserveCapacity(count)
    }

    private mutating func bind<Value: PostgresEncodable>(_ value: Value) {
        let place = text.utf8.count
        let start = payload.count
        let isNull = value.isNull
        if !isNull { value.encode(into: &payload) }
        types.append(Value.postgresType)
        parameters.append(Parameter(place: place, start: start, length: isNull ? nil : payload.count - start))
        text += Self.placeholder(types.count)
    }

    /// Appends another statement's text, with its parameters renumbered to follow those already here.
    private mutating func append(_ other: SQL) {
        let shift = types.count
        var copied = other.text.startIndex
        for (index, parameter) in other.parameters.enumerated() {
            let place = other.text.utf8.index(other.text.startIndex, offsetBy: parameter.place)
            text += other.text[copied..<place]
            copied = other.text.utf8.index(place, offsetBy: Self.placeholder(index + 1).utf8.count)
            parameters.append(
                Parameter(
                    place: text.utf8.count, start: payload.count + parameter.start, length: parameter.length))
            text += Self.placeholder(shift + index + 1)
        }
        text += other.text[copied...]
        types += other.types
        payload += other.payload
    }

    private static func placeholder(_ number: Int) -> String { "$\(number)" }

    /// Collects the pieces of a literal.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sql: SQL

        /// An empty statement with room for its pieces.
        package init(literalCapacity: Int, interpolationCount: Int) {
            sql = SQL(reservingCapacity: literalCapacity + 3 * interpolationCount, parameters: interpolationCount)
        }

        /// Text from the source code.
        package mutating func appendLiteral(_ literal: StaticString) {
            sql.text += literal.description
        }

        /// A value, which becomes a parameter.
        package mutating func appendInterpolation(_ value: some PostgresEncodable) {
            sql.bind(value)
        }

        /// A value or NULL. The compiler warns of optionals in interpolations unless one is asked for by name.
        package mutating func appendInterpolation<Value: PostgresEncodable>(nullable value: Value?) {
            sql.bind(value)
        }

        /// Another statement or a part of one, with its parameters.
        package mutating func appendInterpolation(_ other: SQL) {
            sql.append(other)
        }

        /// An integer, written into the text: for COPY, which takes no parameters. It must be no secret, as the database logs texts.
        ///
        /// A setting of the transaction would do the same, but the database reads it again for each row.
        package mutating func appendInterpolation(literal value: some FixedWidthInteger) {
            // In parentheses: `1 - -1` is an expression, `1 --1` is a comment.
            sql.text += "(\(value))"
        }

        /// A name, quoted.
        package mutating func appendInterpolation(identifier: Identifier) {
            sql.text += identifier.quoted
        }
    }
}

extension SQL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text with `$n` for the values, which never appear.
    package var description: String { text }

    /// The same as `description`.
    package var debugDescription: String { text }

    /// Shows the text only, so that `dump` doesn't print values either.
    package var customMirror: Mirror { Mirror(self, children: ["text": text]) }
}
