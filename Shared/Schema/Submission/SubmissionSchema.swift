extension DatabaseRole {
    /// submission-server
    package static let submission = DatabaseRole("vigil_submission", marksCommits: true)
}

extension Schema {
    /// The tables of submission-server.
    package static let submission = Schema(
        "submission", roles: [.submission], migrations: Migration.submission,
        retention: RetentionRule.submission,
        exempt: ["submission.inbox": "emptied by the fold, hour by hour"])
}
