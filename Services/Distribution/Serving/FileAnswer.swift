import HTTPTypes
import NIOCore

/// An answer's status and header, as the bytes that go over the wire, up to what depends on the moment.
struct FileAnswer: Sendable {
    let status: HTTPResponse.Status
    /// Ends within the field `Date`.
    let head: ByteBuffer

    /// - Parameter fields: each with its line's end.
    init(_ status: HTTPResponse.Status, _ fields: String) {
        self.status = status
        head = ByteBuffer(string: "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n\(fields)date: ")
    }
}
