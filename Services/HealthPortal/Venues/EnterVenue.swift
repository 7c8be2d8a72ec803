import AuditFormat
import FoundationEssentials
import HTTPContract
import Hummingbird
import Pages
import Running
import VenueEventFormat
import Venues

/// `POST /venues`: stores an entry that waits for a second person, and leads to the list.
///
/// A double click, a reload or a lost answer sends the same form again, which is one entry. With other values it is refused.
struct EnterVenue: Sendable {
    let sessions: Sessions
    let entering: VenueEntering
    let pages: PageAnswers
    let clock: WallClock

    func handle(_ request: Request, _ context: PageContext) async throws -> Response {
        let session = try await sessions.open(request)
        do {
            guard session.officer.roles.mayEnterVenues else { throw Refusal.noRole }
            let form = try await request.form()
            let number = try VenueFormNumber(of: form)
            do {
                let event = try VenueForm.event(
                    form, id: number.event(0, in: session.id), time: pages.portal.time, enteredAt: clock.now)
                return try await entering.enter([event], as: .enter, session)
            } catch let problem as VenueForm.Problem {
                let content = VenueFormPage(
                    form: number, fields: VenueForm.Fields(form), problem: problem, now: clock.now)
                return pages.page(
                    pages.frame(request, session).venueFormPage(content), status: .badRequest, usesCamera: true)
            }
        } catch let refusal as Refusal {
            return pages.refusal(refusal, to: request, session)
        }
    }
}

/// `POST /venues/import`: stores the entries of a file, all or none, and leads to the list.
struct ImportVenues: Sendable {
    let sessions: Sessions
    let entering: VenueEntering
    let pages: PageAnswers
    let clock: WallClock

    func handle(_ request: Request, _ context: PageContext) async throws -> Response {
        let session = try await sessions.open(request)
        do {
            guard session.officer.roles.mayEnterVenues else { throw Refusal.noRole }
            // The lines come in a text of several lines, which a form of other pages never has.
            let form = try await request.form(multiline: ["file"])
            let number = try VenueFormNumber(of: form)
            guard let text = form["file"], let message = form["message"].flatMap(VenueMessage.init(rawValue:)) else {
                throw Refusal.malformed
            }
            do {
                let file = try VenueImport(text, enteredAt: clock.now)
                return try await entering.enter(file, message, number, session)
            } catch let problems as VenueImport.Problems {
                let content = VenueImportPage(form: number, text: text, message: message, problems: problems.all)
                return pages.page(pages.frame(request, session).venueImportPage(content), status: .badRequest)
            }
        } catch let refusal as Refusal {
            return pages.refusal(refusal, to: request, session)
        }
    }
}
