package import HTTPMessage
package import HTTPTypes

/// An answer as tests look at it.
package struct Answer: Sendable {
    package let status: Int
    package let fields: WireFields
    package let body: String
    package let version: HTTPVersion
}

/// The fields of an answer as they were on the wire, in their order.
package struct WireFields: Sendable, Sequence {
    private let lines: [(name: String, value: String)]

    init(_ lines: [(name: String, value: String)]) { self.lines = lines }

    /// The values of a field, whatever the case of its name.
    package subscript(_ name: String) -> [String] {
        lines.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// The value of a field's first line.
    package func first(name: String) -> String? { self[name].first }

    package func makeIterator() -> IndexingIterator<[(name: String, value: String)]> { lines.makeIterator() }
}

/// Methods by their names on the wire.
package typealias HTTPMethod = HTTPRequest.Method

extension HTTPRequest.Method {
    package static let GET = get
    package static let HEAD = head
    package static let POST = post
    package static let PUT = put
    package static let DELETE = delete
    package static let OPTIONS = options
    package static let PATCH = patch
}

/// Sends requests that no ``ServiceClient`` would send.
package func send(
    _ method: HTTPRequest.Method, _ url: String, headers: [(String, String)] = [], body: String? = nil,
    tls: ClientTLS? = nil, http2: Bool = false
) async throws -> Answer {
    let call = CurlCall(
        method.rawValue, url, headers: headers, body: body.map { .bytes(Array($0.utf8)) } ?? .none, tls: tls,
        http2: http2, seconds: 20)
    let answer = try await call.run()
    return Answer(
        status: answer.status, fields: WireFields(answer.fields), body: String(decoding: answer.body, as: UTF8.self),
        version: answer.isHTTP2 ? .http2 : .http1_1)
}

/// Posts JSON.
package func post(_ url: String, _ body: String, tls: ClientTLS? = nil, http2: Bool = false) async throws
    -> Answer
{
    try await send(
        .POST, url, headers: [("content-type", "application/json")], body: body, tls: tls, http2: http2)
}
