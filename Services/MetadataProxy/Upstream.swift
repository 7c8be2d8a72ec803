import AsyncHTTPClient
import FoundationEssentials
import HTTPContract
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1
import ServiceKit
import ServiceLifecycle

/// A service behind the proxy. Connections are pooled and shared between callers, so that they tell nothing about who
/// asked.
struct Upstream: Service, TLSUser {
    private let base: String
    private let connections: ReloadedConnections

    /// Seconds that a service may take.
    private static let deadline: Int64 = 5
    /// The largest answer that is passed on, in bytes.
    private static let answerLimit = 64 << 10

    /// - Parameter name: of the service, as metrics call it.
    init(base: String, tls: TLSFiles, name: String) throws(ConfigurationProblem) {
        self.base = base
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow, decompression: .disabled)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.idleTimeout = .seconds(30)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        connections = try ReloadedConnections(tls: tls, peer: name, configuration: configuration)
    }

    func run() async throws {
        try await connections.run()
    }

    var watchedTLS: (any WatchedTLS)? { connections.watchedTLS }

    /// Builds the inner request anew from what the route allows, and the answer anew from what it allows.
    ///
    /// Nothing is deleted from the caller's request, because nothing of it is copied but the body and the named fields:
    /// address, user agent, cookies, order and case of the header stay here (design decision 9).
    func forward(_ exchange: Exchange, along route: Route) async throws -> Response {
        var request = HTTPClientRequest(url: base + route.path)
        request.method = HTTPMethod(rawValue: route.method.rawValue)
        for name in route.requestHeaders {
            if let value = exchange.request.headers[name] { request.headers.add(name: name.rawName, value: value) }
        }
        if let media = route.requestMedia {
            guard let type = exchange.request.headers[.contentType], media.matches(contentType: type) else {
                throw Problem.unsupportedMediaType
            }
            request.headers.add(name: "content-type", value: media.name)
            request.body = .bytes(try await exchange.body(upTo: route.bodyLimit))
        }
        let answer: HTTPClientResponse
        let body: ByteBuffer
        do {
            (answer, body) = try await connections.with { http in
                let answer = try await http.execute(request, timeout: .seconds(Self.deadline))
                return (answer, try await answer.body.collect(upTo: Self.answerLimit))
            }
        } catch {
            throw Problem.unavailable
        }
        return rebuilt(answer, body, along: route)
    }

    private func rebuilt(_ answer: HTTPClientResponse, _ body: ByteBuffer, along route: Route) -> Response {
        var fields = HTTPFields()
        fields[.cacheControl] = "no-store"
        for name in route.responseHeaders {
            if let value = answer.headers.first(name: name.rawName) { fields[name] = value }
        }
        let status = HTTPResponse.Status(code: Int(answer.status.code))
        // Only a success has a body in the contract; whatever else an upstream may write stays inside.
        guard status.kind == .successful, let media = route.responseMedia else {
            if status == .serviceUnavailable { fields[.retryAfter] = Problem.unavailable.retryAfter.map(String.init) }
            return Response(status: status, headers: fields)
        }
        fields[.contentType] = media.name
        return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: body))
    }
}
