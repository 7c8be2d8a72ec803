/// What a transaction sees of others that run at the same time (PostgreSQL documentation, 13.2).
package enum Isolation: Sendable, CaseIterable {
    /// Each statement sees what was committed before it began.
    case readCommitted
    /// All statements see one moment; an update of a row that another transaction has changed fails with 40001.
    case repeatableRead
    /// As if transactions ran one after the other; fails with 40001 where they can't.
    case serializable
    /// All statements see one moment, and none may write.
    case snapshot

    var begin: StaticString {
        switch self {
        case .readCommitted: "BEGIN ISOLATION LEVEL READ COMMITTED"
        case .repeatableRead: "BEGIN ISOLATION LEVEL REPEATABLE READ"
        case .serializable: "BEGIN ISOLATION LEVEL SERIALIZABLE"
        case .snapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        }
    }
}
