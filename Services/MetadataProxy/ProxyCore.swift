import Calling
import HTTPContract
import HTTPMessage
import HTTPTypes
import Loop
import Serving

/// The proxy on one core: routes and limits, for the connections that the core has.
final class ProxyCore: RequestServer {
    /// All answers are equally long.
    let padding = ServerAnswer.padding
    private let schedule: any AnswerSchedule
    /// The limit for all requests of an address prefix.
    private let limit: PrefixLimit
    /// Requests for no route.
    private let otherRequests: RouteMetrics
    private let paths: [String: Path]

    private struct Path {
        var routes: [ProxiedRoute] = []
        var allowed: String { routes.map(\.route.method.rawValue).sorted().joined(separator: ", ") }
    }

    /// - Parameter pool: the connections of this core to a service.
    init(_ plan: ProxyPlan, pool: (HTTPClient) -> ClientPool?) {
        schedule = plan.schedule
        limit = plan.limit
        otherRequests = plan.otherRequests
        var paths: [String: Path] = [:]
        for operation in plan.operations {
            guard let pool = pool(operation.upstream) else { preconditionFailure("The client is for other cores.") }
            let route = ProxiedRoute(operation, to: pool, otherMetrics: plan.otherRequests)
            paths[route.route.path, default: Path()].routes.append(route)
        }
        self.paths = paths
    }

    // MARK: Requests

    private struct Refusal: Error {
        let answer: ServerAnswer
    }

    func begin(_ exchange: ServerExchange) -> (any ExchangeHandler)? {
        do throws(Refusal) {
            return try admit(exchange)
        } catch {
            exchange.refuse(error.answer)
            return nil
        }
    }

    /// Decides on a request by its header.
    private func admit(_ exchange: ServerExchange) throws(Refusal) -> ProxyExchange {
        let head = exchange.head
        // Counts every request, also one that is refused for another reason.
        let isWithinLimit = limit.admits(exchange.prefix)
        func refusal(_ answer: ServerAnswer, _ metrics: RouteMetrics) -> Refusal {
            metrics.record(answer.status, since: exchange.start)
            return Refusal(answer: answer)
        }
        guard let path = path(of: head.target) else {
            throw refusal(.refusal(isWithinLimit ? .notFound : .tooManyRequests), otherRequests)
        }
        guard let route = path.routes.first(where: { $0.route.method == head.method }) else {
            guard isWithinLimit else { throw refusal(.refusal(.tooManyRequests), otherRequests) }
            throw refusal(.methodNotAllowed(path.allowed), otherRequests)
        }
        guard isWithinLimit, route.limit?.admits(exchange.prefix) ?? true else {
            throw refusal(.refusal(.tooManyRequests), route.metrics)
        }
        let announced = if case .length(let length) = head.framing { length } else { 0 }
        let request: InnerRequest
        do throws(ProxiedRoute.Refusal) {
            request = try route.innerRequest(head.fields, announced: announced)
        } catch {
            throw refusal(.refusal(error.status), route.metrics)
        }
        guard let refusals = route.refusals else {
            return ProxyExchange(exchange, to: route, request, attempt: nil, by: schedule)
        }
        guard let attempt = refusals.attempt(from: exchange.prefix) else {
            throw refusal(.refusal(.tooManyRequests), route.metrics)
        }
        return ProxyExchange(exchange, to: route, request, attempt: attempt, by: schedule)
    }

    /// The routes of a path, one for each method; nil if there is none.
    ///
    /// - Parameter target: path and query as sent. The query is not forwarded.
    private func path(of target: String) -> Path? {
        if let path = paths[target] { return path }
        return target.utf8.firstIndex(of: UInt8(ascii: "?")).flatMap { paths[String(target[..<$0])] }
    }

    // MARK: The listener's own refusals

    /// Counts it as a request for no route: it wasn't a valid one.
    func refusal(_ status: HTTPResponse.Status) -> ServerAnswer {
        otherRequests.record(status, since: .now())
        return .refusal(status)
    }

    func shortOfMemory(_ exchange: ServerExchange) -> ServerAnswer {
        let isWithinLimit = limit.admits(exchange.prefix)
        let routes = path(of: exchange.head.target)?.routes ?? []
        let route = routes.first { $0.route.method == exchange.head.method }
        let answer = isWithinLimit ? ServerAnswer.unavailable : .refusal(.tooManyRequests)
        (route?.metrics ?? otherRequests).record(answer.status, since: exchange.start)
        return answer
    }
}
