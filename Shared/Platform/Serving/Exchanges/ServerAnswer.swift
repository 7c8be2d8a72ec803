package import HTTPMessage
package import HTTPTypes

/// An answer before it is encoded for a version of HTTP.
///
/// Encoding adds `date`, `content-length`, and `connection: close` where the connection ends; ``fields`` has none of them.
package struct ServerAnswer: Sendable {
    /// The status.
    package var status: HTTPResponse.Status
    /// The fields without `Date`, `Content-Length` and `Connection`, which are added.
    package var fields: FieldLines
    /// The body; left out where the method or the status allows none.
    package var body: ResponseBody

    /// An answer, by default without fields and body.
    package init(
        _ status: HTTPResponse.Status, fields: FieldLines = FieldLines(), body: ResponseBody = ResponseBody()
    ) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Whether it refuses what the caller asks for. Lack of memory, and lateness of ours, aren't the caller's fault.
    var isCallersFault: Bool { (400..<500).contains(status.code) }
}

/// A field whose value makes every answer equally long, so that an observer of TLS records learns nothing from lengths.
package struct AnswerPadding: Sendable {
    /// The field, which callers ignore as they ignore any that they don't know.
    package let name: HTTPField.Name
    /// The bytes of an answer on the wire: status line, fields and body, or a HEADERS and a DATA frame.
    package let length: Int

    /// - Parameter length: at most 16 KiB, so that the answer fits into one TLS record.
    package init(_ name: HTTPField.Name, length: Int) {
        precondition((512...16 << 10).contains(length))
        self.name = name
        self.length = length
    }
}

/// An ``AnswerPadding`` as HTTP/1.1 writes it.
struct LinePadding {
    let length: Int
    /// The name, with what separates it from the value.
    let name: [UInt8]
    /// As much as ever is needed.
    let filling: [UInt8]

    init(_ padding: AnswerPadding) {
        length = padding.length
        name = Array("\(padding.name.canonicalName): ".utf8)
        filling = [UInt8](repeating: UInt8(ascii: "X"), count: padding.length)
    }
}

/// The bytes of an answer for one exchange, which leave when ``ServerExchange/send(_:)-(EncodedAnswer)`` is called.
package struct EncodedAnswer {
    /// The answer's status.
    package let status: HTTPResponse.Status
    /// Status line and fields, or all frames.
    let bytes: [UInt8]
    /// What follows them, without having been copied.
    let body: ArraySlice<UInt8>
    /// Whether the connection ends behind it.
    let closes: Bool
    /// An HTTP/2 answer that leaves frame by frame, as the client's windows allow.
    let unframed: ServerAnswer?
    /// What its body occupies until it has left.
    var memory: AnswerMemory?
}

/// The share of a request whose long answer hasn't left yet.
final class AnswerMemory {
    private let share: BytesInFlight.Share

    init(_ share: consuming BytesInFlight.Share) { self.share = share }
}
