import HTTPTypes
import NIOCore

/// The status and the header fields of an answer, encoded except for the value of `Date`.
struct FileAnswer: Sendable {
    let status: HTTPResponse.Status
    /// Ends with the name of the field `Date`.
    let head: ByteBuffer

    /// - Parameter fields: each ends with a line break.
    init(_ status: HTTPResponse.Status, _ fields: String) {
        self.status = status
        head = ByteBuffer(string: "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n\(fields)date: ")
    }
}
