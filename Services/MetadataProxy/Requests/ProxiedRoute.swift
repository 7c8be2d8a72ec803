import Calling
import HTTPContract
import HTTPMessage
import HTTPTypes
import Loop
import Metrics
import Serving

/// One forwarded operation on one core, and the forwarded parts of its requests.
///
/// Each request is rebuilt from what the contract allows. Nothing has to be removed from a caller's request, because only the
/// body and the named fields are copied: address, user agent, cookies, order and case of the header are left out.
final class ProxiedRoute {
    let route: Route
    let pool: ClientPool
    let metrics: RouteMetrics
    /// For requests that aren't complete.
    let otherMetrics: RouteMetrics
    /// Answers that weren't known at a multiple of the deadline. `http_request_seconds` says no less of a route.
    let overruns: Counter
    /// Replies that exceed the one length of answers.
    let tooLong: Counter
    /// The limit for its requests of one address prefix.
    let limit: PrefixLimit?
    /// The limit for requests that its service refuses.
    let refusals: RefusalLimit?
    /// The inner request up to the fields that are forwarded.
    private let start: [UInt8]
    /// What the fields that are forwarded are called by callers, and how they begin towards the service.
    private let passedNames: [(name: [UInt8], start: [UInt8])]
    /// The media type as nearly every caller writes it.
    private let usualMedia: [UInt8]

    /// A longer value can't be valid: the contract's longest is a UUID.
    private static let longestValue = 256

    /// - Parameter otherMetrics: for requests that aren't complete.
    init(_ operation: ProxyPlan.Operation, to pool: ClientPool, otherMetrics: RouteMetrics) {
        route = operation.description.route
        self.pool = pool
        self.otherMetrics = otherMetrics
        limit = operation.limit
        refusals = operation.refusals
        metrics = operation.metrics
        overruns = operation.overruns
        tooLong = operation.tooLong
        let authority = operation.upstream.peer.origin.authority
        var start = "\(route.method.rawValue) \(route.path) HTTP/1.1\r\nhost: \(authority)\r\n"
        if let media = route.requestMedia { start += "content-type: \(media.name)\r\n" }
        self.start = Array(start.utf8)
        passedNames = route.requestHeaders.map { name in
            (Array(name.canonicalName.utf8), Array("\(name.canonicalName): ".utf8))
        }
        usualMedia = Array((route.requestMedia?.text ?? "").utf8)
    }

    /// Why a request is refused for its header.
    struct Refusal: Error {
        let status: HTTPResponse.Status
    }

    /// The request as the service receives it, still without a body.
    ///
    /// - Parameters:
    ///   - fields: the caller's.
    ///   - announced: the body's length if the caller has said it, else 0.
    func innerRequest(_ fields: FieldLines, announced: Int) throws(Refusal) -> InnerRequest {
        var request = InnerRequest(route.method, start, announced: announced)
        let media = try value(of: Self.contentType, in: fields)
        for passed in passedNames {
            if let value = try value(of: passed.name, in: fields) { request.append(passed.start, value) }
        }
        request.endHeader(bodyLimit: route.bodyLimit)
        if let expected = route.requestMedia {
            guard let media, media.elementsEqual(usualMedia) || expected.matches(contentType: media.text) else {
                throw Refusal(status: .unsupportedMediaType)
            }
        }
        guard announced <= route.bodyLimit else { throw Refusal(status: .contentTooLarge) }
        return request
    }

    private static let contentType = Array("content-type".utf8)

    /// The value of a field; nil without one.
    ///
    /// With two, two readers may choose different ones; control characters could end the inner field.
    ///
    /// - Parameter name: in lower case.
    private func value(of name: [UInt8], in fields: FieldLines) throws(Refusal) -> ArraySlice<UInt8>? {
        var found: ArraySlice<UInt8>?
        for line in fields.lines where line.name.count == name.count {
            guard fields.bytes[line.name].elementsEqual(name) else { continue }
            let value = fields.bytes[line.value]
            guard found == nil, value.count <= Self.longestValue, value.allSatisfy({ (0x20...0x7E).contains($0) })
            else { throw Refusal(status: .badRequest) }
            found = value
        }
        return found
    }
}

extension ArraySlice<UInt8> {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
