import HTTPContract
import HTTPMessage
import HTTPTypes
import Logging
import Loop
import Metrics
import Running

/// Routes every request of a listener to its responder, and turns every outcome into an answer and its metrics.
///
/// All cores share one.
final class Dispatcher: RequestServer, Sendable {
    /// A mounted path and method.
    final class Target: Sendable {
        let path: String
        private let callers: Routes.Callers
        /// The refusal statuses that the listener's document lists; nil without a document.
        let refusals: Set<HTTPResponse.Status>?
        /// What the body of a refusal may say.
        let errorCodes: Set<ErrorCode>
        /// How many bytes a request's body may have; nil if the responder decides.
        let bodyLimit: Int?
        /// What the body's media type must be; nil for any.
        let media: MediaType?
        let responder: @Sendable (Exchange) async throws -> ServerAnswer
        let metrics: RouteMetrics

        init(_ mount: Routes.Mount, checksCallers: Bool, metrics: RouteMetrics) {
            path = mount.path
            callers = if case .roles = mount.callers, !checksCallers { .all } else { mount.callers }
            refusals = mount.description.map { Set($0.allRefusals(checksCallers: checksCallers).keys) }
            errorCodes = mount.description?.route.errorCodes ?? []
            bodyLimit = mount.bodyLimit
            media = mount.media
            responder = mount.responder
            self.metrics = metrics
        }

        func admits(_ caller: Caller) -> Bool {
            switch callers {
            case .all: true
            case .roles(let roles): caller.role.map(roles.contains) ?? false
            case .known(let isKnown): isKnown(caller)
            }
        }
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
    private let logger: Logger

    /// How many bytes of a refused request's body are read, so that the connection can be used again.
    private static let maxDiscardedBytes = 64 << 10

    /// - Parameter checksCallers: false without client certificates.
    init(
        listener: String, routes: Routes, checksCallers: Bool, metrics: any MetricsFactory, logger: Logger
    ) {
        var paths: [String: Path] = [:]
        for mount in routes.mounts {
            guard let method = mount.method else { continue }
            let metrics = RouteMetrics(
                listener: listener, route: mount.path,
                expected: [mount.success, .badRequest, .internalServerError, .serviceUnavailable], factory: metrics)
            paths[mount.path, default: Path()].methods[method] = Target(
                mount, checksCallers: checksCallers, metrics: metrics)
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
        fallback = routes.fallback.map { Target($0, checksCallers: false, metrics: other) }
        self.logger = logger
    }

    // MARK: Requests

    func begin(_ exchange: ServerExchange) -> (any ExchangeHandler)? {
        let target: Target
        switch self.target(of: exchange.head) {
        case .success(let found):
            target = found
        case .failure(let refusal):
            refuse(exchange, refusal.answer, other, "other", reading: Self.discarded(of: exchange))
            return nil
        }
        if let problem = problem(with: exchange, at: target) {
            // A body that is too large is refused before it is sent.
            let limit = problem.status == .contentTooLarge ? 0 : Self.discarded(of: exchange)
            refuse(exchange, problem, at: target, reading: limit)
            return nil
        }
        guard let connection = exchange.connection else { return nil }
        let task = RequestTask(exchange, target, of: self, on: connection)
        if target.bodyLimit == nil, exchange.head.hasBody { task.start() }
        return task
    }

    /// Why a request is refused for its header, if it is.
    private func problem(with exchange: ServerExchange, at target: Target) -> Problem? {
        guard target.admits(exchange.caller) else { return .forbidden }
        if let media = target.media {
            guard let type = exchange.head.fields.only(.contentType), media.matches(contentType: type) else {
                return .unsupportedMediaType
            }
        }
        if case .length(let length) = exchange.head.framing, let limit = target.bodyLimit, length > limit {
            return .contentTooLarge
        }
        return nil
    }

    /// How much of a refused request's body is read: all of it if it is small, otherwise nothing.
    private static func discarded(of exchange: ServerExchange) -> Int {
        guard case .length(let length) = exchange.head.framing, length <= maxDiscardedBytes else { return 0 }
        return length
    }

    /// Refuses a request before its task has started, or while its body arrives.
    func refuse(_ exchange: ServerExchange, _ problem: Problem, at target: Target, reading limit: Int) {
        refuse(exchange, answer(to: problem, at: target), target.metrics, target.path, reading: limit)
    }

    private func refuse(
        _ exchange: ServerExchange, _ answer: ServerAnswer, _ metrics: RouteMetrics, _ route: String,
        reading limit: Int
    ) {
        record(answer.status, exchange, metrics, route)
        exchange.refuse(answer, reading: limit)
    }

    func refusal(_ status: HTTPResponse.Status) -> ServerAnswer { Self.refusal(status) }

    /// The answer of a responder, or what its error becomes.
    ///
    /// - Returns: nil to close the connection.
    func answer(to exchange: Exchange, at target: Target) async -> ServerAnswer? {
        do {
            return try await target.responder(exchange)
        } catch {
            if error is ConnectionLost || Task.isCancelled { return nil }
            return answer(to: error, at: target)
        }
    }

    /// Sends an answer.
    func respond(_ exchange: ServerExchange, with answer: ServerAnswer, at target: Target) {
        record(answer.status, exchange, at: target)
        if exchange.isIncomplete {
            let limit = answer.status == .contentTooLarge ? 0 : Self.discarded(of: exchange)
            exchange.refuse(answer, reading: limit)
        } else {
            exchange.send(answer)
        }
    }

    func record(_ status: HTTPResponse.Status, _ exchange: ServerExchange, at target: Target) {
        record(status, exchange, target.metrics, target.path)
    }

    private func record(
        _ status: HTTPResponse.Status, _ exchange: ServerExchange, _ metrics: RouteMetrics, _ route: String
    ) {
        let end = Moment.now()
        metrics.record(status, since: exchange.start, at: end)
        logger.debug(
            "request",
            metadata: [
                "http.route": "\(route)", "http.status": .stringConvertible(status.code),
                "http.milliseconds": .stringConvertible((end.nanoseconds - exchange.start.nanoseconds) / 1_000_000),
            ])
    }

    // MARK: Routing

    /// Why a request reaches no responder.
    private struct Refusal: Error {
        let answer: ServerAnswer
    }

    private func target(of head: RequestHead) -> Result<Target, Refusal> {
        let path = head.target
        // The common case first: a mounted path without a query.
        guard let found = paths[path] ?? self.path(of: path.prefix { $0 != "?" }) else {
            return fallback.map { .success($0) } ?? .failure(Refusal(answer: Self.refusal(.notFound)))
        }
        guard let target = found.methods[head.method] else {
            var answer = Self.refusal(.methodNotAllowed)
            answer.fields.append(.allow, found.allow)
            return .failure(Refusal(answer: answer))
        }
        return .success(target)
    }

    /// Finds the path of a request. A mounted path takes precedence over one that a template matches.
    private func path(of sent: Substring) -> Path? {
        paths[String(sent)] ?? templates.first { $0.template.matches(sent) }?.path
    }

    // MARK: Errors

    private func answer(to error: any Error, at target: Target) -> ServerAnswer {
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
        var answer = Self.refusal(problem.status)
        if let code = problem.code, target.errorCodes.contains(code) {
            answer.fields.append(.contentType, MediaType.json.text)
            answer.body = ResponseBody(Array(code.body.utf8))
        }
        if let seconds = problem.retryAfter { answer.fields.append(.retryAfter, String(seconds)) }
        // A 401 must name a scheme (RFC 9110, 11.6.1); this is the only one.
        if problem.status == .unauthorized { answer.fields.append(.wwwAuthenticate, "Bearer") }
        return answer
    }

    /// An answer without a body that no cache keeps.
    static func refusal(_ status: HTTPResponse.Status) -> ServerAnswer {
        ServerAnswer(status, fields: refusalFields)
    }

    private static let refusalFields: FieldLines = {
        var fields = FieldLines()
        fields.append(.cacheControl, "no-store")
        return fields
    }()
}
