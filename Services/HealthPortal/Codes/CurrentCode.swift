import Credentials
import FoundationEssentials
import Pages
import Running
import Serving

/// The page with the code to read out.
struct CurrentCode: Sendable {
    /// Ten characters; nil if it was told or its ten minutes are over.
    let text: String?
    let kind: TeleTANKind
    /// For events.
    let authority: Authority?
    let validUntil: Date
    let now: Date
    /// Seconds until the page empties itself.
    let secondsShown: Int
    /// Whether the officer can have it shown once more.
    let canBeShownAgain: Bool
    let isTraining: Bool

    /// Seconds of validity.
    var secondsLeft: Int { max(0, Int(validUntil.timeIntervalSince(now))) }
}

/// `GET /codes/current`: the last code of the session. Its address names no code, and no other page has it.
struct ShowCurrentCode: Sendable {
    let pages: PageAnswers
    let clock: WallClock

    func handle(_ request: Request, _ session: OpenSession) async throws -> Response {
        guard let code = session.codes.last else { return .seeOther(PagePath.codes.location) }
        let now = clock.now
        let page = CurrentCode(
            text: code.isShown(at: now) ? code.text : nil, kind: code.form.kind, authority: code.authority,
            validUntil: code.validUntil, now: now, secondsShown: code.secondsShown(at: now),
            canBeShownAgain: code.isHidden && code.canBeShown(at: now), isTraining: code.form.isTraining)
        return pages.page(pages.frame(request, session).currentCodePage(page))
    }
}

/// `POST /codes/current/hide`, after the code was told, and `POST /codes/current/show`, after it was misheard.
struct HideCode: Sendable {
    let sessions: Sessions
    let hides: Bool

    func handle(_ request: Request, _ session: OpenSession) async throws -> Response {
        _ = try request.form()
        var codes = session.codes
        if codes.last?.isHidden == !hides {
            codes.last?.isHidden = hides
            // Of two requests at once one suffices.
            _ = try await sessions.save(codes, of: session)
        }
        // A browser shows a page from its memory on Back, unless a later answer changed a cookie.
        return .seeOther(
            PagePath.currentCode.location, cookies: [try HostCookie("told", [UInt8].random().prefix(4).map { $0 }.hex)])
    }
}
