import HTTPContract
import Hummingbird
import OfficerIdentity
import Pages
import Running
import Statistics

/// `GET /statistics`, `/statistics.csv` and `/statistics.json`: the same released values as a page and as files.
///
/// The query `weeks` chooses 4 or 13 weeks. Nothing is computed from anything but what was released, so no request learns more
/// than another one.
struct ShowFigures: Sendable {
    let sessions: Sessions
    let store: FigureStore
    let pages: PageAnswers
    let clock: WallClock

    func page(_ request: Request, _ context: PageContext) async throws -> Response {
        try await allowed(request) { session, span in
            let (today, rows) = try await store.released(in: span, at: clock.now)
            return pages.page(
                pages.frame(request, session).statisticsPage(rows.map(\.value), in: span, today: today))
        }
    }

    func csv(_ request: Request, _ context: PageContext) async throws -> Response {
        try await allowed(request) { _, span in
            let rows = try await store.released(in: span, at: clock.now).rows
            return .data(FigureFile.csv(rows).utf8, type: .csv, named: "figures.csv")
        }
    }

    func json(_ request: Request, _ context: PageContext) async throws -> Response {
        try await allowed(request) { _, span in
            let rows = try await store.released(in: span, at: clock.now).rows
            return .data(try FigureFile.json(rows), type: .json)
        }
    }

    private func allowed(
        _ request: Request, _ answer: (OpenSession, FigureTable.Span) async throws -> Response
    ) async throws -> Response {
        let session = try await sessions.open(request)
        guard session.officer.roles.contains(.statistics) else { return pages.refusal(.noRole, to: request, session) }
        let weeks = try request.query()["weeks"]
        guard let span = weeks.map({ Int($0).flatMap(FigureTable.Span.init) }) ?? .long else { throw Refusal.malformed }
        return try await answer(session, span)
    }
}
