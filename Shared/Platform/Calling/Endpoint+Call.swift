import FoundationEssentials
package import HTTPContract
package import HTTPTypes

/// What a call of an operation is on the wire, whatever carries it.
extension Route {
    /// The fields of a request with a message, but for those of the transport.
    package func fields(of message: EncodedMessage) -> HTTPFields {
        var fields = message.fields
        if let requestMedia { fields[.contentType] = requestMedia.text }
        // A server with several versions has to know which one is expected.
        if let responseMedia, !responseMedia.parameters.isEmpty { fields[.accept] = responseMedia.text }
        return fields
    }
}

extension Endpoint {
    /// Reads an answer.
    ///
    /// - Parameter field: the first value of a field with a name; nil if there is none.
    /// - Throws: unless it is a success as the operation's contract has it.
    package func result(
        status: HTTPResponse.Status, body: [UInt8], field: (HTTPField.Name) -> String?
    ) throws(CallError) -> Response {
        guard status == success else {
            switch status.kind {
            case .clientError: throw .refused(status)
            case .serverError: throw .unavailable
            case .successful, .redirection, .informational, .invalid: throw .malformedAnswer
            }
        }
        if let media = route.responseMedia {
            guard let type = field(.contentType), media.matches(contentType: type) else { throw .malformedAnswer }
        }
        var fields = HTTPFields()
        for name in route.responseHeaders { fields[name] = field(name) }
        do {
            return try Response(fields: fields, body: Data(body))
        } catch {
            throw .malformedAnswer
        }
    }
}
