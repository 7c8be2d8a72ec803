/// What an officer may do, as the identity provider's administrators grant it.
///
/// The first two are those of the Corona-Warn-App's portal (corona-warn-app/cwa-verification-portal, `SecurityConfig.java`).
package enum OfficerRole: String, Hashable, Sendable, Codable, CaseIterable {
    /// Codes for tests.
    case hotline = "c19hotline"
    /// Codes for events.
    case hotlineEvent = "c19hotline_event"
    /// Released figures.
    case statistics = "vigil_statistics"
    /// The state of the services.
    case operations = "vigil_operator"
    /// Entries of venues: a tracer.
    case venueAuthor = "vigil_venue_author"
    /// Approval, refusal and revocation of what other tracers entered.
    case venueApprover = "vigil_venue_approver"
    /// The sealed log of issued codes and of decisions on venues.
    case audit = "vigil_audit"
}
