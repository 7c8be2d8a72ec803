import Postgres

extension SQLState {
    /// A reference to a row that doesn't exist.
    static let foreignKeyViolation: SQLState = "23503"
    /// A CHECK constraint rejected a value.
    static let checkViolation: SQLState = "23514"
    /// The table doesn't exist, or isn't visible.
    static let undefinedTable: SQLState = "42P01"
    /// The server is shutting down, or an administrator terminated the connection.
    static let adminShutdown: SQLState = "57P01"
}
