import Postgres

/// How many rows a table in the schema `venues` has at most, so that what phones download stays short.
enum VenueLimit {
    static let rows = 2_000

    /// Whether a table has more. A transaction that finds it so has to undo what it did.
    static func isExceeded(_ table: SQL, in session: Session) throws(PostgresError) -> Bool {
        try session.row("SELECT count(*) FROM \(table)", as: Int.self) ?? 0 > rows
    }
}

extension PostgresClient {
    /// A transaction that its body can also end by throwing ``Undone``: then nothing of it is stored.
    func undoableTransaction<Outcome: Sendable>(
        _ body: @Sendable @escaping (Session) throws -> Outcome
    ) async throws -> Outcome {
        do {
            return try await transaction(body)
        } catch let undone as Undone<Outcome> {
            return undone.outcome
        }
    }
}

/// The outcome of a transaction that has to store nothing.
struct Undone<Outcome: Sendable>: Error {
    let outcome: Outcome
}
