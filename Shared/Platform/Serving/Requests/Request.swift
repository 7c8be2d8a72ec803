package import HTTPTypes

/// A request as a service sees it.
package struct Request: Sendable {
    /// The method.
    package var method: HTTPRequest.Method
    /// Path and query as sent, not percent-decoded.
    package var target: String
    /// The header fields.
    package var headers: HTTPFields
    /// The whole body; empty until it is read.
    package var body: [UInt8]

    /// Creates a request, such as for a test.
    package init(
        method: HTTPRequest.Method, target: String, headers: HTTPFields = HTTPFields(), body: [UInt8] = []
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// The path without its query, as sent and not percent-decoded.
    package var path: Substring { target.prefix { $0 != "?" } }

    /// The query without its `?`, as sent; empty if there is none.
    package var query: Substring { target.drop { $0 != "?" }.dropFirst() }
}
