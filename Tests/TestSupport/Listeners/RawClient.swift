import AsyncHTTPClient
import NIOCore
import NIOHTTP1
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
        /// This text a thousand times, without an end and without an announced length.
        case endless(String)
    }

    private let base: String
    private let http: HTTPClient

    private init(base: String, tls: TLSFiles?) throws {
        self.base = base
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: try tls?.client(), redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(30), read: .seconds(30)))
        configuration.httpVersion = .http1Only
        http = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    }

    /// Calls `body` with a client, which is closed afterwards.
    ///
    /// - Parameters:
    ///   - base: scheme, host and port.
    ///   - tls: the caller's certificate; nil for plain HTTP.
    package static func with<R>(
        _ base: String, tls: TLSFiles?, _ body: (RawClient) async throws -> R
    ) async throws -> R {
        let client = try RawClient(base: base, tls: tls)
        let result: Result<R, any Error>
        do {
            result = .success(try await body(client))
        } catch {
            result = .failure(error)
        }
        try await client.http.shutdown()
        return try result.get()
    }

    /// Sends one request.
    package func send(
        _ method: String, _ path: String, fields: [String: String] = [:], _ body: Body = .none
    ) async throws -> RawAnswer {
        var request = HTTPClientRequest(url: base + path)
        request.method = HTTPMethod(rawValue: method)
        request.headers = HTTPHeaders(fields.sorted { $0.key < $1.key })
        switch body {
        case .none: break
        case .text(let text): request.body = .bytes(ByteBuffer(string: text))
        case .endless(let chunk):
            let buffer = ByteBuffer(string: chunk)
            let chunks = AsyncStream { continuation in
                for _ in 0..<1000 { continuation.yield(buffer) }
            }
            request.body = .stream(chunks, length: .unknown)
        }
        let response = try await http.execute(request, timeout: .seconds(60))
        let text = String(buffer: try await response.body.collect(upTo: 1 << 20))
        let fields = response.headers
            .map { RawAnswer.Field(name: $0.name.lowercased(), value: $0.value) }
            .filter { $0.name != "date" }
            .sorted { ($0.name, $0.value) < ($1.name, $1.value) }
        return RawAnswer(status: Int(response.status.code), fields: fields, body: text)
    }

    /// Posts JSON.
    package func post(_ path: String, _ body: String, fields: [String: String] = [:]) async throws -> RawAnswer {
        try await send("POST", path, fields: fields.merging(["content-type": "application/json"]) { $1 }, .text(body))
    }
}
