extension DatabaseRole {
    /// test-result-server
    package static let testResults = DatabaseRole("vigil_test_results", marksCommits: true)
}

extension Schema {
    /// The tables of test-result-server.
    package static let testResults = Schema(
        "test_results", roles: [.testResults], migrations: Migration.testResults,
        reads: [country, releasedFigures], retention: RetentionRule.testResults)
}
