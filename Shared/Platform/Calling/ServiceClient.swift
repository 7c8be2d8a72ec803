import AsyncHTTPClient
import FoundationEssentials
import Glibc
package import HTTPContract
import HTTPTypes
import Metrics
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
package import NIOPosix
import NIOSSL
package import Running
import ServiceLifecycle
import Synchronization
package import TLS

/// Calls the operations of one other service.
///
/// Connections are pooled and use TLS 1.3 with certificates on both sides, and the server's name is verified. While it runs as
/// a service, it notices changed TLS files. It follows no redirects and decompresses nothing.
///
/// A connection that fails to open is retried within the deadline. A connection that the other side closed while idle leaves
/// the pool. If the other side closes a connection just as a request is sent, the request is sent once more: the other side is
/// shutting down and has hardly accepted it. If it has, a repeat does no harm, because every operation allows repeats.
///
/// Run it as a service, or call ``close()`` when done.
package struct ServiceClient: Service, TLSUser {
    /// The other service's name in metrics.
    package let name: String
    private let base: String
    private let deadline: Duration
    private let answerLimit: Int
    private let connections: ReloadedConnections
    private let outcomes: Outcomes

    /// - Parameters:
    ///   - base: scheme, host and port, such as `https://localhost:8010`.
    ///   - tls: certificate, key and authorities; nil for plain HTTP in tests.
    ///   - name: the other service's name.
    ///   - deadline: for a whole call.
    ///   - answerLimit: the maximum size of an answer's body in bytes.
    package init(
        base: String, tls: TLSFiles?, name: String, deadline: Duration = .seconds(5), answerLimit: Int = 1 << 20,
        eventLoopGroup: MultiThreadedEventLoopGroup = .singleton
    ) throws(ConfigurationProblem) {
        self.init(
            base: base, name: name, deadline: deadline, answerLimit: answerLimit,
            connections: try ReloadedConnections(
                tls: tls, peer: name, configuration: Self.configuration(deadline: deadline),
                eventLoopGroup: eventLoopGroup))
    }

    /// Creates a client without a certificate, as apps are.
    ///
    /// - Parameter authorities: path of the PEM file with the authorities that may have issued the server's certificate; it is
    ///   read once.
    package init(
        base: String, authorities: String, name: String, deadline: Duration = .seconds(5), answerLimit: Int = 1 << 20
    ) throws(ConfigurationProblem) {
        var configuration = Self.configuration(deadline: deadline)
        configuration.tlsConfiguration = try TLSFiles.anonymousClient(trusting: authorities)
        self.init(
            base: base, name: name, deadline: deadline, answerLimit: answerLimit,
            connections: ReloadedConnections(fixed: configuration, eventLoopGroup: .singleton))
    }

    private init(
        base: String, name: String, deadline: Duration, answerLimit: Int, connections: ReloadedConnections
    ) {
        self.name = name
        self.base = base.last == "/" ? String(base.dropLast()) : base
        self.deadline = deadline
        self.answerLimit = answerLimit
        self.connections = connections
        outcomes = Outcomes(peer: name)
    }

    private static func configuration(deadline: Duration) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: HTTPClient.Configuration.Timeout(
                connect: TimeAmount(deadline), read: TimeAmount(deadline), write: TimeAmount(deadline)),
            decompression: .disabled)
        configuration.httpVersion = .http1Only
        // Shorter than the listeners' own timeout (65 s), so that this side closes idle connections.
        configuration.connectionPool.idleTimeout = .seconds(30)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 32
        return configuration
    }

    /// The TLS files in use; nil without a certificate.
    package var watchedTLS: (any WatchedTLS)? { connections.watchedTLS }

    /// Waits for shutdown, then closes all connections.
    package func run() async throws {
        try? await gracefulShutdown()
        await close()
    }

    /// Closes all connections; a second call does nothing.
    package func close() async {
        await connections.close()
    }

    /// Calls an operation once.
    package func call<Req: WireMessage, Res: WireMessage>(
        _ endpoint: Endpoint<Req, Res>, _ request: Req
    ) async throws(CallError) -> Res {
        let start = NIODeadline.now()
        do {
            let response = try await connections.with { http in
                try await perform(endpoint, request, over: http, until: start + TimeAmount(deadline))
            }
            outcomes.record(endpoint.route.path, .answered, since: start)
            return response
        } catch {
            let problem = error as? CallError ?? .unavailable
            outcomes.record(endpoint.route.path, Outcome(problem), since: start)
            throw problem
        }
    }

    private func perform<Req: WireMessage, Res: WireMessage>(
        _ endpoint: Endpoint<Req, Res>, _ message: Req, over http: HTTPClient, until deadline: NIODeadline
    ) async throws -> Res {
        let route = endpoint.route
        let encoded = try message.encoded()
        var request = HTTPClientRequest(url: base + route.target(with: encoded.parameters))
        request.method = HTTPMethod(rawValue: route.method.rawValue)
        for field in encoded.fields { request.headers.add(name: field.name.rawName, value: field.value) }
        if let media = route.requestMedia {
            request.headers.add(name: "content-type", value: media.text)
            request.body = .bytes(ByteBuffer(data: encoded.body))
        }
        // A server with several versions has to know which one is expected.
        if let media = route.responseMedia, !media.parameters.isEmpty {
            request.headers.add(name: "accept", value: media.text)
        }
        let response: HTTPClientResponse
        do {
            response = try await http.execute(request, deadline: deadline)
        } catch  where Self.wentAway(error) {
            response = try await http.execute(request, deadline: deadline)
        }
        let status = HTTPResponse.Status(code: Int(response.status.code))
        guard status == endpoint.success else {
            // A connection can be reused only after its answer has been read to the end.
            _ = try? await collect(response.body, until: deadline)
            switch status.kind {
            case .clientError: throw CallError.refused(status)
            case .serverError: throw CallError.unavailable
            case .successful, .redirection, .informational, .invalid: throw CallError.malformedAnswer
            }
        }
        if let media = route.responseMedia {
            guard let type = response.headers.first(name: "content-type"), media.matches(contentType: type) else {
                throw CallError.malformedAnswer
            }
        }
        let body = try await collect(response.body, until: deadline)
        var fields = HTTPFields()
        for name in route.responseHeaders {
            if let value = response.headers.first(name: name.rawName) { fields[name] = value }
        }
        do {
            return try Res(fields: fields, body: Data(buffer: body))
        } catch {
            throw CallError.malformedAnswer
        }
    }

    /// Whether the other side closed the connection instead of answering.
    private static func wentAway(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPClientError: error == .remoteConnectionClosed
        case let error as NIOSSLError: error == .uncleanShutdown
        case let error as IOError: error.errnoCode == ECONNRESET || error.errnoCode == EPIPE
        default: false
        }
    }

    private func collect(_ chunks: HTTPClientResponse.Body, until deadline: NIODeadline) async throws -> ByteBuffer {
        var body = ByteBuffer()
        for try await chunk in chunks {
            guard body.readableBytes + chunk.readableBytes <= answerLimit else { throw CallError.malformedAnswer }
            // The library's deadline covers the answer's header only.
            guard NIODeadline.now() < deadline else { throw CallError.unavailable }
            body.writeImmutableBuffer(chunk)
        }
        return body
    }
}

/// The outcome of a call, as a metric's label.
private enum Outcome: String {
    case answered
    case refused
    case unavailable
    case malformed

    init(_ error: CallError) {
        self =
            switch error {
            case .refused: .refused
            case .unavailable: .unavailable
            case .malformedAnswer: .malformed
            }
    }
}

/// Counts the calls to one service by operation and outcome.
private final class Outcomes: Sendable {
    private struct Series {
        let counters: [Outcome: Counter]
        let seconds: Timer
    }

    private let peer: String
    private let known = Mutex<[String: Series]>([:])

    init(peer: String) {
        self.peer = peer
    }

    func record(_ path: String, _ outcome: Outcome, since start: NIODeadline) {
        let series = known.withLock { known in
            if let series = known[path] { return series }
            let made = make(path)
            known[path] = made
            return made
        }
        series.counters[outcome]?.increment()
        series.seconds.recordNanoseconds((NIODeadline.now() - start).nanoseconds)
    }

    private func make(_ path: String) -> Series {
        let dimensions = [("peer", peer), ("route", path)]
        let outcomes: [Outcome] = [.answered, .refused, .unavailable, .malformed]
        return Series(
            counters: Dictionary(
                uniqueKeysWithValues: outcomes.map {
                    ($0, Counter(label: "http_calls_total", dimensions: dimensions + [("outcome", $0.rawValue)]))
                }),
            seconds: Timer(label: "http_call_seconds", dimensions: dimensions))
    }
}
