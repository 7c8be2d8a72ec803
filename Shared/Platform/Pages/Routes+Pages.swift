package import HTTPContract
import HTTPTypes
package import Hummingbird
import Logging
package import Serving

extension Routes {
    /// Serves the pages of a Hummingbird router beside the listener's operations, with the same limits, deadlines and metrics.
    ///
    /// Every route of the router becomes one of the listener's. Only requests that match a route as sent reach the router.
    ///
    /// - Parameters:
    ///   - bodyLimit: the maximum length of the body of a `POST`; other requests may have none.
    ///   - refusal: creates the page for a refused request, whether a handler refuses it or there is no such page.
    package mutating func pages(
        _ router: Router<PageContext>, bodyLimit: Int = 16 << 10,
        refusal: @escaping @Sendable (Problem, Exchange) -> Response
    ) {
        let routes = router.routes
        let responder = router.buildResponder()
        // The logger for libraries: it passes on warnings and errors without their text.
        let logger = Logger(label: "pages")
        for route in routes {
            let limit = route.method == .post ? bodyLimit : 0
            on(route.method, route.path.description) { exchange in
                do {
                    let body = try await exchange.body(upTo: limit)
                    return try await responder.respond(
                        to: Request(head: exchange.request.head, body: RequestBody(buffer: body)),
                        context: PageContext(source: PageContext.Source(logger: logger, exchange: exchange)))
                } catch let error as any ProblemConvertible {
                    return refusal(error.problem, exchange)
                }
            }
        }
        fallback { exchange in refusal(Problem(.notFound), exchange) }
    }
}
