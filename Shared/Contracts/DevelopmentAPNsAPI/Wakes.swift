package import HTTPContract

/// Asks how often pushes for a token were accepted.
package struct WakeQuery: JSONMessage, Equatable {
    /// The token, in lower-case hexadecimal digits.
    package let token: String

    /// Creates a query for one token.
    package init(token: String) { self.token = token }

    package static var schema: JSONSchema {
        .object(["token": .text(count: 2...200)])
    }
}

/// The number of accepted pushes.
package struct Wakes: JSONMessage, Equatable {
    /// The number for the requested token.
    package let count: Int

    /// Creates an answer with this number.
    package init(count: Int) { self.count = count }

    package static var schema: JSONSchema { .object(["count": .wholeNumber]) }
}
