import AsyncHTTPClient
import HTTPContract
import HTTPTypes
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import ServiceKit
import Synchronization
import Testing

/// The message of the tests' own operation.
struct Greeting: JSONMessage, Equatable {
    let name: String

    static let schema = JSONSchema.object(["name": .text()])
}

/// Its answer, with a header field.
struct Welcome: JSONMessage, Equatable {
    let text: String

    static let schema = JSONSchema.object(["text": .text()])
}

enum TestAPI {
    static let greet = Endpoint<Greeting, Welcome>(
        .post, "/greet", callers: [.lab, .portal], bodyLimit: 64, summary: "Greets.",
        refusals: [.conflict: "The name is taken."])
    static let ping = Endpoint<NoContent, NoContent>(
        .get, "/ping", callers: [.lab], bodyLimit: 0, success: .noContent, summary: "Does nothing.")
}

extension Listener {
    /// A plain listener on a free port.
    static func plain(limits: Limits? = nil, routes: (inout Routes) -> Void) -> Listener {
        Listener(name: "app", host: "127.0.0.1", port: 0, security: .plain, limits: limits, routes: routes)
    }

    /// A listener that greets.
    static func greeting(_ security: Security, limits: Limits? = nil, name: String = "app") -> Listener {
        Listener(name: name, host: "127.0.0.1", port: 0, security: security, limits: limits) { routes in
            routes.on(TestAPI.greet) { request, caller in
                Welcome(text: "\(request.name) \(caller.role?.rawValue ?? "-") \(caller.name)")
            }
            routes.on(TestAPI.ping) { _, _ in NoContent() }
        }
    }
}

/// An answer as a test looks at it.
struct Answer {
    let status: Int
    let fields: HTTPHeaders
    let body: String
    let version: HTTPVersion
}

/// Sends requests that no ``ServiceClient`` would send.
func send(
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
func post(_ url: String, _ body: String, tls: TLSConfiguration? = nil, http2: Bool = false) async throws -> Answer {
    try await send(
        .POST, url, headers: [("content-type", "application/json")], body: body, tls: tls, http2: http2)
}

/// Everything that was logged, as lines.
final class CapturedLog: Sendable {
    private let captured = Mutex<[String]>([])

    var lines: [String] { captured.withLock { $0 } }

    func logger(_ level: Logger.Level = .trace) -> Logger {
        Logger(label: "test") { label in
            JSONLogHandler(label: label, level: level) { line in self.captured.withLock { $0.append(line) } }
        }
    }
}
