import FoundationEssentials
package import HTTPContract
import HTTPMessage
import HTTPTypes
package import Logging
import Loop
import Metrics
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
/// the pool. If the other side closes a kept connection just as a request is sent, the request is sent once more: the other side
/// is shutting down and has hardly accepted it. If it has, a repeat does no harm, because every operation allows repeats.
///
/// Run it as a service, or call ``close()`` when done.
package struct ServiceClient: Service, TLSUser {
    /// The other service's name in metrics.
    package let name: String
    private let deadline: Duration
    private let answerLimit: Int
    private let http: HTTPClient
    private let outcomes: Outcomes
    private let refusals: RefusalLog?

    /// - Parameters:
    ///   - base: scheme, host and port, such as `https://localhost:8010`.
    ///   - tls: certificate, key and authorities; nil for plain HTTP in tests.
    ///   - name: the other service's name.
    ///   - deadline: for a whole call.
    ///   - answerLimit: the maximum size of an answer's body in bytes.
    ///   - logger: is told of refusals; nil for tools, which tell people themselves.
    package init(
        base: String, tls: TLSFiles?, name: String, deadline: Duration = .seconds(5), answerLimit: Int = 1 << 20,
        logger: Logger? = nil
    ) throws(ConfigurationProblem) {
        let http = try HTTPClient(base: base, tls: tls, name: name) { $0.connectTime = deadline }
        self.init(http, name: name, deadline: deadline, answerLimit: answerLimit, logger: logger)
    }

    /// Creates a client without a certificate, as apps are.
    ///
    /// - Parameter authorities: path of the PEM file with the authorities that may have issued the server's certificate; it is
    ///   read once.
    package init(
        base: String, authorities: String, name: String, deadline: Duration = .seconds(5), answerLimit: Int = 1 << 20
    ) throws(ConfigurationProblem) {
        let http = try HTTPClient(base: base, authorities: authorities) { $0.connectTime = deadline }
        self.init(http, name: name, deadline: deadline, answerLimit: answerLimit, logger: nil)
    }

    private init(_ http: HTTPClient, name: String, deadline: Duration, answerLimit: Int, logger: Logger?) {
        self.name = name
        self.deadline = deadline
        self.answerLimit = answerLimit
        self.http = http
        outcomes = Outcomes(peer: name)
        refusals = logger.map { RefusalLog(peer: name, $0) }
    }

    /// The TLS files in use; nil without a certificate.
    package var watchedTLS: (any WatchedTLS)? { http.watchedTLS }

    /// Waits for shutdown, then closes all connections.
    package func run() async throws { try await http.run() }

    /// Closes all connections; a second call does nothing.
    package func close() async { await http.close() }

    /// Calls an operation once.
    package func call<Req: WireMessage, Res: WireMessage>(
        _ endpoint: Endpoint<Req, Res>, _ request: Req
    ) async throws(CallError) -> Res {
        let start = Moment.now()
        do {
            let response = try await perform(endpoint, request)
            outcomes.record(endpoint.route.path, .answered, since: start)
            return response
        } catch {
            outcomes.record(endpoint.route.path, Outcome(error), since: start)
            refusals?.record(error, of: endpoint, at: start)
            throw error
        }
    }

    /// The peer's status for a request to an operation's path with a method that it doesn't have there.
    ///
    /// Nothing happens, and nothing is counted or logged. Our own servers answer 405 where they have the operation (RFC 9110,
    /// section 15.5.6), 404 elsewhere.
    func statusOfOtherMethod(at route: Route) async throws(CallFailure) -> HTTPResponse.Status {
        let request = ClientRequest(route.method == .get ? .delete : .get, route.path, fields: FieldLines(), body: nil)
        return try await http.send(request, within: deadline, limit: answerLimit).status
    }

    private func perform<Req: WireMessage, Res: WireMessage>(
        _ endpoint: Endpoint<Req, Res>, _ message: Req
    ) async throws(CallError) -> Res {
        let response: ClientResponse
        do {
            response = try await http.send(
                Self.request(endpoint.route, try message.encoded()), within: deadline, limit: answerLimit)
        } catch CallFailure.tooLarge {
            throw .malformedAnswer
        } catch {
            throw .unavailable
        }
        return try endpoint.result(status: response.status, body: response.body) { response.fields.first($0) }
    }

    private static func request(_ route: Route, _ message: EncodedMessage) -> ClientRequest {
        ClientRequest(
            route.method, route.target(with: message.parameters), fields: FieldLines(route.fields(of: message)),
            body: route.requestMedia == nil ? nil : [UInt8](message.body))
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

    func record(_ path: String, _ outcome: Outcome, since start: Moment) {
        let series = known.withLock { known in
            if let series = known[path] { return series }
            let made = make(path)
            known[path] = made
            return made
        }
        series.counters[outcome]?.increment()
        series.seconds.recordNanoseconds(Int64(Moment.now().nanoseconds - start.nanoseconds))
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
