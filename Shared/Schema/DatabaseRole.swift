package import Postgres

/// A login role of the database. Every process that uses the database has its own; ``Schema/roles`` says which schema it works
/// in.
package struct DatabaseRole: Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The role's name, safe in SQL text.
    package let identifier: Identifier
    /// Whether some of its requests write an empty record even if they change nothing; see `SQL.commitMark`.
    let marksCommits: Bool

    /// Creates a role with its name in PostgreSQL.
    init(_ name: StaticString, marksCommits: Bool = false) {
        identifier = Identifier(name)
        self.marksCommits = marksCommits
    }

    /// The role's name in PostgreSQL.
    package var rawValue: String { identifier.name }

    /// The role's name in PostgreSQL.
    package var description: String { rawValue }

    /// The roles of all services.
    package static let allCases = Schema.all.flatMap(\.roles)

    /// The `max_connections` with which no role can use up another's connections.
    /// - Parameters:
    ///   - limit: each role's limit.
    ///   - reserved: `superuser_reserved_connections`, which is 3 unless somebody changed it.
    package static func connections(each limit: Int, reserved: Int = 3) -> Int {
        // Two for the migration itself.
        allCases.count * limit + reserved + 2
    }

    /// The role that owns every table and runs migrations. It must exist before them, and own the database.
    package static let owner = "vigil_owner"
}
