/// PostgreSQL's five-character error code (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
package struct SQLState: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The five characters.
    package let rawValue: String

    /// A code as the server sent it.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A code in the source.
    package init(stringLiteral value: String) {
        rawValue = value
    }

    /// The five characters.
    package var description: String { rawValue }

    /// The code's class: its first two characters.
    package var category: Substring { rawValue.prefix(2) }

    /// A value is already taken.
    package static let uniqueViolation: SQLState = "23505"
    /// The transaction conflicts with a concurrent one; run it again.
    package static let serializationFailure: SQLState = "40001"
    /// Two transactions waited for each other; run the transaction again.
    package static let deadlockDetected: SQLState = "40P01"
    /// The transaction wants to write, and the server is a standby.
    package static let readOnlyTransaction: SQLState = "25006"
    /// A lock wasn't granted within `lock_timeout`, or with NOWAIT.
    package static let lockNotAvailable: SQLState = "55P03"
    /// The statement was cancelled, usually by `statement_timeout`.
    package static let queryCanceled: SQLState = "57014"
    /// The role's or the server's connection limit is reached.
    package static let tooManyConnections: SQLState = "53300"
    /// The role lacks a privilege.
    package static let insufficientPrivilege: SQLState = "42501"
    /// The server doesn't know the prepared statement (any more).
    package static let invalidStatementName: SQLState = "26000"
    /// Among others: a migration changed the result columns of a prepared statement.
    package static let featureNotSupported: SQLState = "0A000"
    /// A value that a function doesn't know, such as the name of a time zone.
    package static let invalidParameterValue: SQLState = "22023"
}
