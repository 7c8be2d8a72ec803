import HTTPContract
import Hummingbird
import Pages

/// `POST /session`: the officer is still there. Every request says so; this one does nothing else, and leads back to the page.
struct ExtendSession: Sendable {
    let sessions: Sessions

    func handle(_ request: Request, _ context: PageContext) async throws -> Response {
        let form = try await request.form()
        _ = try await sessions.open(request)
        return .seeOther((form["at"].flatMap(PagePath.init(rawValue:)) ?? .start).location)
    }
}
