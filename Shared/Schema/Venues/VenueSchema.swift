extension Schema {
    /// Tracers' entries of venues: health-portal writes them, distribution publishes what was approved.
    package static let venues = Schema(
        "venues", roles: [], migrations: Migration.venues, retention: RetentionRule.venues)

    /// What both services need.
    static let venueEvents = Requirement(schema: .venues, version: 1)
}
