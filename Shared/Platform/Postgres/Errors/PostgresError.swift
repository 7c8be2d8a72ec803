/// Why a statement failed, or why there was no connection for it.
///
/// Every part of it may be logged. What could hold data is never taken from the server: neither the message ("invalid input
/// syntax … \"the value\""), nor DETAIL ("Key (…)=(the value) already exists"), nor the statement's values. What remains is the
/// SQLSTATE, the constraint's name and the position in the statement's (static) text
/// (<https://www.postgresql.org/docs/current/protocol-error-fields.html>).
package struct PostgresError: Error, Sendable, Hashable {
    /// The kind of failure, as far as a caller can act on it.
    package enum Code: String, Sendable {
        /// The server refused the statement; `sqlState` says why.
        case server
        /// The connection broke, and the statement may have been executed; or none could be established.
        case connection
        /// The statement timed out. It was not executed, unless the server stopped answering.
        case timeout
        /// A value did not have the type or form that the code expects.
        case decoding
        /// No connection became free in time, or too many callers were waiting. Nothing was executed.
        case poolExhausted
        /// The connection broke during COMMIT: the transaction may or may not have been committed.
        case commitUnknown
        /// The closure returned although a statement in it had failed, so the transaction was rolled back.
        case transactionAborted
        /// The server sent an answer that this client doesn't expect.
        case unexpected
        /// The client was closed.
        case shutDown
    }

    /// The kind of failure.
    package let code: Code
    /// The server's error code, if the server said anything.
    package let sqlState: SQLState?
    /// The name of the constraint that was violated.
    package let constraint: String?
    /// The position of the error in the statement or script, in characters from 1.
    package let position: Int?
    /// A fixed text, or one made from names and types that the source code chose.
    package let reason: String?

    init(
        _ code: Code, sqlState: SQLState? = nil, constraint: String? = nil, position: Int? = nil, reason: String? = nil
    ) {
        self.code = code
        self.sqlState = sqlState
        self.constraint = constraint
        self.position = position
        self.reason = reason
    }

    /// The database is unavailable, and nothing is wrong with the request: a service answers with 503.
    package var isUnavailable: Bool {
        switch code {
        case .connection, .timeout, .poolExhausted, .commitUnknown, .shutDown: true
        case .server: sqlState.map { ["53", "57", "58"].contains($0.category) || $0 == .lockNotAvailable } ?? false
        case .decoding, .transactionAborted, .unexpected: false
        }
    }

    /// A concurrent transaction was in the way; the same transaction may succeed when it is run again.
    package var isConflict: Bool {
        sqlState == .serializationFailure || sqlState == .deadlockDetected
    }

    /// The same error, seen during COMMIT.
    var duringCommit: PostgresError {
        PostgresError(.commitUnknown, sqlState: sqlState, reason: reason)
    }
}

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The error in one line that holds no data.
    package var description: String {
        var text = "PostgresError(\(code.rawValue)"
        if let sqlState { text += ", SQLSTATE \(sqlState)" }
        if let constraint { text += ", constraint \(constraint)" }
        if let position { text += ", at character \(position)" }
        if let reason { text += ", \(reason)" }
        return text + ")"
    }

    /// The same as `description`.
    package var debugDescription: String { description }
}
