import AuditFormat
import FoundationEssentials
import HTTPContract
import HTTPTypes
import Pages
import Running
import Serving
import VenueEventFormat
import Venues

/// `POST /venues`: stores an entry that waits for a second person, and leads to the list.
///
/// A double click, a reload or a lost answer sends the same form again, which is one entry. With other values it is refused.
struct EnterVenue: Sendable {
    let entering: VenueEntering
    let pages: PageAnswers
    let clock: WallClock

    func handle(_ request: Request, _ session: OpenSession) async throws -> Response {
        let form = try request.form()
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
    }
}

/// `POST /venues/import`: stores the entries of a file, all or none, and leads to the list.
struct ImportVenues: Sendable {
    let entering: VenueEntering
    let pages: PageAnswers
    let clock: WallClock

    func handle(_ request: Request, _ session: OpenSession) async throws -> Response {
        // The lines come in a text of several lines, which a form of other pages never has.
        let form = try request.form(multiline: ["file"])
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
    }
}
