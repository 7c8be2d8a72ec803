extension Schema {
    /// Tracers' entries of venues, and trace keys: health-portal writes them, distribution publishes what was approved, and all keys.
    package static let venues = Schema(
        "venues", roles: [], migrations: Migration.venues, retention: RetentionRule.venues)

    /// What both services need.
    static let venueEvents = Requirement(schema: .venues, version: 2)
}
