package import FoundationEssentials
package import HTTPTypes

/// What can be a request or an answer of an ``Endpoint``: named header fields and a body of one media type, and in a request
/// values of the path and the query.
///
/// The closed list of header names is a privacy rule, not only documentation: the metadata proxy copies the listed
/// fields and nothing else.
package protocol WireMessage: Sendable {
    /// The body's media type; nil when the message has no body.
    static var mediaType: MediaType? { get }
    /// Every header field beside the content's own that this message may carry.
    static var headerNames: [HTTPField.Name] { get }
    /// What a JSON body must look like; nil for another body or none.
    static var bodySchema: JSONSchema? { get }
    /// What the fields of ``headerNames`` may hold; one that is missing here may hold any text, and be missing.
    static var fieldSchemas: [HTTPField.Name: FieldSchema] { get }
    /// Every parameter of the path and of the query; those of the path are required. Only a ``ParameterizedMessage`` has any.
    static var parameterSchemas: [String: FieldSchema] { get }
    /// Reads the message.
    /// - Parameter parameters: values of the names in ``parameterSchemas``, decoded.
    /// - Throws: ``MalformedMessage`` when a value breaks the contract; it never quotes the input.
    init(parameters: URLEncodedValues, fields: HTTPFields, body: Data) throws(MalformedMessage)
    /// Reads a message without parameters.
    /// - Throws: ``MalformedMessage`` when a field or the body breaks the contract; it never quotes the input.
    init(fields: HTTPFields, body: Data) throws(MalformedMessage)
    /// Header fields and body as they go over the wire.
    func encoded() throws -> EncodedMessage
}

extension WireMessage {
    package static var bodySchema: JSONSchema? { nil }
    package static var fieldSchemas: [HTTPField.Name: FieldSchema] { [:] }
    package static var parameterSchemas: [String: FieldSchema] { [:] }

    package init(parameters: URLEncodedValues, fields: HTTPFields, body: Data) throws(MalformedMessage) {
        try self.init(fields: fields, body: body)
    }
}

/// A request with values in its path or its query.
package protocol ParameterizedMessage: WireMessage {
    /// Reads the message from all its parts.
    /// - Throws: ``MalformedMessage`` when a part breaks the contract.
    init(_ message: EncodedMessage) throws(MalformedMessage)
}

extension ParameterizedMessage {
    package init(parameters: URLEncodedValues, fields: HTTPFields, body: Data) throws(MalformedMessage) {
        try self.init(EncodedMessage(fields: fields, body: body, parameters: parameters))
    }

    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        try self.init(EncodedMessage(fields: fields, body: body))
    }
}

/// A message in its wire form.
package struct EncodedMessage: Sendable {
    /// The fields of the message's own, without those of its content such as `Content-Type`.
    package var fields: HTTPFields
    /// The content; empty when the message has none.
    package var body: Data
    /// The values of the path and the query, not yet encoded.
    package var parameters: URLEncodedValues

    /// A message's parts.
    package init(fields: HTTPFields = [:], body: Data = Data(), parameters: URLEncodedValues = [:]) {
        self.parameters = parameters
        self.fields = fields
        self.body = body
    }
}

/// A message broke its contract; the answer is 400. It says nothing about the input, so it may be logged.
package struct MalformedMessage: Error, Equatable {
    /// The one value: which rule was broken is deliberately not said.
    package init() {}
}

/// A message whose body is one JSON object and which carries no header fields of its own.
///
/// Unknown properties are ignored, because the apps pad their requests with one (`requestPadding`;
/// cwa-app-ios, cwa-app-android).
package protocol JSONMessage: WireMessage, Codable {
    /// What the body must look like: the same as its coding says, in the words of a document.
    static var schema: JSONSchema { get }
}

extension JSONMessage {
    package static var mediaType: MediaType? { .json }
    package static var headerNames: [HTTPField.Name] { [] }
    package static var bodySchema: JSONSchema? { schema }

    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        do {
            self = try JSONDecoder().decode(Self.self, from: body)
        } catch {
            throw MalformedMessage()
        }
    }

    package func encoded() throws -> EncodedMessage {
        EncodedMessage(body: try encodedBody())
    }

    /// The body alone. The same message always gives the same bytes: without the sorting, the order of properties would
    /// be another one in each process.
    package func encodedBody() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}

/// The message without body or fields.
package struct NoContent: WireMessage, Equatable {
    /// The one value there is.
    package init() {}
    package static var mediaType: MediaType? { nil }
    package static var headerNames: [HTTPField.Name] { [] }
    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {}
    package func encoded() -> EncodedMessage { EncodedMessage() }
}
