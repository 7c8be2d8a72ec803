import HTTPContract
import HTTPTypes
import Hummingbird
import Pages

/// What holds for every request of a browser, before any page sees it; and every refusal becomes a page.
struct RequestRules: RouterMiddleware {
    let origins: Origins
    let pages: PageAnswers

    @concurrent func handle(
        _ request: Request, context: PageContext, next: @concurrent (Request, PageContext) async throws -> Response
    ) async throws -> Response {
        do {
            guard let origin = origins.origin(of: request) else { throw Refusal.malformed }
            guard request.method == .get || Self.isOwn(request, origin) else { throw Refusal.otherSite }
            return try await next(request, context)
        } catch let refusal as Refusal {
            return pages.refusal(refusal, to: request)
        }
    }

    /// Whether a page of ours sent a request that changes something.
    ///
    /// Other sites can send forms here, but browsers say so. One that doesn't know `Sec-Fetch-Site` sends `Origin` with every
    /// form (Fetch, section 3.2); without both it is no browser that an officer should use.
    private static func isOwn(_ request: Request, _ origin: Origin) -> Bool {
        if let site = request.headers[.secFetchSite] { return site == "same-origin" }
        return request.headers[.origin] == origin.text
    }
}
