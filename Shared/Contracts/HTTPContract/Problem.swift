package import HTTPTypes

/// Why a request is refused: a status, and nothing that could tell two secrets apart.
///
/// An answer to an app carries a status and no body, so that it is no oracle.
package struct Problem: Error, Hashable, Sendable {
    /// The status of the answer, 4xx or 5xx.
    package let status: HTTPResponse.Status
    /// Seconds after which a repeat makes sense, for the field `Retry-After`; nil leaves the field out.
    package let retryAfter: Int?

    /// A status, and for overload and outages the seconds after which to come back.
    package init(_ status: HTTPResponse.Status, retryAfter: Int? = nil) {
        self.status = status
        self.retryAfter = retryAfter
    }

    /// The message, or a secret in it, is not acceptable (unknown, used and expired alike).
    package static let badRequest = Problem(.badRequest)
    /// The officer's token is not acceptable, for whatever reason.
    package static let unauthorized = Problem(.unauthorized)
    /// The caller's role may not call this, or the TAN authorises no such upload.
    package static let forbidden = Problem(.forbidden)
    /// The body is longer than the route allows, by its announced length or by what came.
    package static let contentTooLarge = Problem(.contentTooLarge)
    /// The body is of another media type than the route's.
    package static let unsupportedMediaType = Problem(.unsupportedMediaType)
    /// A limit on how often something is done, such as teleTANs an hour, is reached.
    package static let tooManyRequests = Problem(.tooManyRequests)
    /// The same, where it is known in how many seconds the limit no longer holds.
    package static func tooManyRequests(retryAfter seconds: Int) -> Problem {
        Problem(.tooManyRequests, retryAfter: seconds)
    }
    /// The database or another service does not answer; the caller may repeat the request as it is.
    package static let unavailable = Problem(.serviceUnavailable, retryAfter: 5)
}
