import Credentials
import FoundationEssentials
import OfficerIdentity
import Pages
import Running
import Serving
import VenueEventFormat
import Venues

/// The list of entries as one officer sees it.
struct VenueList: Sendable {
    struct Row: Sendable {
        let event: EnteredVenue
        /// Whether this officer entered it, and so may not decide on it.
        let isOwn: Bool

        /// What a person who approves can do with it.
        var decisions: [VenueDecision] {
            switch event.state {
            case .waiting: isOwn ? [] : [.approve, .refuse]
            case .approved: [.revoke]
            case .refused, .revoked: []
            }
        }
    }

    let rows: [Row]
    let mayEnter: Bool
    let mayDecide: Bool
    let now: Date
}

/// `GET /venues`: all entries, with what the officer may decide.
struct ShowVenues: Sendable {
    let store: VenueStore
    let pseudonyms: Pseudonyms
    let pages: PageAnswers
    let clock: WallClock

    func handle(_ request: Request, _ session: OpenSession) async throws -> Response {
        let roles = session.officer.roles
        let own = pseudonyms.of(session.officer)
        let list = VenueList(
            rows: try await store.events().map { VenueList.Row(event: $0, isOwn: $0.author == own) },
            mayEnter: roles.mayEnterVenues, mayDecide: roles.mayDecideOnVenues, now: clock.now)
        return pages.page(pages.frame(request, session).venuesPage(list))
    }
}

/// `GET /venues/new`: the form of an entry. The only page that may use a camera.
struct ShowVenueForm: Sendable {
    let pages: PageAnswers
    let clock: WallClock

    func handle(_ request: Request, _ session: OpenSession) async throws -> Response {
        let content = VenueFormPage(form: VenueFormNumber(), fields: VenueForm.Fields(), problem: nil, now: clock.now)
        return pages.page(pages.frame(request, session).venueFormPage(content), usesCamera: true)
    }
}

/// The form of an entry, new or with what is wrong with it.
struct VenueFormPage: Sendable {
    let form: VenueFormNumber
    /// Hostile.
    let fields: VenueForm.Fields
    let problem: VenueForm.Problem?
    let now: Date
}

/// `GET /venues/import`: the form of many entries.
struct ShowVenueImport: Sendable {
    let pages: PageAnswers

    func handle(_ request: Request, _ session: OpenSession) async throws -> Response {
        let content = VenueImportPage(form: VenueFormNumber(), text: "", message: .watchForSymptoms, problems: [])
        return pages.page(pages.frame(request, session).venueImportPage(content))
    }
}

/// The form of many entries, new or with what is wrong with its lines.
struct VenueImportPage: Sendable {
    let form: VenueFormNumber
    /// Hostile.
    let text: String
    let message: VenueMessage
    let problems: [VenueImport.Problem]
}

extension Set<OfficerRole> {
    /// Whether the officer may enter venues.
    var mayEnterVenues: Bool { contains(.venueAuthor) }
    /// Whether the officer may do anything with venues.
    var maySeeVenues: Bool { mayEnterVenues || mayDecideOnVenues }
    /// Whether the officer may approve, refuse and revoke what others entered.
    var mayDecideOnVenues: Bool { contains(.venueApprover) }
}
