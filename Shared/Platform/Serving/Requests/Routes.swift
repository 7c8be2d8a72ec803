package import HTTPContract
package import HTTPTypes
package import HummingbirdCore

/// Answers one request; used where an ``Endpoint`` does not fit.
package typealias Responder = @Sendable (Exchange) async throws -> Response

/// What a listener answers.
package struct Routes {
    private(set) var mounts: [Mount] = []
    private(set) var fallback: Mount?

    /// One answerable path and method.
    struct Mount {
        let method: HTTPRequest.Method?
        let path: String
        /// nil: every caller that completes the handshake.
        let callers: Set<Role>?
        let success: HTTPResponse.Status
        /// What the listener's document says of it; nil for what is no ``Endpoint``.
        let description: EndpointDescription?
        let responder: Responder
    }

    /// Mounts an operation.
    ///
    /// The handler gets a message that kept its contract, from a caller whose role may call. What it throws becomes the
    /// answer if it is a ``Problem`` or ``ProblemConvertible``, and 500 otherwise.
    package mutating func on<Req: WireMessage, Res: WireMessage>(
        _ endpoint: Endpoint<Req, Res>, use handler: @escaping @Sendable (Req, Caller) async throws -> Res
    ) {
        let operation = Operation(endpoint, handler)
        mount(
            Mount(
                method: endpoint.route.method, path: endpoint.route.path, callers: endpoint.route.callers,
                success: endpoint.success, description: EndpointDescription(endpoint),
                responder: { try await operation.respond(to: $0) }))
    }

    /// Mounts a responder that forwards an operation; every caller may call.
    package mutating func on(_ operation: EndpointDescription, use responder: @escaping Responder) {
        mount(
            Mount(
                method: operation.route.method, path: operation.route.path, callers: nil, success: operation.success,
                description: operation, responder: responder))
    }

    /// Mounts a responder that makes its own answer.
    ///
    /// - Parameter callers: nil for every caller that completes the handshake.
    package mutating func on(
        _ method: HTTPRequest.Method, _ path: String, callers: Set<Role>? = nil, use responder: @escaping Responder
    ) {
        mount(Mount(method: method, path: path, callers: callers, success: .ok, description: nil, responder: responder))
    }

    /// Hands every request whose path is not mounted to a responder; in metrics all of them are the route "other".
    ///
    /// Its answers go out as they are, with a `Date` and nothing else added. The times of ``Limits`` hold here too.
    package mutating func fallback(_ responder: @escaping Responder) {
        fallback = Mount(method: nil, path: "other", callers: nil, success: .ok, description: nil, responder: responder)
    }

    private mutating func mount(_ mount: Mount) {
        precondition(
            !mounts.contains { $0.path == mount.path && $0.method == mount.method },
            "Two handlers for \(mount.path)")
        mounts.append(mount)
    }
}
