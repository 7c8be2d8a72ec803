extension DatabaseRole {
    /// further
    package static let further = DatabaseRole("vigil_further", marksCommits: true)
}

extension Schema {
    /// The tables of further.
    package static let further = Schema(
        "further", roles: [.further], migrations: Migration.further, retention: RetentionRule.further)
}
