import AsyncHTTPClient
import Calling
import NIOCore
import NIOHTTP1
import Running
import ServiceLifecycle
import TLS

/// Calls the countries, with the gateway's client certificate.
struct CallbackClient: Service, TLSUser {
    private let connections: ReloadedConnections

    private static let timeout: TimeAmount = .seconds(10)

    /// From `callback.certificate`, `callback.key` and `callback.authorities`.
    init(_ settings: Settings) throws {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: Self.timeout, read: Self.timeout))
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        connections = try ReloadedConnections(
            outside: TLSFiles(settings, prefix: "callback"), peer: "callback", configuration: configuration)
    }

    var watchedTLS: (any WatchedTLS)? { connections.watchedTLS }

    func run() async throws { try await connections.run() }

    /// - Returns: the status of the answer; nil if there was none within ten seconds.
    func get(_ url: String) async -> Int? {
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "user-agent", value: "EFGS Callback Engine")
        return try? await connections.with { http in
            let response = try await http.execute(request, timeout: Self.timeout)
            _ = try await response.body.collect(upTo: 1 << 16)
            return Int(response.status.code)
        }
    }
}
