package import HTTPTypes

/// One operation of one service: the only place for its path, method, callers, limits and message types.
///
/// The server mounts it and every client calls it, so the two ends cannot drift apart. What phones in the field depend
/// on is pinned by golden files besides, because a type shared by both ends can't notice that both changed.
package struct Endpoint<Request: WireMessage, Response: WireMessage>: Sendable {
    /// What is fixed before any message is read; the server mounts it, and the proxy forwards by it.
    package let route: Route
    /// The status of a successful answer.
    package let success: HTTPResponse.Status
    /// What it does, in one line, for the document about it.
    package let summary: String
    /// The statuses with which the handler itself refuses, and why.
    package let refusals: [HTTPResponse.Status: String]

    /// - Parameters:
    ///   - path: the whole path; a segment in braces, such as `{date}`, is a parameter of the request, which every such
    ///     segment must be.
    ///   - callers: the roles that may call; a listener answers 403 to others.
    ///   - bodyLimit: the most bytes a request body may have; a longer one is refused with 413 while it streams in.
    ///   - summary: what it does, in one line.
    ///   - refusals: the statuses with which the handler refuses, and why. Those that every operation can have (400, 403,
    ///     408, 413, 415, 503) need not be named, unless there is more to say of one.
    package init(
        _ method: HTTPRequest.Method, _ path: String, callers: Set<Role>, bodyLimit: Int,
        success: HTTPResponse.Status = .ok, summary: String, refusals: [HTTPResponse.Status: String] = [:]
    ) {
        precondition(
            PathTemplate(path).parameters.allSatisfy { Request.parameterSchemas[$0] != nil },
            "\(path) names a parameter that its request doesn't have")
        route = Route(
            method: method, path: path, callers: callers, bodyLimit: bodyLimit, requestMedia: Request.mediaType,
            requestHeaders: Request.headerNames, responseMedia: Response.mediaType,
            responseHeaders: Response.headerNames)
        self.success = success
        self.summary = summary
        self.refusals = refusals
    }
}

/// What can be known of an operation without understanding its messages: all that the metadata proxy may know.
package struct Route: Hashable, Sendable {
    /// A known path with another method is answered with 405.
    package let method: HTTPRequest.Method
    /// The whole path without query, as a ``PathTemplate`` writes it; it is compared as sent, without percent-decoding.
    package let path: String
    /// The roles that may call, where callers have certificates; others are answered with 403.
    package let callers: Set<Role>
    /// In bytes.
    package let bodyLimit: Int
    /// What a request's `Content-Type` must name, else 415; nil when a request has no body.
    package let requestMedia: MediaType?
    /// All header fields of a request that a handler gets to see, and that the metadata proxy passes on.
    package let requestHeaders: [HTTPField.Name]
    /// The `Content-Type` of a successful answer; nil when it has no body.
    package let responseMedia: MediaType?
    /// All header fields of its own that an answer may carry; the metadata proxy drops any other.
    package let responseHeaders: [HTTPField.Name]

    /// Path and query of a request with these values: what the path doesn't name goes into the query.
    package func target(with parameters: URLEncodedValues) -> String {
        let template = PathTemplate(path)
        var query = parameters
        for name in template.parameters { query[name] = nil }
        let path = template.path(with: parameters)
        return query.names.isEmpty ? path : "\(path)?\(query.encoded)"
    }
}
