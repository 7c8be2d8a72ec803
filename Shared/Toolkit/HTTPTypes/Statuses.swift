/// Registered statuses (RFC 9110, section 15; RFC 6585; RFC 7725; RFC 8297; RFC 8470).
extension HTTPResponse.Status {
    /// 100 Continue (RFC 9110, section 15.2.1).
    package static var `continue`: Self { Self(code: 100) }
    /// 101 Switching Protocols (RFC 9110, section 15.2.2).
    package static var switchingProtocols: Self { Self(code: 101) }
    /// 103 Early Hints (RFC 8297, section 2).
    package static var earlyHints: Self { Self(code: 103) }
    /// 200 OK (RFC 9110, section 15.3.1).
    package static var ok: Self { Self(code: 200) }
    /// 201 Created (RFC 9110, section 15.3.2).
    package static var created: Self { Self(code: 201) }
    /// 202 Accepted (RFC 9110, section 15.3.3).
    package static var accepted: Self { Self(code: 202) }
    /// 203 Non-Authoritative Information (RFC 9110, section 15.3.4).
    package static var nonAuthoritativeInformation: Self { Self(code: 203) }
    /// 204 No Content (RFC 9110, section 15.3.5).
    package static var noContent: Self { Self(code: 204) }
    /// 205 Reset Content (RFC 9110, section 15.3.6).
    package static var resetContent: Self { Self(code: 205) }
    /// 206 Partial Content (RFC 9110, section 15.3.7).
    package static var partialContent: Self { Self(code: 206) }
    /// 300 Multiple Choices (RFC 9110, section 15.4.1).
    package static var multipleChoices: Self { Self(code: 300) }
    /// 301 Moved Permanently (RFC 9110, section 15.4.2).
    package static var movedPermanently: Self { Self(code: 301) }
    /// 302 Found (RFC 9110, section 15.4.3).
    package static var found: Self { Self(code: 302) }
    /// 303 See Other (RFC 9110, section 15.4.4).
    package static var seeOther: Self { Self(code: 303) }
    /// 304 Not Modified (RFC 9110, section 15.4.5).
    package static var notModified: Self { Self(code: 304) }
    /// 307 Temporary Redirect (RFC 9110, section 15.4.8).
    package static var temporaryRedirect: Self { Self(code: 307) }
    /// 308 Permanent Redirect (RFC 9110, section 15.4.9).
    package static var permanentRedirect: Self { Self(code: 308) }
    /// 400 Bad Request (RFC 9110, section 15.5.1).
    package static var badRequest: Self { Self(code: 400) }
    /// 401 Unauthorized (RFC 9110, section 15.5.2).
    package static var unauthorized: Self { Self(code: 401) }
    /// 403 Forbidden (RFC 9110, section 15.5.4).
    package static var forbidden: Self { Self(code: 403) }
    /// 404 Not Found (RFC 9110, section 15.5.5).
    package static var notFound: Self { Self(code: 404) }
    /// 405 Method Not Allowed (RFC 9110, section 15.5.6).
    package static var methodNotAllowed: Self { Self(code: 405) }
    /// 406 Not Acceptable (RFC 9110, section 15.5.7).
    package static var notAcceptable: Self { Self(code: 406) }
    /// 407 Proxy Authentication Required (RFC 9110, section 15.5.8).
    package static var proxyAuthenticationRequired: Self { Self(code: 407) }
    /// 408 Request Timeout (RFC 9110, section 15.5.9).
    package static var requestTimeout: Self { Self(code: 408) }
    /// 409 Conflict (RFC 9110, section 15.5.10).
    package static var conflict: Self { Self(code: 409) }
    /// 410 Gone (RFC 9110, section 15.5.11).
    package static var gone: Self { Self(code: 410) }
    /// 411 Length Required (RFC 9110, section 15.5.12).
    package static var lengthRequired: Self { Self(code: 411) }
    /// 412 Precondition Failed (RFC 9110, section 15.5.13).
    package static var preconditionFailed: Self { Self(code: 412) }
    /// 413 Content Too Large (RFC 9110, section 15.5.14).
    package static var contentTooLarge: Self { Self(code: 413) }
    /// 414 URI Too Long (RFC 9110, section 15.5.15).
    package static var uriTooLong: Self { Self(code: 414) }
    /// 415 Unsupported Media Type (RFC 9110, section 15.5.16).
    package static var unsupportedMediaType: Self { Self(code: 415) }
    /// 416 Range Not Satisfiable (RFC 9110, section 15.5.17).
    package static var rangeNotSatisfiable: Self { Self(code: 416) }
    /// 417 Expectation Failed (RFC 9110, section 15.5.18).
    package static var expectationFailed: Self { Self(code: 417) }
    /// 421 Misdirected Request (RFC 9110, section 15.5.20).
    package static var misdirectedRequest: Self { Self(code: 421) }
    /// 422 Unprocessable Content (RFC 9110, section 15.5.21).
    package static var unprocessableContent: Self { Self(code: 422) }
    /// 425 Too Early (RFC 8470, section 5.2).
    package static var tooEarly: Self { Self(code: 425) }
    /// 426 Upgrade Required (RFC 9110, section 15.5.22).
    package static var upgradeRequired: Self { Self(code: 426) }
    /// 428 Precondition Required (RFC 6585, section 3).
    package static var preconditionRequired: Self { Self(code: 428) }
    /// 429 Too Many Requests (RFC 6585, section 4).
    package static var tooManyRequests: Self { Self(code: 429) }
    /// 431 Request Header Fields Too Large (RFC 6585, section 5).
    package static var requestHeaderFieldsTooLarge: Self { Self(code: 431) }
    /// 451 Unavailable For Legal Reasons (RFC 7725, section 3).
    package static var unavailableForLegalReasons: Self { Self(code: 451) }
    /// 500 Internal Server Error (RFC 9110, section 15.6.1).
    package static var internalServerError: Self { Self(code: 500) }
    /// 501 Not Implemented (RFC 9110, section 15.6.2).
    package static var notImplemented: Self { Self(code: 501) }
    /// 502 Bad Gateway (RFC 9110, section 15.6.3).
    package static var badGateway: Self { Self(code: 502) }
    /// 503 Service Unavailable (RFC 9110, section 15.6.4).
    package static var serviceUnavailable: Self { Self(code: 503) }
    /// 504 Gateway Timeout (RFC 9110, section 15.6.5).
    package static var gatewayTimeout: Self { Self(code: 504) }
    /// 505 HTTP Version Not Supported (RFC 9110, section 15.6.6).
    package static var httpVersionNotSupported: Self { Self(code: 505) }
    /// 511 Network Authentication Required (RFC 6585, section 6).
    package static var networkAuthenticationRequired: Self { Self(code: 511) }

    /// The registered words, which HTTP/1.1 sends behind the code; empty for a code without any.
    package var reasonPhrase: String {
        switch code {
        case 100: "Continue"
        case 101: "Switching Protocols"
        case 103: "Early Hints"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 203: "Non-Authoritative Information"
        case 204: "No Content"
        case 205: "Reset Content"
        case 206: "Partial Content"
        case 300: "Multiple Choices"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 407: "Proxy Authentication Required"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 425: "Too Early"
        case 426: "Upgrade Required"
        case 428: "Precondition Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 451: "Unavailable For Legal Reasons"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        case 511: "Network Authentication Required"
        default: ""
        }
    }
}
