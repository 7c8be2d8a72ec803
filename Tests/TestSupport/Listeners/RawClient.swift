package import TLS

/// An answer as received on the wire.
package struct RawAnswer: Sendable, Equatable {
    package let status: Int
    /// Sorted by name, in lower case; without `date`, which varies.
    package let fields: [Field]
    package let body: String

    /// One header field.
    package struct Field: Sendable, Equatable {
        package let name: String
        package let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The value of a field, nil if it is absent.
    package subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}

/// Sends requests that no ``ServiceClient`` would send: wrong methods, types and bodies, with any certificate.
package final class RawClient: Sendable {
    /// The rest of a request, after its header.
    package enum Body: Sendable {
        case none
        case text(String)
        case bytes([UInt8])
        /// This text a thousand times, without an end and without an announced length.
        case endless(String)
    }

    private let base: String
    private let tls: ClientTLS?

    private init(base: String, tls: TLSFiles?) {
        self.base = base
        self.tls = tls?.caller
    }

    /// Calls `body` with a client.
    ///
    /// - Parameters:
    ///   - base: scheme, host and port.
    ///   - tls: the caller's certificate; nil for plain HTTP.
    package static func with<R>(
        _ base: String, tls: TLSFiles?, _ body: (RawClient) async throws -> R
    ) async throws -> R {
        try await body(RawClient(base: base, tls: tls))
    }

    /// Sends one request.
    package func send(
        _ method: String, _ path: String, fields: [String: String] = [:], _ body: Body = .none
    ) async throws -> RawAnswer {
        let content: CurlCall.Body =
            switch body {
            case .none: .none
            case .text(let text): .bytes(Array(text.utf8))
            case .bytes(let bytes): .bytes(bytes)
            case .endless(let chunk): .endless(Array(chunk.utf8))
            }
        let call = CurlCall(
            method, base + path, headers: fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, body: content,
            tls: tls, http2: false, seconds: 60)
        let answer = try await call.run()
        let fields = answer.fields
            .map { RawAnswer.Field(name: $0.name.lowercased(), value: $0.value) }
            .filter { $0.name != "date" }
            .sorted { ($0.name, $0.value) < ($1.name, $1.value) }
        return RawAnswer(
            status: answer.status, fields: fields, body: String(decoding: answer.body, as: UTF8.self))
    }

    /// Posts JSON.
    package func post(_ path: String, _ body: String, fields: [String: String] = [:]) async throws -> RawAnswer {
        try await send("POST", path, fields: fields.merging(["content-type": "application/json"]) { $1 }, .text(body))
    }
}
