package import HTTPTypes

/// The version of a message.
package enum HTTPVersion: Sendable {
    case http1_0, http1_1, http2
}

/// How a body's end is found (RFC 9112, section 6.3).
package enum BodyFraming: Hashable, Sendable {
    /// There is no body.
    case none
    /// After this many bytes; of HTTP/2, the announced length.
    case length(Int)
    /// Behind the last chunk; of HTTP/2, a body without announced length.
    case chunked
    /// With the connection; only answers may.
    case untilEnd
}

/// A request without its body, of either version.
package struct RequestHead: Sendable {
    /// The version of the message.
    package var version: HTTPVersion
    /// The method.
    package var method: HTTPRequest.Method
    /// Path and query as sent, or `*`: the origin form, whatever form was sent.
    package var target: String
    /// Host and port: of an absolute target, else of `Host` or `:authority`; nil only in HTTP/1.0.
    package var authority: String?
    /// The fields without `Host`, which is `authority`.
    package var fields: FieldLines
    /// How the body's end is found.
    package var framing: BodyFraming
    /// Whether the connection may serve another request; always, in HTTP/2.
    package var keepsAlive: Bool
    /// Whether the client waits for an interim answer before it sends the body (RFC 9110, section 10.1.1).
    package var expectsContinue: Bool

    /// A head with all its parts.
    package init(
        version: HTTPVersion, method: HTTPRequest.Method, target: String, authority: String?,
        fields: FieldLines = FieldLines(), framing: BodyFraming = .none, keepsAlive: Bool = true,
        expectsContinue: Bool = false
    ) {
        self.version = version
        self.method = method
        self.target = target
        self.authority = authority
        self.fields = fields
        self.framing = framing
        self.keepsAlive = keepsAlive
        self.expectsContinue = expectsContinue
    }
}

/// An answer without its body, of either version.
package struct ResponseHead: Sendable {
    /// The version of the message.
    package var version: HTTPVersion
    /// The status.
    package var status: HTTPResponse.Status
    /// The header fields.
    package var fields: FieldLines
    /// How the body's end is found.
    package var framing: BodyFraming
    /// Whether the connection may carry another exchange; always, in HTTP/2.
    package var keepsAlive: Bool

    /// A head with all its parts.
    package init(
        version: HTTPVersion, status: HTTPResponse.Status, fields: FieldLines = FieldLines(),
        framing: BodyFraming = .none, keepsAlive: Bool = true
    ) {
        self.version = version
        self.status = status
        self.fields = fields
        self.framing = framing
        self.keepsAlive = keepsAlive
    }
}

/// A message that breaks its protocol's rules, so that where it ends is in doubt: it is answered, and its connection
/// closed.
package struct Violation: Error {
    /// The status that says so: 400, 431, 501 or 505; of an answer, always 502.
    package let status: Int
    /// What is wrong, without anything of the message.
    package let reason: StaticString

    /// A violation.
    package init(status: Int, _ reason: StaticString) {
        self.status = status
        self.reason = reason
    }
}
