package import FoundationEssentials
package import HTTPTypes

/// A message whose body is a form and which has no header fields of its own, such as a token request (RFC 6749, section 4.1.3).
package protocol FormMessage: WireMessage {
    /// Reads the message and ignores unknown names.
    /// - Throws: ``MalformedMessage`` if a value is missing or breaks the contract.
    init(form: URLEncodedValues) throws(MalformedMessage)
    /// The names and values of the body.
    var form: URLEncodedValues { get }
}

extension FormMessage {
    package static var mediaType: MediaType? { .form }
    package static var headerNames: [HTTPField.Name] { [] }

    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        guard let text = String(validating: body, as: UTF8.self) else { throw MalformedMessage() }
        try self.init(form: URLEncodedValues(decoding: text))
    }

    package func encoded() -> EncodedMessage {
        EncodedMessage(body: Data(form.encoded.utf8))
    }
}
