import HTTP1
package import HTTPMessage
package import HTTPTypes

/// A request to a server of one ``HTTPClient``.
package struct ClientRequest: Sendable {
    /// The method.
    package var method: HTTPRequest.Method
    /// Path and query, behind the path of the client's base.
    package var target: String
    /// Without `Host` and `Content-Length`, which the client adds.
    package var fields: FieldLines
    /// Nil for none; an empty one is announced as such.
    package var body: [UInt8]?
    /// Whether it may be sent again if the connection ends without an answer: the server may have read it.
    package var mayRepeat: Bool

    /// A request with all its parts.
    package init(
        _ method: HTTPRequest.Method, _ target: String, fields: FieldLines = FieldLines(), body: [UInt8]? = nil,
        mayRepeat: Bool = true
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
        self.mayRepeat = mayRepeat
    }

    /// The request as bytes.
    func encoded(for origin: Origin) throws(CallFailure) -> EncodedRequest {
        let framing: BodyFraming = body.map { .length($0.count) } ?? .none
        let head = RequestHead(
            version: .http1_1, method: method, target: origin.path + target, authority: origin.authority,
            fields: fields, framing: framing)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512 + (body.map { $0.count < 16_384 ? $0.count : 0 } ?? 0))
        do {
            try RequestEncoder.encode(head, into: &bytes)
        } catch {
            throw .invalid
        }
        var pieces: [ArraySlice<UInt8>] = []
        if let body, body.count < 16_384 {
            bytes += body
            pieces = [bytes[...]]
        } else {
            pieces = [bytes[...]]
            if let body { pieces.append(body[...]) }
        }
        return EncodedRequest(method: method, pieces: pieces, mayRepeat: mayRepeat)
    }
}

/// A request as the bytes that are sent, for who writes them itself.
package struct EncodedRequest: Sendable {
    /// Says whether the answer has a body.
    package let method: HTTPRequest.Method
    /// Head and body, one piece behind the other; large ones aren't copied.
    package let pieces: [ArraySlice<UInt8>]
    /// As ``ClientRequest/mayRepeat``.
    package let mayRepeat: Bool

    /// A request of these bytes.
    package init(method: HTTPRequest.Method, pieces: [ArraySlice<UInt8>], mayRepeat: Bool = true) {
        self.method = method
        self.pieces = pieces
        self.mayRepeat = mayRepeat
    }
}

/// A whole answer.
package struct ClientResponse: Sendable {
    /// The status of the final answer.
    package let status: HTTPResponse.Status
    /// The header fields.
    package let fields: FieldLines
    /// All of the body; empty for none.
    package let body: [UInt8]
}
