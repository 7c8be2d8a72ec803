import HTTPContract
import HTTPTypes
import NIOCore
import Serving

/// A request of an app whose header has been accepted and whose body is being received.
///
/// The connection that receives it owns it. Once the last byte is here it is handed over, as a whole, to ``ProxyExchange``.
struct AppRequest: ~Copyable {
    let route: ProxiedRoute
    /// Held until the answer has left.
    var memory: BytesInFlight.Share
    /// The attempt for the route's ``RefusalLimit``, if it has one.
    var attempt: RefusalLimit.Attempt?
    private let announcedLength: Int
    /// What the service receives.
    private(set) var inner: InnerRequest

    // MARK: The header

    /// A request is refused on its header alone.
    ///
    /// It is thrown instead of being a case beside the request: in release builds Swift 6.3 copies an enumeration whose
    /// payloads are a noncopyable and a copyable value, and traps.
    struct Refusal: Error {
        let answer: Answer
    }

    /// Decides on a request by its header.
    ///
    /// - Parameters:
    ///   - target: path and query as sent. The query is not forwarded.
    ///   - forEachField: calls its argument for every header field.
    /// - Throws: ``Refusal``.
    static func admit(
        _ method: String, _ target: String, from prefix: AddressPrefix, on shared: ProxyLoop,
        forEachField: ((String, String) -> Void) -> Void
    ) throws(Refusal) -> AppRequest {
        // Counts every request, also one that is refused for another reason.
        let isWithinLimit = shared.limit.admits(prefix)
        guard let routes = shared.routes(for: target) else {
            throw refusal(.refusal(isWithinLimit ? 404 : 429), shared.otherRequests)
        }
        guard let route = routes.first(where: { $0.route.method.rawValue == method }) else {
            guard isWithinLimit else { throw refusal(.refusal(429), shared.otherRequests) }
            let allowed = routes.map(\.route.method.rawValue).sorted().joined(separator: ", ")
            throw refusal(.refusal(405, ("allow", allowed)), shared.otherRequests)
        }
        guard isWithinLimit, route.limit?.admits(prefix) ?? true else { throw refusal(.refusal(429), route.metrics) }
        var fields = route.noFields
        forEachField { name, value in route.take(name, value, into: &fields) }
        if let answer = route.refusal(of: fields) { throw refusal(answer, route.metrics) }
        guard let memory = shared.bytesInFlight.share(BytesInFlight.perRequest, for: prefix) else {
            throw refusal(.unavailable, route.metrics)
        }
        var request = AppRequest(route, fields, memory)
        if let refusals = route.refusals {
            request.attempt = refusals.attempt(from: prefix)
            if request.attempt == nil { throw refusal(.refusal(429), route.metrics) }
        }
        return request
    }

    private static func refusal(_ answer: Answer, _ metrics: RouteMetrics) -> Refusal {
        metrics.record(HTTPResponse.Status(code: answer.status), since: .now())
        return Refusal(answer: answer)
    }

    private init(_ route: ProxiedRoute, _ fields: ProxiedRoute.PassedFields, _ memory: consuming BytesInFlight.Share) {
        self.route = route
        announcedLength = fields.announcedLength
        inner = route.innerRequest(fields)
        self.memory = memory
    }

    // MARK: The body

    /// Adds a piece of the body.
    /// - Returns: why the request is refused, if it is.
    mutating func receive(_ bytes: ByteBuffer) -> Answer? {
        guard inner.bodyLength + bytes.readableBytes <= route.route.bodyLimit else { return .refusal(413) }
        guard memory.grow(by: bytes.readableBytes) else { return .unavailable }
        inner.append(bytes)
        return nil
    }

    /// How many bytes of the body are still to come, if its length was announced.
    var announcedRest: Int { announcedLength - inner.bodyLength }

    /// The body is complete.
    mutating func end() { inner.end() }
}
