import AsyncHTTPClient
package import FoundationEssentials
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import NIOPosix
import NIOSSL
package import Running
import TLS

/// A small document on a third party's server, such as the keys of an identity provider.
///
/// The server must authenticate, redirects aren't followed, nothing is decompressed, and the answer has a size limit and a
/// deadline. Each read opens a new connection with the current authorities: documents are read every few minutes, and renewed
/// authorities need no restart.
package struct OutsideDocument: Sendable {
    private let url: String
    private let authorities: String?
    private let limit: Int
    private let deadline: Duration

    /// - Parameters:
    ///   - url: the URL of the document.
    ///   - authorities: path of a PEM file with those that may have issued the server's certificate; nil for the system's.
    ///   - limit: the maximum size in bytes.
    ///   - deadline: for everything, from the connection to the last byte.
    /// - Throws: if the file has no authority now.
    package init(
        url: String, authorities: String?, limit: Int = 256 << 10, deadline: Duration = .seconds(3)
    ) throws(ConfigurationProblem) {
        self.url = url
        self.authorities = authorities
        self.limit = limit
        self.deadline = deadline
        _ = try tls()
    }

    /// Reads the document once.
    ///
    /// - Throws: `.unavailable`, also when the deadline passes; `.malformedAnswer` for a document that is too large.
    package func read() async throws(CallError) -> Data {
        do {
            return try await withThrowingTaskGroup(of: Data.self) { group in
                group.addTask { try await fetch() }
                group.addTask {
                    try await Task.sleep(for: deadline)
                    throw CallError.unavailable
                }
                defer { group.cancelAll() }
                guard let first = try await group.next() else { throw CallError.unavailable }
                return first
            }
        } catch {
            throw error as? CallError ?? .unavailable
        }
    }

    private func fetch() async throws -> Data {
        let tls = try await NIOThreadPool.singleton.runIfActive { try self.tls() }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(deadline), read: TimeAmount(deadline)), decompression: .disabled)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        // Connections are closed after the answer is returned, because an unresponsive server also delays the end of TLS.
        let connections = ReloadedConnections(fixed: configuration, eventLoopGroup: .singleton)
        return try await connections.with { try await fetch(over: $0) }
    }

    private func fetch(over http: HTTPClient) async throws -> Data {
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "accept", value: "application/json")
        let response = try await http.execute(request, timeout: TimeAmount(deadline))
        guard response.status == .ok else { throw CallError.unavailable }
        var body = ByteBuffer()
        for try await chunk in response.body {
            guard body.readableBytes + chunk.readableBytes <= limit else { throw CallError.malformedAnswer }
            body.writeImmutableBuffer(chunk)
        }
        return Data(buffer: body)
    }

    private func tls() throws(ConfigurationProblem) -> TLSConfiguration {
        guard let authorities else { return .makeClientConfiguration() }
        return try TLSFiles.anonymousClient(trusting: authorities)
    }
}
