import HTTPContract
import HTTPTypes
import NIOCore
import Serving

/// The state that the connections of one event loop share: routes, limits, the encoder.
final class ProxyLoop {
    let loop: any EventLoop
    let schedule: any AnswerSchedule
    let bytesInFlight: BytesInFlight
    /// The limit for all requests of an address prefix.
    let limit: PrefixLimit
    var encoder: AnswerEncoder
    /// Requests for no route.
    let otherRequests: RouteMetrics
    private let routesByPath: [String: [ProxiedRoute]]

    init(_ plan: ProxyPlan, on loop: any EventLoop) throws {
        self.loop = loop
        schedule = plan.schedule
        bytesInFlight = plan.bytesInFlight
        limit = plan.limit
        encoder = try AnswerEncoder(date: plan.date)
        otherRequests = plan.otherRequests
        routesByPath = Dictionary(
            grouping: plan.operations.map { ProxiedRoute($0, on: loop) }, by: \.route.path)
    }

    /// The routes of a path, one for each method; nil if there is none.
    ///
    /// - Parameter target: path and query as sent.
    func routes(for target: String) -> [ProxiedRoute]? {
        routesByPath[target] ?? routesByPath[String(target.prefix { $0 != "?" })]
    }

    /// Counts an answer to something that wasn't a valid request.
    func count(_ answer: Answer) {
        otherRequests.record(HTTPResponse.Status(code: answer.status), since: .now())
    }
}
