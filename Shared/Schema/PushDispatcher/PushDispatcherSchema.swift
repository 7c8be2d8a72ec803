extension DatabaseRole {
    /// push-dispatcher
    package static let pushDispatcher = DatabaseRole("vigil_push_dispatcher", marksCommits: true)
}

extension Schema {
    /// The tables of push-dispatcher.
    package static let pushDispatcher = Schema(
        "push_dispatcher", roles: [.pushDispatcher], migrations: Migration.pushDispatcher,
        reads: [country, releasedFigures], retention: RetentionRule.pushDispatcher)
}
