import HTTPContract
import HTTPTypes
import HummingbirdCore
import Logging
import Metrics
import NIOCore
import NIOHTTP1
import Running

/// Routes every request of a listener to its responder, and turns every outcome into an answer and its metrics.
struct Dispatcher: Sendable {
    private struct Target: Sendable {
        let path: String
        let callers: Set<Role>?
        /// The refusal statuses that the listener's document lists; nil without a document.
        let refusals: Set<HTTPResponse.Status>?
        /// What the body of a refusal may say.
        let errorCodes: Set<ErrorCode>
        let responder: Responder
        let metrics: RouteMetrics
    }

    private struct Path: Sendable {
        var methods: [HTTPRequest.Method: Target] = [:]
        var allow = ""
    }

    private let paths: [String: Path]
    /// The paths with parameters, in mounting order.
    private let templates: [(template: PathTemplate, path: Path)]
    private let fallback: Target?
    private let other: RouteMetrics
    private let watchdog: Watchdog
    private let date: HTTPDate
    private let logger: Logger

    /// - Parameter checksCallers: false without client certificates.
    init(
        listener: String, routes: Routes, checksCallers: Bool, watchdog: Watchdog, clock: WallClock,
        metrics: any MetricsFactory, logger: Logger
    ) {
        var paths: [String: Path] = [:]
        for mount in routes.mounts {
            guard let method = mount.method else { continue }
            let metrics = RouteMetrics(
                listener: listener, route: mount.path,
                expected: [mount.success, .badRequest, .internalServerError, .serviceUnavailable], factory: metrics)
            paths[mount.path, default: Path()].methods[method] = Target(
                path: mount.path, callers: checksCallers ? mount.callers : nil,
                refusals: mount.description.map { Set($0.allRefusals(checksCallers: checksCallers).keys) },
                errorCodes: mount.description?.route.errorCodes ?? [],
                responder: mount.responder, metrics: metrics)
        }
        paths = paths.mapValues { path in
            var path = path
            path.allow = path.methods.keys.map(\.rawValue).sorted().joined(separator: ", ")
            return path
        }
        let other = RouteMetrics(listener: listener, route: "other", expected: [], factory: metrics)
        self.paths = paths
        var templates: [(template: PathTemplate, path: Path)] = []
        for text in routes.mounts.map(\.path) {
            let template = PathTemplate(text)
            guard !template.parameters.isEmpty, !templates.contains(where: { $0.template == template }),
                let path = paths[text]
            else { continue }
            templates.append((template, path))
        }
        self.templates = templates
        self.other = other
        fallback = routes.fallback.map {
            Target(path: $0.path, callers: nil, refusals: nil, errorCodes: [], responder: $0.responder, metrics: other)
        }
        self.watchdog = watchdog
        date = HTTPDate(clock: clock)
        self.logger = logger
    }

    /// Answers one request.
    ///
    /// - Parameter peer: nil on listeners without client certificates.
    /// - Throws: to close the connection.
    @concurrent func respond(
        to request: Request, with writer: consuming ResponseWriter, on channel: any Channel, peer: Peer?
    ) async throws {
        let start = NIODeadline.now()
        let caller = try await Self.caller(peer, on: channel)
        let watch = watchdog.watch(channel, expectsBody: request.announcesBody(on: channel))
        do {
            try await answer(request, writer, channel, caller, watch, start)
        } catch {
            watchdog.release(channel)
            throw error
        }
        // Hummingbird discards the rest of the body; the watch ensures that this ends.
        if watch.isBodyRead {
            watchdog.release(channel)
        } else {
            watch.drainBegins()
        }
    }

    @concurrent private func answer(
        _ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel, _ caller: Caller,
        _ watch: RequestWatch, _ start: NIODeadline
    ) async throws {
        var response: Response
        var metrics = other
        var route = "other"
        switch target(of: request.head) {
        case .failure(let refusal):
            response = refusal.response
        case .success(let target):
            metrics = target.metrics
            route = target.path
            do {
                response = try await self.response(of: target, to: request, channel, caller, watch)
            } catch let error as HTTPParserError {
                throw error
            } catch {
                if let status = watch.expiry {
                    finish(metrics, route, status, start)
                    throw ConnectionLost()
                }
                if error is ConnectionLost || Task.isCancelled { throw ConnectionLost() }
                response = self.response(to: error, at: target)
            }
        }
        if response.status != .contentTooLarge, !watch.isBodyRead {
            try await Exchange(
                request: request, caller: .anonymous, remoteAddress: nil, watch: watch
            ).discardBody()
        }
        if let status = watch.answerBegins() {
            finish(metrics, route, status, start)
            throw ConnectionLost()
        }
        response.headers[.date] = date.text
        if !watch.isBodyRead, !channel.isStream { response.headers[.connection] = "close" }
        do {
            try await writer.write(response: response.head, body: response.body)
        } catch {
            // This includes parser errors: once an answer has begun, the server must not begin another.
            throw ConnectionLost()
        }
        finish(metrics, route, response.status, start)
    }

    private func response(
        of target: Target, to request: Request, _ channel: any Channel, _ caller: Caller, _ watch: RequestWatch
    ) async throws -> Response {
        if let callers = target.callers {
            guard let role = caller.role, callers.contains(role) else { throw Problem.forbidden }
        }
        let exchange = Exchange(
            // A stream of HTTP/2 is a child of its connection.
            request: request, caller: caller, remoteAddress: channel.remoteAddress ?? channel.parent?.remoteAddress,
            watch: watch)
        return try await watch.working { try await target.responder(exchange) }
    }

    /// - Throws: to close the connection of a denied certificate, whatever it asks for.
    private static func caller(_ peer: Peer?, on channel: any Channel) async throws -> Caller {
        guard let peer else { return .anonymous }
        guard let caller = try await peer.caller(on: channel) else { throw ConnectionLost() }
        return caller
    }

    private func finish(
        _ metrics: RouteMetrics, _ route: String, _ status: HTTPResponse.Status, _ start: NIODeadline
    ) {
        metrics.record(status, since: start)
        logger.debug(
            "request",
            metadata: [
                "http.route": "\(route)", "http.status": .stringConvertible(status.code),
                "http.milliseconds": .stringConvertible((NIODeadline.now() - start).nanoseconds / 1_000_000),
            ])
    }

    // MARK: Routing

    /// Why a request reaches no responder.
    private struct Refusal: Error {
        let response: Response
    }

    private func target(of head: HTTPRequest) -> Result<Target, Refusal> {
        let path = head.path ?? ""
        // The common case first: a mounted path without a query.
        guard let found = paths[path] ?? self.path(of: path.prefix { $0 != "?" }) else {
            return fallback.map { .success($0) } ?? .failure(Refusal(response: Self.refusal(.notFound)))
        }
        guard let target = found.methods[head.method] else {
            var response = Self.refusal(.methodNotAllowed)
            response.headers[.allow] = found.allow
            return .failure(Refusal(response: response))
        }
        return .success(target)
    }

    /// Finds the path of a request. A mounted path takes precedence over one that a template matches.
    private func path(of sent: Substring) -> Path? {
        paths[String(sent)] ?? templates.first { $0.template.matches(sent) }?.path
    }

    // MARK: Errors

    private func response(to error: any Error, at target: Target) -> Response {
        let problem = (error as? any ProblemConvertible)?.problem ?? Problem(.internalServerError)
        if problem.status == .internalServerError {
            let reason = (error as? any OperatorProblem)?.description ?? String(describing: type(of: error))
            logger.error("a handler failed", metadata: ["reason": "\(reason)", "http.route": "\(target.path)"])
        } else if target.refusals?.contains(problem.status) == false {
            // The answer is sent nevertheless; the contract lacks it.
            logger.error(
                "a refusal is not in the contract",
                metadata: [
                    "http.route": "\(target.path)", "http.status": .stringConvertible(problem.status.code),
                ])
        }
        var response = Self.refusal(problem.status)
        if let code = problem.code, target.errorCodes.contains(code) {
            response.headers[.contentType] = MediaType.json.text
            response.body = ResponseBody(byteBuffer: ByteBuffer(string: code.body))
        }
        if let seconds = problem.retryAfter { response.headers[.retryAfter] = String(seconds) }
        // A 401 must name a scheme (RFC 9110, 11.6.1); this is the only one.
        if problem.status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
        return response
    }

    private static func refusal(_ status: HTTPResponse.Status) -> Response {
        Response(status: status, headers: [.cacheControl: "no-store"])
    }
}

extension Request {
    /// Whether a body follows the header. HTTP/2 need not announce one, so it is always expected there.
    fileprivate func announcesBody(on channel: any Channel) -> Bool {
        if let length = headers.only(.contentLength) { return length != "0" }
        return channel.isStream || headers.contains(.transferEncoding)
    }
}
