package import HTTPContract
import HTTPMessage
package import HTTPTypes

/// Answers one request, for cases that don't fit an `Endpoint`.
package typealias Responder = @Sendable (Exchange) async throws -> Response

/// The routes of a listener.
package struct Routes: Sendable {
    private(set) var mounts: [Mount] = []
    private(set) var fallback: Mount?

    /// Who may call, of those who complete the handshake. They are asked before anything else of a request is read.
    enum Callers: Sendable {
        case all
        /// Certificates that name one of these roles; all on listeners without client certificates.
        case roles(Set<Role>)
        /// Certificates that the listener's owner knows.
        case known(@Sendable (Caller) -> Bool)
    }

    /// One path and method with its responder.
    struct Mount: Sendable {
        let method: HTTPRequest.Method?
        let path: String
        let callers: Callers
        let success: HTTPResponse.Status
        /// The description for the listener's document; nil for anything but an ``Endpoint``.
        let description: EndpointDescription?
        /// How many bytes a request's body may have; nil if the responder decides.
        let bodyLimit: Int?
        /// What the body's media type must be; nil for any.
        let media: MediaType?
        let responder: @Sendable (Exchange) async throws -> ServerAnswer
    }

    /// Mounts an operation.
    ///
    /// The handler receives a message that satisfies its contract, from a caller whose role may call. A thrown ``Problem`` or
    /// ``ProblemConvertible`` becomes the answer; any other error becomes 500.
    package mutating func on<Req: WireMessage, Res: WireMessage>(
        _ endpoint: Endpoint<Req, Res>, use handler: @escaping @Sendable (Req, Caller) async throws -> Res
    ) {
        mount(endpoint, callers: .roles(endpoint.route.callers), handler)
    }

    /// Mounts an operation for callers whose certificates name no role, because somebody else issued them.
    ///
    /// - Parameter isCaller: compares ``Caller/fingerprint`` with the certificates that are known. It is asked before anything of the
    ///   request is parsed, so that only the intended callers reach a parser.
    package mutating func on<Req: WireMessage, Res: WireMessage>(
        _ endpoint: Endpoint<Req, Res>, from isCaller: @escaping @Sendable (Caller) -> Bool,
        use handler: @escaping @Sendable (Req, Caller) async throws -> Res
    ) {
        mount(endpoint, callers: .known(isCaller), handler)
    }

    private mutating func mount<Req: WireMessage, Res: WireMessage>(
        _ endpoint: Endpoint<Req, Res>, callers: Callers,
        _ handler: @escaping @Sendable (Req, Caller) async throws -> Res
    ) {
        let operation = Operation(endpoint, handler)
        let route = endpoint.route
        mount(
            Mount(
                method: route.method, path: route.path, callers: callers, success: endpoint.success,
                description: EndpointDescription(endpoint), bodyLimit: route.requestMedia == nil ? 0 : route.bodyLimit,
                media: route.requestMedia, responder: { try await operation.respond(to: $0) }))
    }

    /// Mounts a responder that forwards an operation; every caller may call.
    package mutating func on(_ operation: EndpointDescription, use responder: @escaping Responder) {
        mount(
            Mount(
                method: operation.route.method, path: operation.route.path, callers: .all, success: operation.success,
                description: operation, bodyLimit: nil, media: nil, responder: { ServerAnswer(try await responder($0)) }
            ))
    }

    /// Mounts a responder that creates its own answer.
    ///
    /// - Parameter callers: nil allows every caller that completes the handshake.
    package mutating func on(
        _ method: HTTPRequest.Method, _ path: String, callers: Set<Role>? = nil, use responder: @escaping Responder
    ) {
        mount(
            Mount(
                method: method, path: path, callers: callers.map { .roles($0) } ?? .all, success: .ok, description: nil,
                bodyLimit: nil,
                media: nil,
                responder: { ServerAnswer(try await responder($0)) }))
    }

    /// Passes every request with an unmounted path to a responder; metrics count all of them as the route "other".
    ///
    /// Its answers are sent unchanged, with only a `Date` added. The timeouts of ``Limits`` apply here, too.
    package mutating func fallback(_ responder: @escaping Responder) {
        fallback = Mount(
            method: nil, path: "other", callers: .all, success: .ok, description: nil, bodyLimit: nil, media: nil,
            responder: { ServerAnswer(try await responder($0)) })
    }

    private mutating func mount(_ mount: Mount) {
        precondition(
            !mounts.contains { $0.path == mount.path && $0.method == mount.method },
            "Two handlers for \(mount.path)")
        mounts.append(mount)
    }
}
