import AsyncHTTPClient
package import FoundationEssentials
package import HTTPContract
package import HTTPTypes
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import NIOPosix
import NIOSSL
package import Running
import TLS

/// A small document on a third party's server, such as the keys of an identity provider, or one that answers a form.
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
        let answer = try await answer(to: HTTPClientRequest(url: url))
        guard answer.status == .ok else { throw .unavailable }
        return answer.body
    }

    /// Posts a form once.
    ///
    /// - Parameter authorization: the field's value; nil omits it.
    /// - Returns: the status and the document, whatever the status is.
    /// - Throws: as ``read()``.
    package func post(
        _ form: URLEncodedValues, authorization: String? = nil
    ) async throws(CallError) -> (status: HTTPResponse.Status, body: Data) {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "content-type", value: MediaType.form.text)
        if let authorization { request.headers.add(name: "authorization", value: authorization) }
        request.body = .bytes(ByteBuffer(string: form.encoded))
        let answer = try await answer(to: request)
        return (HTTPResponse.Status(code: Int(answer.status.code)), answer.body)
    }

    private struct Answer {
        let status: HTTPResponseStatus
        let body: Data
    }

    private func answer(to request: HTTPClientRequest) async throws(CallError) -> Answer {
        do {
            return try await withThrowingTaskGroup(of: Answer.self) { group in
                group.addTask { try await fetch(request) }
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

    private func fetch(_ request: HTTPClientRequest) async throws -> Answer {
        let tls = try await NIOThreadPool.singleton.runIfActive { try self.tls() }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(deadline), read: TimeAmount(deadline)), decompression: .disabled)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        // Connections are closed after the answer is returned, because an unresponsive server also delays the end of TLS.
        let connections = ReloadedConnections(fixed: configuration, eventLoopGroup: .singleton)
        return try await connections.with { try await fetch(request, over: $0) }
    }

    private func fetch(_ request: HTTPClientRequest, over http: HTTPClient) async throws -> Answer {
        var request = request
        request.headers.add(name: "accept", value: "application/json")
        let response = try await http.execute(request, timeout: TimeAmount(deadline))
        var body = ByteBuffer()
        for try await chunk in response.body {
            guard body.readableBytes + chunk.readableBytes <= limit else { throw CallError.malformedAnswer }
            body.writeImmutableBuffer(chunk)
        }
        return Answer(status: response.status, body: Data(buffer: body))
    }

    private func tls() throws(ConfigurationProblem) -> TLSConfiguration {
        guard let authorities else { return .makeClientConfiguration() }
        return try TLSFiles.anonymousClient(trusting: authorities)
    }
}
