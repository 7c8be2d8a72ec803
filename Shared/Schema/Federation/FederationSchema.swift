extension DatabaseRole {
    /// federation
    package static let federation = DatabaseRole("vigil_federation")
}

extension Schema {
    /// What federation sends to gateways and gets from them, batch by batch.
    package static let federation = Schema(
        "federation", roles: [.federation], migrations: Migration.federation,
        reads: [
            country, Requirement(schema: .submission, version: 1), Requirement(schema: .distribution, version: 1),
            keysFromAbroad, Requirement(schema: .statistics, version: 2),
        ],
        retention: RetentionRule.federation)
}
