import HTTPContract
import OfficerIdentity
import Pages
import Serving

/// Pages for officers who have signed in. Whoever hasn't, whose roles don't allow a page, or whom the page refuses gets one that says
/// so.
struct OfficerPages: Sendable {
    let sessions: Sessions
    let answers: PageAnswers

    /// A page, or what a form is sent to.
    ///
    /// - Parameter allowed: whether the roles allow it; by default all do.
    func page(
        for allowed: @escaping @Sendable (Set<OfficerRole>) -> Bool = { _ in true },
        use handler: @escaping @Sendable (Request, OpenSession) async throws -> Response
    ) -> PageRouter.Handler {
        { request, _ in
            let session = try await sessions.open(request)
            do {
                guard allowed(session.officer.roles) else { throw Refusal.noRole }
                return try await handler(request, session)
            } catch let error as any ProblemConvertible {
                // With the officer's frame, whose links lead on.
                return answers.refusal(Refusal(error), to: request, session)
            }
        }
    }
}
