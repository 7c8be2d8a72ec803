import HTTPContract
import NIOCore

/// What a caller is told: a status, some fields, a body. ``AnswerEncoder`` gives it its length.
struct Answer {
    let status: Int
    /// Beside those that every answer has. Names are in lower case; values are the contract's or an upstream's.
    var fields: [(name: String, value: String)] = []
    var body = ByteBuffer()

    /// An answer without a body.
    static func refusal(_ status: Int, _ fields: (name: String, value: String)...) -> Answer {
        Answer(status: status, fields: fields)
    }

    /// Whether it refuses what the caller asks for. An answer that there is no room for is none of the caller's faults.
    var isCallersFault: Bool { (400..<500).contains(status) }

    /// A service does not answer, or this one has too much to do: the request may be repeated as it is.
    static let unavailable = refusal(503, ("retry-after", String(Problem.unavailable.retryAfter ?? 1)))
}
