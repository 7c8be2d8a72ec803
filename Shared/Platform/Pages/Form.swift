package import HTTPContract
import HTTPTypes
package import Serving

extension Request {
    /// The form that a browser submitted.
    ///
    /// - Parameter multiline: the fields that may have several lines.
    /// - Throws: ``Problem/unsupportedMediaType`` for another media type, ``MalformedMessage`` for a body that isn't a form.
    package func form(multiline: Set<String> = []) throws -> URLEncodedValues {
        guard let type = headers[.contentType], MediaType.form.matches(contentType: type) else {
            throw Problem.unsupportedMediaType
        }
        guard let text = String(validating: body, as: UTF8.self) else { throw MalformedMessage() }
        return try URLEncodedValues(decoding: text, multiline: multiline)
    }

    /// The names and values of the query.
    ///
    /// - Throws: ``MalformedMessage`` for a duplicate name, and for invalid encoding.
    package func queryValues() throws(MalformedMessage) -> URLEncodedValues {
        try URLEncodedValues(decoding: query)
    }
}
