import HTTPContract
import HTTPTypes
import NIOCore
import NIOHTTP1

/// The content of an answer: a status, header fields, a body. ``AnswerEncoder`` pads it to its length.
struct Answer {
    let status: Int
    /// The fields in addition to those of every answer. Names are in lower case.
    var fields: [(name: String, value: String)] = []
    var body = ByteBuffer()

    /// An answer without a body.
    static func refusal(_ status: Int, _ fields: (name: String, value: String)...) -> Answer {
        Answer(status: status, fields: fields)
    }

    /// Whether it refuses what the caller asks for. Lack of memory is not the caller's fault.
    var isCallersFault: Bool { (400..<500).contains(status) }

    /// A service doesn't answer, or the proxy has too much to do: the request may be repeated as it is.
    static let unavailable = refusal(503, ("retry-after", String(Problem.unavailable.retryAfter ?? 1)))
}

extension Answer {
    /// A service's reply as the caller receives it. Built from what the contract allows: of a refusal only the status and, if
    /// the body is that of one of the route's error codes and nothing else, the code.
    init(_ reply: UpstreamReply, of route: Route) {
        let status = Int(reply.head.status.code)
        if status == 503 {
            self = .unavailable
            return
        }
        self.init(status: status)
        for name in route.responseHeaders where name != .teleTANsStrained {
            if let value = reply.head.headers.first(name: name.canonicalName) {
                fields.append((name.canonicalName, value))
            }
        }
        // It must name a scheme (RFC 9110, 11.6.1), as the service's own answer did.
        if status == 401 { fields.append(("www-authenticate", "Bearer")) }
        if let media = route.responseMedia, (200..<300).contains(status) {
            fields.append(("content-type", media.name))
            body = reply.body
        } else if reply.isRefusal, let code = route.errorCodes.first(where: { reply.hasBody($0.body) }) {
            fields.append(("content-type", MediaType.json.name))
            body = ByteBuffer(string: code.body)
        }
    }
}
