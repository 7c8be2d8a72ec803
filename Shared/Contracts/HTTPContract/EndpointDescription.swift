package import HTTPTypes

/// The content of an OpenAPI document for an ``Endpoint``: everything but its message types.
package struct EndpointDescription: Sendable {
    /// The form of a message.
    package struct Message: Sendable {
        /// The schema of a JSON body; nil for any other body or none.
        package let body: JSONSchema?
        /// Every operation-specific header field of the message.
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
    /// A one-line summary.
    package let summary: String
    /// The form of a request.
    package let request: Message
    /// Every parameter of the path and the query.
    package let parameters: [String: FieldSchema]
    /// The status of a successful answer.
    package let success: HTTPResponse.Status
    /// The form of a successful answer.
    package var response: Message
    /// The statuses with which the handler itself refuses, and why; without those that every operation can have.
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
