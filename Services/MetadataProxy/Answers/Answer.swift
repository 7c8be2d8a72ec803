import Calling
import HTTPContract
import HTTPMessage
import HTTPTypes
import Serving

/// What the proxy answers. The listener adds `date`, `content-length` and the padding.
extension ServerAnswer {
    /// The length of every answer in bytes: status line, fields and body on HTTP/1.1, the HEADERS and DATA frames on HTTP/2.
    ///
    /// An observer who sees only TLS records can't tell a registration from a result or a TAN, accepted from refused, a real
    /// request from a dummy request. The longest answer of the contract, a result with a laboratory's id of 64 characters,
    /// takes less than half of it.
    static let length = 1024

    /// The field that makes every answer equally long. Apps ignore it, as they ignore any that they don't know.
    static let padding = HTTPField.Name("cwa-header-padding").map { AnswerPadding($0, length: length) }

    /// An answer without a body.
    static func refusal(_ status: HTTPResponse.Status) -> ServerAnswer {
        if status == .serviceUnavailable { return unavailable }
        return ServerAnswer(status, fields: commonFields)
    }

    /// A service doesn't answer, or the proxy has too much to do: the request may be repeated as it is.
    static let unavailable: ServerAnswer = {
        var fields = commonFields
        fields.append(.retryAfter, String(Problem.unavailable.retryAfter ?? 1))
        return ServerAnswer(.serviceUnavailable, fields: fields)
    }()

    /// The path is known, but not with this method.
    static func methodNotAllowed(_ allowed: String) -> ServerAnswer {
        var answer = refusal(.methodNotAllowed)
        answer.fields.append(.allow, allowed)
        return answer
    }

    private static let commonFields: FieldLines = {
        var fields = FieldLines(bytes: 128, lines: 4)
        fields.append(.cacheControl, "no-store")
        return fields
    }()

    /// A service's reply as the caller receives it. Built from what the contract allows: of a refusal only the status and, if
    /// the body is that of one of the route's error codes and nothing else, the code.
    init(_ reply: ClientResponse, of route: Route) {
        if reply.status == .serviceUnavailable {
            self = .unavailable
            return
        }
        self.init(reply.status, fields: Self.commonFields)
        for name in route.responseHeaders where name != .teleTANsStrained {
            if let value = reply.fields.first(name) { fields.append(name, value) }
        }
        // It must name a scheme (RFC 9110, 11.6.1), as the service's own answer did.
        if status == .unauthorized { fields.append(.wwwAuthenticate, "Bearer") }
        if let media = route.responseMedia, (200..<300).contains(status.code) {
            fields.append(.contentType, media.name)
            body = ResponseBody(reply.body)
        } else if reply.isRefusal, let code = route.errorCodes.first(where: { reply.hasBody($0.body) }) {
            fields.append(.contentType, MediaType.json.name)
            body = ResponseBody(Array(code.body.utf8))
        }
    }
}

extension ClientResponse {
    /// Whether the service refuses the request.
    var isRefusal: Bool { (400..<500).contains(status.code) }

    /// Whether the body is exactly this text.
    fileprivate func hasBody(_ text: String) -> Bool { body.elementsEqual(text.utf8) }

    /// Whether the verification server reports guessed teleTANs; nil if it reports nothing. It tells only the proxy.
    var isStrained: Bool? { fields.first(.teleTANsStrained).map { $0 == "1" } }
}
