import AuditFormat
import FoundationEssentials
import HTTPContract
import Pages
import Serving

/// `POST /venues/decision`: approves, refuses or revokes an entry with one click, and leads to the list.
///
/// The database sees to it that an entry that waits is decided by somebody else than its author, once. A repeat of the same decision,
/// by whomever, changes nothing and succeeds.
struct DecideVenue: Sendable {
    let store: VenueStore
    let audit: CodeAudit
    let pseudonyms: Pseudonyms

    func handle(_ request: Request, _ session: OpenSession) async throws -> Response {
        let form = try request.form()
        guard let event = form["event"].flatMap(UUID.init(uuidString:)),
            let decision = form["decision"].flatMap(VenueDecision.init(rawValue:))
        else { throw Refusal.malformed }
        let state = try await store.decide(
            event, decision, by: pseudonyms.of(session.officer),
            audit: try audit.row(decision.act, on: event, by: session.officer, pseudonyms))
        switch state {
        case nil: throw Refusal.notFound
        case decision.state: return .seeOther(PagePath.venues.location)
        // It waits still: revocation isn't possible yet, and the rest isn't this officer's to decide.
        case .waiting: throw decision == .revoke ? Refusal.malformed : Refusal.ownEntry
        default: throw Refusal.decided
        }
    }
}

extension VenueDecision {
    /// What the audit says of it.
    fileprivate var act: VenueAct {
        switch self {
        case .approve: .approve
        case .refuse: .refuse
        case .revoke: .revoke
        }
    }
}
