import Pages
import Serving

/// `GET /`: signed out, what this is and a link to sign in; signed in, the first page that the roles allow.
struct StartPage: Sendable {
    let sessions: Sessions
    let pages: PageAnswers

    func handle(_ request: Request, _ exchange: Exchange) async throws -> Response {
        guard let session = try await sessions.find(request) else {
            return pages.page(pages.frame(request).startPage())
        }
        guard let first = PagePath.allowed(to: session.officer.roles).first else {
            return pages.refusal(.noRole, to: request, session)
        }
        return .seeOther(first.location)
    }
}

/// A page that everybody may read, such as `GET /help`.
struct PublicPage: Sendable {
    let sessions: Sessions
    let pages: PageAnswers
    let view: @Sendable (Frame) -> HTML

    func handle(_ request: Request, _ exchange: Exchange) async throws -> Response {
        // It is there without the database and the identity provider, too.
        pages.page(view(pages.frame(request, try? await sessions.find(request))))
    }
}
