import HTTPContract
import OfficerIdentity
import Pages
import Running
import Serving
import Statistics

/// `GET /statistics`, `/statistics.csv` and `/statistics.json`: the same released values as a page and as files.
///
/// The query `weeks` chooses 4 or 13 weeks. Nothing is computed from anything but what was released, so no request learns more
/// than another one.
struct ShowFigures: Sendable {
    let store: FigureStore
    let pages: PageAnswers
    let clock: WallClock

    func page(_ request: Request, _ session: OpenSession) async throws -> Response {
        let span = try Self.span(request)
        let (today, rows) = try await store.released(in: span, at: clock.now)
        return pages.page(pages.frame(request, session).statisticsPage(rows.map(\.value), in: span, today: today))
    }

    func csv(_ request: Request, _ session: OpenSession) async throws -> Response {
        let rows = try await store.released(in: Self.span(request), at: clock.now).rows
        return .data(FigureFile.csv(rows).utf8, type: .csv, named: "figures.csv")
    }

    func json(_ request: Request, _ session: OpenSession) async throws -> Response {
        let rows = try await store.released(in: Self.span(request), at: clock.now).rows
        return .data(try FigureFile.json(rows), type: .json)
    }

    private static func span(_ request: Request) throws -> FigureTable.Span {
        let weeks = try request.queryValues()["weeks"]
        guard let span = weeks.map({ Int($0).flatMap(FigureTable.Span.init) }) ?? .long else { throw Refusal.malformed }
        return span
    }
}

extension Set<OfficerRole> {
    /// Whether the officer may see released figures.
    var maySeeFigures: Bool { contains(.statistics) }
}
