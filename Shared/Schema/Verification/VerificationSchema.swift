extension DatabaseRole {
    /// verification-server
    package static let verification = DatabaseRole("vigil_verification", marksCommits: true)
}

extension Schema {
    /// The tables of verification-server.
    package static let verification = Schema(
        "verification", roles: [.verification], migrations: Migration.verification, reads: [country, releasedFigures],
        retention: RetentionRule.verification)
}
