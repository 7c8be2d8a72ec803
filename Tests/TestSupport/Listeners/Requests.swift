import AsyncHTTPClient
import NIOCore
package import NIOHTTP1
package import NIOSSL

/// An answer as tests look at it.
package struct Answer {
    package let status: Int
    package let fields: HTTPHeaders
    package let body: String
    package let version: HTTPVersion
}

/// Sends requests that no ``ServiceClient`` would send.
package func send(
    _ method: HTTPMethod, _ url: String, headers: [(String, String)] = [], body: String? = nil,
    tls: TLSConfiguration? = nil, http2: Bool = false
) async throws -> Answer {
    var configuration = HTTPClient.Configuration(
        tlsConfiguration: tls, redirectConfiguration: .disallow,
        timeout: .init(connect: .seconds(5), read: .seconds(20)))
    configuration.httpVersion = http2 ? .automatic : .http1Only
    configuration.connectionPool.retryConnectionEstablishment = false
    let client = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    do {
        var request = HTTPClientRequest(url: url)
        request.method = method
        request.headers = HTTPHeaders(headers)
        if let body { request.body = .bytes(ByteBuffer(string: body)) }
        let response = try await client.execute(request, timeout: .seconds(20))
        let answer = Answer(
            status: Int(response.status.code), fields: response.headers,
            body: String(buffer: try await response.body.collect(upTo: 1 << 20)), version: response.version)
        try await client.shutdown()
        return answer
    } catch {
        try await client.shutdown()
        throw error
    }
}

/// Posts JSON.
package func post(_ url: String, _ body: String, tls: TLSConfiguration? = nil, http2: Bool = false) async throws
    -> Answer
{
    try await send(
        .POST, url, headers: [("content-type", "application/json")], body: body, tls: tls, http2: http2)
}
