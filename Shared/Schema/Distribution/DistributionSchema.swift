extension DatabaseRole {
    /// distribution
    package static let distribution = DatabaseRole("vigil_distribution")
}

extension Schema {
    /// The tables of distribution, which reads what submission-server folded.
    package static let distribution = Schema(
        "distribution", roles: [.distribution], migrations: Migration.distribution,
        reads: [country, Requirement(schema: .submission, version: 1), releasedFigures, venueEvents, keysFromAbroad],
        retention: RetentionRule.distribution,
        exempt: ["distribution.published_object": "a list of what is public, each forgotten when it has left the tree"])
}
