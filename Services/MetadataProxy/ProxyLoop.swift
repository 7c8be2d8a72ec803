import HTTPContract
import HTTPTypes
import Metrics
import NIOCore
import ServiceKit

/// What the connections of one event loop share: the operations that pass, the encoder, the counters.
final class ProxyLoop {
    let loop: any EventLoop
    let schedule: AnswerSchedule
    let bytesInFlight: BytesInFlight
    var encoder: AnswerEncoder
    /// Answers that weren't there at a multiple of the deadline.
    let overruns: Counter
    /// Answers of services that had no room in the one length.
    let tooLong: Counter
    private let limit: PrefixLimit
    private let paths: [String: [ProxiedRoute]]
    private let other: RouteMetrics

    init(_ plan: ProxyPlan, on loop: any EventLoop) throws {
        self.loop = loop
        schedule = plan.schedule
        bytesInFlight = plan.bytesInFlight
        limit = plan.limit
        encoder = try AnswerEncoder(date: plan.date)
        overruns = Counter(label: "answer_overruns_total", dimensions: [], factory: plan.metrics)
        tooLong = Counter(label: "answers_too_long_total", dimensions: [], factory: plan.metrics)
        let routes = plan.offers.map { offer in
            ProxiedRoute(
                offer.operation.route, to: offer.upstream, limit: offer.limit, refusals: offer.refusals,
                metrics: offer.metrics, on: loop)
        }
        paths = Dictionary(grouping: routes, by: \.route.path)
        other = plan.other
    }

    /// Whether a request may come in, judged by its header.
    enum Admission {
        case admitted(Exchange)
        case refused(Answer)
    }

    /// Judges a request by its header.
    ///
    /// - Parameters:
    ///   - target: path and query as sent. The query doesn't pass.
    ///   - fields: hands all fields over, one after the other.
    func admit(
        _ method: String, _ target: String, from prefix: AddressPrefix, to caller: any Caller,
        fields: ((String, String) -> Void) -> Void
    ) -> Admission {
        // Whatever they ask for, and whether or not it is refused.
        let isWithinLimit = limit.admits(prefix)
        guard let routes = paths[target] ?? paths[String(target.prefix { $0 != "?" })] else {
            return refused(.refusal(isWithinLimit ? 404 : 429))
        }
        guard let route = routes.first(where: { $0.route.method.rawValue == method }) else {
            guard isWithinLimit else { return refused(.refusal(429)) }
            let allowed = routes.map(\.route.method.rawValue).sorted().joined(separator: ", ")
            return refused(.refusal(405, ("allow", allowed)))
        }
        guard isWithinLimit, route.admits(prefix) else { return refused(.refusal(429), at: route) }
        var passed = route.noFields
        fields { name, value in route.take(name, value, into: &passed) }
        if let refusal = route.refusal(of: passed) { return refused(refusal, at: route) }
        guard let exchange = Exchange(route, passed, from: prefix, to: caller, in: self) else {
            return refused(.unavailable, at: route)
        }
        if let refusals = route.refusals, !exchange.isAdmitted(by: refusals, from: prefix) {
            return refused(.refusal(429), at: route)
        }
        return .admitted(exchange)
    }

    private func refused(_ answer: Answer, at route: ProxiedRoute? = nil) -> Admission {
        (route?.metrics ?? other).record(HTTPResponse.Status(code: answer.status), since: .now())
        return .refused(answer)
    }

    /// Counts an answer to what was no request.
    func count(_ answer: Answer) {
        other.record(HTTPResponse.Status(code: answer.status), since: .now())
    }
}
