package import FoundationEssentials
package import HTTPTypes
import StrictJSON

/// A request or an answer of an ``Endpoint``: named header fields and a body of one media type; a request may also have values
/// in the path and the query.
///
/// The closed list of header names is a privacy rule, not only documentation: the metadata proxy copies the listed fields and
/// nothing else.
package protocol WireMessage: Sendable {
    /// The body's media type; nil if the message has no body.
    static var mediaType: MediaType? { get }
    /// Every header field that this message may have, besides those of the content itself.
    static var headerNames: [HTTPField.Name] { get }
    /// The schema of a JSON body; nil for any other body or none.
    static var bodySchema: JSONSchema? { get }
    /// The schemas of the fields of ``headerNames``. A field without a schema is optional and may have any text.
    static var fieldSchemas: [HTTPField.Name: FieldSchema] { get }
    /// Every parameter of the path and of the query; those of the path are required. Only a ``ParameterizedMessage`` has any.
    static var parameterSchemas: [String: FieldSchema] { get }
    /// Reads the message.
    /// - Parameter parameters: values of the names in ``parameterSchemas``, decoded.
    /// - Throws: ``MalformedMessage`` if a value breaks the contract; it never quotes the input.
    init(parameters: URLEncodedValues, fields: HTTPFields, body: Data) throws(MalformedMessage)
    /// Reads a message without parameters.
    /// - Throws: ``MalformedMessage`` if a field or the body breaks the contract; it never quotes the input.
    init(fields: HTTPFields, body: Data) throws(MalformedMessage)
    /// The wire form: header fields and body.
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
    /// - Throws: ``MalformedMessage`` if a part breaks the contract.
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
    /// The message's own fields, without those of its content such as `Content-Type`.
    package var fields: HTTPFields
    /// The content; empty if the message has none.
    package var body: Data
    /// The values of the path and the query, not yet encoded.
    package var parameters: URLEncodedValues
    /// An answer's status, if its content demands another than the endpoint's.
    package var status: HTTPResponse.Status?

    /// Creates a message from its parts.
    package init(fields: HTTPFields = [:], body: Data = Data(), parameters: URLEncodedValues = [:]) {
        self.parameters = parameters
        self.fields = fields
        self.body = body
    }
}

/// A message breaks its contract; the answer is 400. The error says nothing about the input, so it may be logged.
package struct MalformedMessage: Error, Equatable {
    /// The only value. It deliberately doesn't name the broken rule.
    package init() {}
}

/// A message whose body is one JSON object and which has no header fields of its own.
///
/// Unknown properties are ignored, because the apps pad their requests with one (`requestPadding`; cwa-app-ios,
/// cwa-app-android).
package protocol JSONMessage: WireMessage, Codable {
    /// The schema of the body. It must agree with the message's coding.
    static var schema: JSONSchema { get }
}

extension JSONMessage {
    package static var mediaType: MediaType? { .json }
    package static var headerNames: [HTTPField.Name] { [] }
    package static var bodySchema: JSONSchema? { schema }

    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        do {
            self = try StrictJSON.decode(Self.self, from: body)
        } catch {
            throw MalformedMessage()
        }
    }

    package func encoded() throws -> EncodedMessage {
        EncodedMessage(body: try encodedBody())
    }

    /// The body alone.
    ///
    /// The same message always gives the same bytes: unsorted, the order of properties would differ between processes.
    package func encodedBody() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}

/// A message without a body or fields.
package struct NoContent: WireMessage, Equatable {
    /// The only value.
    package init() {}
    package static var mediaType: MediaType? { nil }
    package static var headerNames: [HTTPField.Name] { [] }
    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {}
    package func encoded() -> EncodedMessage { EncodedMessage() }
}
