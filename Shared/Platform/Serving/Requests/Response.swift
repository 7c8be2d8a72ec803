import HTTPMessage
package import HTTPTypes

/// An answer as a service gives it. The listener adds `Date`, and what says where the body ends.
package struct Response: Sendable {
    /// The status.
    package var status: HTTPResponse.Status
    /// The fields without `Date`, `Content-Length` and `Connection`, which are added.
    package var headers: HTTPFields
    /// The body; left out where the method or the status allows none.
    package var body: ResponseBody

    /// An answer, by default without fields and body.
    package init(
        status: HTTPResponse.Status, headers: HTTPFields = HTTPFields(), body: ResponseBody = ResponseBody()
    ) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// An answer with bytes.
    package init(status: HTTPResponse.Status, headers: HTTPFields = HTTPFields(), body: [UInt8]) {
        self.init(status: status, headers: headers, body: ResponseBody(body))
    }

    /// An answer with text in UTF-8.
    package init(status: HTTPResponse.Status, headers: HTTPFields = HTTPFields(), text: String) {
        self.init(status: status, headers: headers, body: ResponseBody(Array(text.utf8)))
    }
}

/// The body of an answer: bytes, which are shared and not copied, or, for simulators and tests, a stream.
package struct ResponseBody: Sendable {
    /// All of the body; empty for a stream.
    package let bytes: ArraySlice<UInt8>
    /// Writes the body; nil if ``bytes`` is all of it.
    let stream: (@Sendable (inout ResponseWriter) async throws -> Void)?
    /// Whether others keep the bytes as well, so that they cost this answer no memory.
    let isShared: Bool

    /// No body.
    package init() { self.init([]) }

    /// Bytes of this answer alone.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes[...]
        stream = nil
        isShared = false
    }

    /// A part of bytes that others keep, such as a file's.
    package init(sharing bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        stream = nil
        isShared = true
    }

    /// A body of unknown length. If `stream` throws or doesn't finish, the connection is cut.
    package init(stream: @escaping @Sendable (inout ResponseWriter) async throws -> Void) {
        bytes = []
        isShared = false
        self.stream = stream
    }
}

extension ServerAnswer {
    /// A service's answer.
    init(_ response: Response) {
        self.init(response.status, fields: FieldLines(response.headers), body: response.body)
    }
}
