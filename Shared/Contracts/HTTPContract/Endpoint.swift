package import HTTPTypes

/// One operation of one service: the only place for its path, method, callers, limits and message types.
///
/// The server mounts it and every client calls it, so the two ends can't drift apart. Golden files additionally pin what phones
/// in the field depend on, because a shared type doesn't notice that both ends changed.
package struct Endpoint<Request: WireMessage, Response: WireMessage>: Sendable {
    /// The part that is fixed before any message is read. The server mounts it, and the proxy forwards by it.
    package let route: Route
    /// The status of a successful answer.
    package let success: HTTPResponse.Status
    /// A one-line summary for the OpenAPI document.
    package let summary: String
    /// The statuses with which the handler itself refuses, and why.
    package let refusals: [HTTPResponse.Status: String]

    /// - Parameters:
    ///   - path: the whole path; a segment in braces, such as `{date}`, must be a parameter of the request.
    ///   - callers: the roles that may call; a listener answers others with 403.
    ///   - bodyLimit: the maximum length of a request body in bytes; a longer one is refused with 413 while it arrives.
    ///   - summary: what it does, in one line.
    ///   - errorCodes: what the body of a refusal may say.
    ///   - refusals: the statuses with which the handler refuses, and why. Those that every operation can have (400, 403, 408,
    ///     413, 415, 503) need not be listed, unless there is more to say about one.
    package init(
        _ method: HTTPRequest.Method, _ path: String, callers: Set<Role>, bodyLimit: Int,
        success: HTTPResponse.Status = .ok, summary: String, errorCodes: Set<ErrorCode> = [],
        refusals: [HTTPResponse.Status: String] = [:]
    ) {
        precondition(
            PathTemplate(path).parameters.allSatisfy { Request.parameterSchemas[$0] != nil },
            "\(path) names a parameter that its request doesn't have")
        route = Route(
            method: method, path: path, callers: callers, bodyLimit: bodyLimit, requestMedia: Request.mediaType,
            requestHeaders: Request.headerNames, responseMedia: Response.mediaType,
            responseHeaders: Response.headerNames, errorCodes: errorCodes)
        self.success = success
        self.summary = summary
        self.refusals = refusals
    }
}

/// What is known about an operation without understanding its messages. The metadata proxy may know nothing else.
package struct Route: Hashable, Sendable {
    /// The method. A known path with another method is answered with 405.
    package let method: HTTPRequest.Method
    /// The whole path without query, in the form of a ``PathTemplate``. It is compared as sent, without percent-decoding.
    package let path: String
    /// The roles that may call, if callers have certificates; others are answered with 403.
    package let callers: Set<Role>
    /// The maximum length of a request body, in bytes.
    package let bodyLimit: Int
    /// The media type that a request's `Content-Type` must name, otherwise 415; nil if a request has no body.
    package let requestMedia: MediaType?
    /// All header fields of a request that the metadata proxy forwards and that a handler sees.
    package let requestHeaders: [HTTPField.Name]
    /// The `Content-Type` of a successful answer; nil if it has no body.
    package let responseMedia: MediaType?
    /// All operation-specific header fields of an answer; the metadata proxy drops any other.
    package let responseHeaders: [HTTPField.Name]
    /// What the body of a refusal may say; empty if a refusal has none.
    package let errorCodes: Set<ErrorCode>

    /// Path and query of a request with these values. Values that the path doesn't name go into the query.
    package func target(with parameters: URLEncodedValues) -> String {
        let template = PathTemplate(path)
        var query = parameters
        for name in template.parameters { query[name] = nil }
        let path = template.path(with: parameters)
        return query.names.isEmpty ? path : "\(path)?\(query.encoded)"
    }
}
