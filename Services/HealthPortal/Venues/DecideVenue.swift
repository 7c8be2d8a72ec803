import AuditFormat
import FoundationEssentials
import HTTPContract
import Hummingbird
import Pages

/// `POST /venues/decision`: approves, refuses or revokes an entry with one click, and leads to the list.
///
/// The database sees to it that an entry that waits is decided by somebody else than its author, once. A repeat of the same decision,
/// by whomever, changes nothing and succeeds.
struct DecideVenue: Sendable {
    let sessions: Sessions
    let store: VenueStore
    let audit: CodeAudit
    let pseudonyms: Pseudonyms
    let pages: PageAnswers

    func handle(_ request: Request, _ context: PageContext) async throws -> Response {
        let session = try await sessions.open(request)
        do {
            guard session.officer.roles.mayDecideOnVenues else { throw Refusal.noRole }
            let form = try await request.form()
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
        } catch let refusal as Refusal {
            return pages.refusal(refusal, to: request, session)
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
