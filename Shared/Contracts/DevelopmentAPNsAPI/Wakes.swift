package import HTTPContract

/// Whose pushes are asked for.
package struct WakeQuery: JSONMessage, Equatable {
    /// The token, in lower-case hexadecimal digits.
    package let token: String

    /// A question for one token.
    package init(token: String) { self.token = token }

    package static var schema: JSONSchema {
        .object(["token": .text(count: 2...200)])
    }
}

/// How many pushes were accepted.
package struct Wakes: JSONMessage, Equatable {
    /// For the token that was asked for.
    package let count: Int

    /// A number of pushes.
    package init(count: Int) { self.count = count }

    package static var schema: JSONSchema { .object(["count": .wholeNumber]) }
}
