package import HTTPContract
import HTTPTypes
package import Hummingbird
import NIOCore

extension Request {
    /// The form that a browser submitted.
    ///
    /// - Parameter multiline: the fields that may have several lines.
    /// - Throws: ``Problem/unsupportedMediaType`` for another media type, ``MalformedMessage`` for a body that isn't a form.
    package func form(multiline: Set<String> = []) async throws -> URLEncodedValues {
        guard let type = headers[.contentType], MediaType.form.matches(contentType: type) else {
            throw Problem.unsupportedMediaType
        }
        // The listener has already read it, within its limit.
        let body = try await body.collect(upTo: .max)
        guard let text = String(validating: body.readableBytesView, as: UTF8.self) else { throw MalformedMessage() }
        return try URLEncodedValues(decoding: text, multiline: multiline)
    }

    /// The names and values of the query.
    ///
    /// - Throws: ``MalformedMessage`` for a duplicate name, and for invalid encoding.
    package func query() throws(MalformedMessage) -> URLEncodedValues {
        try URLEncodedValues(decoding: (head.path ?? "").drop { $0 != "?" }.dropFirst())
    }
}
