/// PostgreSQL's five-character error code (PostgreSQL documentation, appendix A).
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
    /// A reference to a row that doesn't exist.
    package static let foreignKeyViolation: SQLState = "23503"
    /// A CHECK constraint refused a value.
    package static let checkViolation: SQLState = "23514"
    /// A NULL where none may be.
    package static let notNullViolation: SQLState = "23502"
    /// Two transactions could not both happen; run this one again.
    package static let serializationFailure: SQLState = "40001"
    /// Two transactions waited for each other; run this one again.
    package static let deadlockDetected: SQLState = "40P01"
    /// A lock was not free and the statement did not want to wait.
    package static let lockNotAvailable: SQLState = "55P03"
    /// The statement was cancelled, as a rule by `statement_timeout`.
    package static let queryCanceled: SQLState = "57014"
    /// The server is being shut down, or an administrator ended this connection.
    package static let adminShutdown: SQLState = "57P01"
    /// The role, or the server, has as many connections as it may have.
    package static let tooManyConnections: SQLState = "53300"
    /// The role may not do this.
    package static let insufficientPrivilege: SQLState = "42501"
    /// The table doesn't exist, or is not visible.
    package static let undefinedTable: SQLState = "42P01"
    /// The transaction had already failed, so that nothing but a rollback was possible.
    package static let inFailedTransaction: SQLState = "25P02"
    /// A prepared statement that the server doesn't know (any more).
    package static let invalidStatementName: SQLState = "26000"
    /// Also: a prepared statement whose result columns a migration has changed.
    package static let featureNotSupported: SQLState = "0A000"
}
