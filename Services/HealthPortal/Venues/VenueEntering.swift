import AuditFormat
import FoundationEssentials
import Pages
import Serving
import VenueEventFormat
import Venues

/// Stores entries with the audit of who made them.
struct VenueEntering: Sendable {
    let store: VenueStore
    let audit: CodeAudit
    let pseudonyms: Pseudonyms

    /// - Returns: the way to the list.
    /// - Throws: ``Refusal/entryUsed`` or ``Refusal/full``.
    func enter(_ events: [VenueEvent], as act: VenueAct, _ session: OpenSession) async throws -> Response {
        let rows = try events.compactMap { try audit.row(act, on: $0.id, by: session.officer, pseudonyms) }
        switch try await store.enter(events, by: pseudonyms.of(session.officer), audit: rows) {
        case .stored: return .seeOther(PagePath.venues.location)
        case .otherValues: throw Refusal.entryUsed
        case .full: throw Refusal.full
        }
    }

    /// The events of a file, each of one tag.
    func enter(
        _ file: VenueImport, _ message: VenueMessage, _ form: VenueFormNumber, _ session: OpenSession
    ) async throws -> Response {
        let events = file.lines.enumerated().compactMap { position, line in
            VenueEvent(
                id: form.event(position, in: session.id), tags: [line.number.tag], window: line.window,
                severity: line.severity, message: message)
        }
        return try await enter(events, as: .import, session)
    }
}
