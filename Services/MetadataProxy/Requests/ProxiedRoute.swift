import HTTPContract
import HTTPTypes
import Metrics
import NIOCore
import NIOHTTP1
import Serving

/// One forwarded operation on one event loop, and the forwarded parts of its requests.
///
/// Each request is rebuilt from what the contract allows. Nothing has to be removed from a caller's request, because only the
/// body and the named fields are copied: address, user agent, cookies, order and case of the header are left out.
final class ProxiedRoute {
    let route: Route
    let pool: UpstreamPool
    let metrics: RouteMetrics
    /// Answers that weren't known at a multiple of the deadline. `http_request_seconds` says no less of a route.
    let overruns: Counter
    /// Replies that exceed the one length of answers.
    let tooLong: Counter
    /// The limit for its requests of one address prefix.
    let limit: PrefixLimit?
    /// The limit for requests that its service refuses.
    let refusals: RefusalLimit?
    /// The inner request up to the fields that are forwarded.
    private let start: String
    private let head: HTTPRequestHead
    /// The names of the forwarded fields in lower case: `content-type`, then those of the route.
    private let passedNames: [String]

    /// A longer value can't be valid: the contract's longest is a UUID.
    private static let longestValue = 256

    init(_ operation: ProxyPlan.Operation, on loop: any EventLoop) {
        route = operation.description.route
        limit = operation.limit
        refusals = operation.refusals
        metrics = operation.metrics
        overruns = operation.overruns
        tooLong = operation.tooLong
        pool = operation.upstream.pool(on: loop)
        let method = route.method.rawValue
        var start = "\(method) \(route.path) HTTP/1.1\r\nhost: \(operation.upstream.authority)\r\n"
        if let media = route.requestMedia { start += "content-type: \(media.name)\r\n" }
        self.start = start
        head = HTTPRequestHead(version: .http1_1, method: HTTPMethod(rawValue: method), uri: route.path)
        passedNames = ["content-type"] + route.requestHeaders.map(\.canonicalName)
    }

    /// The fields of a request that are forwarded; the rest of its header is never stored.
    struct PassedFields {
        /// The values, in the order of ``passedNames``.
        fileprivate var values: [String?]
        fileprivate var isWellFormed = true
        fileprivate(set) var announcedLength = 0
    }

    /// A request without fields.
    var noFields: PassedFields { PassedFields(values: Array(repeating: nil, count: passedNames.count)) }

    /// Stores a field that is forwarded, and ignores any other.
    func take(_ name: String, _ value: String, into passed: inout PassedFields) {
        if name.isSame(as: "content-length") {
            passed.announcedLength = Int(value) ?? 0
            return
        }
        for (index, wanted) in passedNames.enumerated() where name.isSame(as: wanted) {
            // With two values, two readers may choose different ones; control characters could end the inner field.
            passed.isWellFormed =
                passed.isWellFormed && passed.values[index] == nil && value.utf8.count <= Self.longestValue
                && value.utf8.allSatisfy { (0x20...0x7e).contains($0) }
            passed.values[index] = value
        }
    }

    /// Why a request with these fields is refused, if it is.
    func refusal(of passed: PassedFields) -> Answer? {
        guard passed.isWellFormed else { return .refusal(400) }
        if let media = route.requestMedia {
            guard passed.values[0].map({ media.matches(contentType: $0) }) == true else { return .refusal(415) }
        }
        return passed.announcedLength <= route.bodyLimit ? nil : .refusal(413)
    }

    /// The request as the service receives it, still without a body.
    func innerRequest(_ passed: PassedFields) -> InnerRequest {
        var start = start
        for (index, name) in passedNames.enumerated().dropFirst() {
            if let value = passed.values[index] { start += "\(name): \(value)\r\n" }
        }
        return InnerRequest(head, start, bodyLimit: route.bodyLimit)
    }
}
