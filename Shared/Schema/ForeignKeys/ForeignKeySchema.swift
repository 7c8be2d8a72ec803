extension Schema {
    /// Keys of other countries: federation stores them once their signatures are verified, distribution publishes them, and the fold
    /// looks whether a key has come from abroad.
    package static let foreignKeys = Schema(
        "foreign_keys", roles: [], migrations: Migration.foreignKeys, retention: RetentionRule.foreignKeys)

    /// What distribution and federation need.
    static let keysFromAbroad = Requirement(schema: .foreignKeys, version: 1)
}
