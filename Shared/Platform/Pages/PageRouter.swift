package import HTTPContract
import HTTPTypes
package import Serving

/// The pages of a service by method and path, for ``Serving/Routes/pages(_:origins:bodyLimit:refusal:)``.
package struct PageRouter: Sendable {
    /// Answers one request, whose body has been read.
    package typealias Handler = @Sendable (Request, Exchange) async throws -> Response

    fileprivate private(set) var pages: [(method: HTTPRequest.Method, path: String, handler: Handler)] = []

    /// Without pages.
    package init() {}

    /// A page.
    package mutating func get(_ path: String, use handler: @escaping Handler) { pages.append((.get, path, handler)) }

    /// What a form is sent to.
    package mutating func post(_ path: String, use handler: @escaping Handler) { pages.append((.post, path, handler)) }

    /// A file that pages load.
    package mutating func get(_ asset: Asset) {
        let response = Response.asset(asset)
        get(asset.location.text) { _, _ in response }
    }
}

extension Routes {
    /// Serves pages beside the listener's operations, with the same limits, deadlines, metrics and log.
    ///
    /// - Parameters:
    ///   - origins: under which browsers reach the pages. A request for another host is refused (400), and so is a form of
    ///     another site (403), before its body is read. Nil admits every host, and the forms of every site.
    ///   - bodyLimit: the maximum length of the body of a `POST`; other requests may have none.
    ///   - refusal: creates the page for a refused request, whether a handler refuses it or there is no such page. It has no
    ///     body yet.
    package mutating func pages(
        _ router: PageRouter, origins: Origins? = nil, bodyLimit: Int = 16 << 10,
        refusal: @escaping @Sendable (any ProblemConvertible, Request) -> Response
    ) {
        for (method, path, handler) in router.pages {
            on(method, path) { exchange in
                var request = exchange.request
                do {
                    try origins?.check(exchange)
                    request.body = try await exchange.body(upTo: method == .post ? bodyLimit : 0)
                    return try await handler(request, exchange)
                } catch let error as any ProblemConvertible {
                    return refusal(error, request)
                }
            }
        }
        fallback { exchange in refusal(Problem(.notFound), exchange.request) }
    }
}
