package import HTTPContract
import HTTPTypes
package import Hummingbird
import NIOCore

extension Request {
    /// The form that a browser submitted.
    ///
    /// - Throws: ``Problem/unsupportedMediaType`` for another kind of body, ``MalformedMessage`` for one that isn't a form.
    package func form() async throws -> URLEncodedValues {
        guard let type = headers[.contentType], MediaType.form.matches(contentType: type) else {
            throw Problem.unsupportedMediaType
        }
        // The listener has read it, within its limit.
        let body = try await body.collect(upTo: .max)
        guard let text = String(validating: body.readableBytesView, as: UTF8.self) else { throw MalformedMessage() }
        return try URLEncodedValues(decoding: text)
    }

    /// The names and values of the query.
    ///
    /// - Throws: ``MalformedMessage`` for a name that stands there twice, and for text that isn't encoded as it must be.
    package func query() throws(MalformedMessage) -> URLEncodedValues {
        try URLEncodedValues(decoding: (head.path ?? "").drop { $0 != "?" }.dropFirst())
    }
}
