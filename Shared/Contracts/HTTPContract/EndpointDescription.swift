package import HTTPTypes

/// What an OpenAPI document says of an ``Endpoint``: everything but its message types.
package struct EndpointDescription: Sendable {
    /// What a message looks like.
    package struct Message: Sendable {
        /// nil for a body that isn't JSON, or none.
        package let body: JSONSchema?
        /// Every header field of the message's own.
        package var fields: [HTTPField.Name: FieldSchema]

        init(_ message: (some WireMessage).Type) {
            body = message.bodySchema
            let schemas = message.fieldSchemas
            fields = Dictionary(
                uniqueKeysWithValues: message.headerNames.map { ($0, schemas[$0] ?? .optional(.text())) })
        }
    }

    /// Path, method, callers, limits and media types.
    package let route: Route
    /// What it does, in one line.
    package let summary: String
    /// What callers send.
    package let request: Message
    /// Every parameter of the path and the query.
    package let parameters: [String: FieldSchema]
    /// The status of a successful answer.
    package let success: HTTPResponse.Status
    /// What they are answered on success.
    package var response: Message
    /// The statuses with which the handler itself refuses, and why. Those that every operation can have are not among
    /// them.
    package var refusals: [HTTPResponse.Status: String]

    /// Describes an endpoint.
    package init<Req: WireMessage, Res: WireMessage>(_ endpoint: Endpoint<Req, Res>) {
        route = endpoint.route
        summary = endpoint.summary
        request = Message(Req.self)
        parameters = Req.parameterSchemas
        success = endpoint.success
        response = Message(Res.self)
        refusals = endpoint.refusals
    }
}
