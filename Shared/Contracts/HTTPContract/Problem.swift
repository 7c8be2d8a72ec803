package import HTTPTypes

/// Why a request is refused: a status, and nothing that could distinguish two secrets.
///
/// An answer to an app has a status and no body, so that it is no oracle. Only where published apps read one, the body has an
/// ``ErrorCode``.
package struct Problem: Error, Hashable, Sendable {
    /// The status of the answer, 4xx or 5xx.
    package let status: HTTPResponse.Status
    /// Seconds until a repeat makes sense, for the field `Retry-After`; nil omits the field.
    package let retryAfter: Int?
    /// What the body says, one of the route's codes; nil for no body.
    package let code: ErrorCode?

    /// Creates a problem with a status and, for overload and outages, the seconds until a repeat makes sense.
    package init(_ status: HTTPResponse.Status, code: ErrorCode? = nil, retryAfter: Int? = nil) {
        self.status = status
        self.code = code
        self.retryAfter = retryAfter
    }

    /// The message, or a secret in it, is invalid (unknown, used and expired alike).
    package static let badRequest = Problem(.badRequest)
    /// The officer's token is invalid, for whatever reason.
    package static let unauthorized = Problem(.unauthorized)
    /// The caller's role may not call this operation, or the TAN doesn't authorise this upload.
    package static let forbidden = Problem(.forbidden)
    /// The body exceeds the route's limit, by its announced or its actual length.
    package static let contentTooLarge = Problem(.contentTooLarge)
    /// The body's media type isn't the route's.
    package static let unsupportedMediaType = Problem(.unsupportedMediaType)
    /// A rate limit is reached, such as teleTANs an hour.
    package static let tooManyRequests = Problem(.tooManyRequests)
    /// A rate limit is reached that lifts in a known number of seconds.
    package static func tooManyRequests(retryAfter seconds: Int) -> Problem {
        Problem(.tooManyRequests, retryAfter: seconds)
    }
    /// The database or another service doesn't answer; the caller may repeat the request unchanged.
    package static let unavailable = Problem(.serviceUnavailable, retryAfter: 5)
}
