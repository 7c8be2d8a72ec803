package import HTTPTypes

/// Why a request is refused: a status, and nothing that could tell two secrets apart.
///
/// Design decision 15: an answer to an app carries a status and no body. `retryAfter` is for overload and outages
/// (seconds).
package struct Problem: Error, Hashable, Sendable {
    package let status: HTTPResponse.Status
    package let retryAfter: Int?

    package init(_ status: HTTPResponse.Status, retryAfter: Int? = nil) {
        self.status = status
        self.retryAfter = retryAfter
    }

    /// The message, or a secret in it, is not acceptable (unknown, used and expired alike).
    package static let badRequest = Problem(.badRequest)
    package static let unauthorized = Problem(.unauthorized)
    package static let forbidden = Problem(.forbidden)
    package static let notFound = Problem(.notFound)
    package static let contentTooLarge = Problem(.contentTooLarge)
    package static let unsupportedMediaType = Problem(.unsupportedMediaType)
    package static let tooManyRequests = Problem(.tooManyRequests)
    /// The database or another service does not answer; the caller may repeat the request as it is.
    package static let unavailable = Problem(.serviceUnavailable, retryAfter: 5)
}
