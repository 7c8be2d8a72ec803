extension DatabaseRole {
    /// health-portal
    package static let healthPortal = DatabaseRole("vigil_health_portal")
}

extension Schema {
    /// The tables of health-portal.
    package static let healthPortal = Schema(
        "health_portal", roles: [.healthPortal], migrations: Migration.healthPortal,
        reads: [country, releasedFigures, venueEvents], retention: RetentionRule.healthPortal,
        exempt: ["health_portal.audit_read": "tells who exported the audit; only the owner may delete it"])
}
