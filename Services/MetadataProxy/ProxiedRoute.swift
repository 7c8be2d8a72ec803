import HTTPContract
import HTTPTypes
import NIOCore
import NIOHTTP1
import ServiceKit

/// One operation that passes, on one event loop: what of a request goes in, and what of an answer comes out.
///
/// Both are built anew from what the contract allows. Nothing is deleted from what a caller sent, because nothing of it is
/// copied but the body and the named fields: address, user agent, cookies, order and case of the header stay outside
/// (design decision 9).
final class ProxiedRoute {
    let route: Route
    let pool: UpstreamPool
    let metrics: RouteMetrics
    private let limit: PrefixLimit?
    /// Of what its service refuses.
    let refusals: RefusalLimit?
    /// The inner request up to its first field of its own.
    private let prefix: String
    /// For the decoder of answers.
    private let head: HTTPRequestHead
    /// In lower case: `content-type`, then what the route names.
    private let passedNames: [String]

    /// A value that is longer is none of the contract's, the longest of which is a UUID.
    private static let longestValue = 256

    init(
        _ route: Route, to upstream: Upstream, limit: PrefixLimit?, refusals: RefusalLimit?, metrics: RouteMetrics,
        on loop: any EventLoop
    ) {
        self.route = route
        self.limit = limit
        self.refusals = refusals
        self.metrics = metrics
        pool = upstream.pool(on: loop)
        let method = route.method.rawValue
        var prefix = "\(method) \(route.path) HTTP/1.1\r\nhost: \(upstream.authority)\r\n"
        if let media = route.requestMedia { prefix += "content-type: \(media.name)\r\n" }
        self.prefix = prefix
        head = HTTPRequestHead(version: .http1_1, method: HTTPMethod(rawValue: method), uri: route.path)
        passedNames = ["content-type"] + route.requestHeaders.map(\.canonicalName)
    }

    /// Counts a request for this operation's limit of its caller's part of the net.
    func admits(_ prefix: AddressPrefix) -> Bool {
        limit?.admits(prefix) ?? true
    }

    // MARK: In

    /// What a request says in fields that pass; nothing else of its header is looked at.
    struct PassedFields {
        /// Beside ``passedNames``.
        fileprivate var values: [String?]
        fileprivate var isWellFormed = true
        fileprivate(set) var announcedLength = 0
    }

    /// A request without fields.
    var noFields: PassedFields { PassedFields(values: Array(repeating: nil, count: passedNames.count)) }

    /// Takes a field that passes, and leaves any other.
    func take(_ name: String, _ value: String, into passed: inout PassedFields) {
        if name.isSame(as: "content-length") {
            passed.announcedLength = Int(value) ?? 0
            return
        }
        for (index, wanted) in passedNames.enumerated() where name.isSame(as: wanted) {
            // Two values could be read as one here and as the other there; control characters could end the inner field.
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

    /// A request as the service gets it.
    func innerRequest(_ passed: PassedFields, _ body: ByteBuffer) -> (HTTPRequestHead, ByteBuffer) {
        var bytes = ByteBuffer()
        bytes.reserveCapacity(512 + body.readableBytes)
        bytes.writeString(prefix)
        for (index, name) in passedNames.enumerated().dropFirst() {
            guard let value = passed.values[index] else { continue }
            bytes.writeString(name)
            bytes.writeStaticString(": ")
            bytes.writeString(value)
            bytes.writeStaticString("\r\n")
        }
        bytes.writeStaticString("content-length: ")
        bytes.writeString(String(body.readableBytes))
        bytes.writeStaticString("\r\n\r\n")
        bytes.writeImmutableBuffer(body)
        return (head, bytes)
    }

    // MARK: Out

    /// Whether a service refuses a request, and what else it says to the proxy alone.
    func isRefusal(_ head: HTTPResponseHead) -> Bool {
        guard let refusals else { return false }
        if let value = head.headers.first(name: HTTPField.Name.teleTANsStrained.canonicalName) {
            refusals.note(isStrained: value == "1")
        }
        return (400..<500).contains(head.status.code)
    }

    /// A service's answer as the caller gets it. Only a success has a body in the contract; whatever else a service may
    /// write stays inside.
    func answer(_ head: HTTPResponseHead, _ body: ByteBuffer) -> Answer {
        let status = Int(head.status.code)
        if status == 503 { return .unavailable }
        var answer = Answer(status: status)
        for name in route.responseHeaders where name != .teleTANsStrained {
            if let value = head.headers.first(name: name.canonicalName) {
                answer.fields.append((name.canonicalName, value))
            }
        }
        if let media = route.responseMedia, (200..<300).contains(status) {
            answer.fields.append(("content-type", media.name))
            answer.body = body
        }
        return answer
    }
}
