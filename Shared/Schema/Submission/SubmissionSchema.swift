extension DatabaseRole {
    /// submission-server, which accepts uploads
    package static let submission = DatabaseRole("vigil_submission", marksCommits: true)
    /// submission-server fold, the process that opens the inbox
    package static let fold = DatabaseRole("vigil_fold")
}

extension Schema {
    /// The tables of submission-server and its fold.
    package static let submission = Schema(
        "submission", roles: [.submission, .fold], migrations: Migration.submission,
        reads: [country, Requirement(schema: .foreignKeys, version: 2)],
        retention: RetentionRule.submission,
        exempt: ["submission.inbox": "emptied by the fold, hour by hour"])
}
