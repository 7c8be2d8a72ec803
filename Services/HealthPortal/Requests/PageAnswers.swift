import FoundationEssentials
import HTTPTypes
import Pages
import Running
import Serving

/// Sends pages, each within its frame.
struct PageAnswers: Sendable {
    /// Where the log-out form leads in the end: the identity provider.
    let provider: Origin
    let portal: Portal
    let clock: WallClock

    /// The frame of a page that a request asked for.
    ///
    /// - Parameter session: nil for a page without an officer.
    func frame(_ request: Request, _ session: OpenSession? = nil) -> Frame {
        Frame(
            portal: portal, language: portal.languages.language(of: request),
            page: PagePath(rawValue: String(request.path)) ?? .start,
            officer: session.map {
                Frame.Officer(
                    name: $0.officer.name, roles: $0.officer.roles,
                    secondsLeft: max(0, Int($0.ends.timeIntervalSince(clock.now))))
            })
    }

    func page(
        _ html: HTML, status: HTTPResponse.Status = .ok, cookies: [HostCookie] = [], usesCamera: Bool = false
    ) -> Response {
        .page(html, status: status, cookies: cookies, formTargets: [provider], usesCamera: usesCamera)
    }

    /// The page for a refusal.
    func refusal(
        _ refusal: Refusal, to request: Request, _ session: OpenSession? = nil, cookies: [HostCookie] = []
    ) -> Response {
        var response = page(
            frame(request, session).refusalPage(refusal, now: clock.now), status: refusal.status, cookies: cookies)
        if case .tooMany(let until) = refusal {
            response.headers[.retryAfter] = "\(max(1, Int(until.timeIntervalSince(clock.now).rounded(.up))))"
        }
        return response
    }
}
