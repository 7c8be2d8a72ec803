import DevelopmentIdentityAPI
import FoundationEssentials
import HTTPContract
import HTTPTypes
import Hummingbird
import Pages
package import Running
package import Serving

/// The simulated provider, for any listener.
package struct IdentityProvider: Sendable {
    let registry: Registry
    let clock: WallClock
    let state = ProviderState()
    let backChannel: BackChannel
    let views: Views

    /// - Parameter notify: posts a log-out token to an address of a client, and returns the status of the answer; nil if there
    ///   was none.
    package init(
        _ registry: Registry, clock: WallClock, notify: @escaping @Sendable (String, String) async -> Int?
    ) throws {
        self.registry = registry
        self.clock = clock
        backChannel = BackChannel(registry: registry, clock: clock, notify: notify)
        views = try Views(clientOrigins: registry.clientOrigins)
    }

    /// Mounts what browsers and clients call.
    package func mount(on routes: inout Routes) {
        let router = Router(context: PageContext.self)
        func on(
            _ method: HTTPRequest.Method, _ path: String,
            _ handler: @escaping @Sendable (Request) async throws -> Response
        ) {
            router.on(RouterPath(path), method: method) { request, _ in
                try await behaving { try await handler(request) }
            }
        }
        on(.get, "/.well-known/openid-configuration") { _ in try Self.json(ProviderMetadata(registry.issuer)) }
        on(.get, "/keys") { _ in Response.data(registry.key.published.utf8, type: .json) }
        on(.get, "/authorize") { try authorize($0, $0.query()) }
        on(.post, "/authorize") { try authorize($0, await $0.form()) }
        on(.post, "/log-in") { try logIn($0, await $0.form()) }
        on(.post, "/second-factor") { try secondFactor($0, await $0.form()) }
        on(.post, "/token") { try await token($0) }
        on(.get, "/logout") { try await endSession($0.query()) }
        on(.post, "/logout") { try await endSession($0.form()) }
        on(.get, views.style.path) { _ in Response.asset(views.style) }
        routes.pages(router) { problem, _ in views.refusal(status: problem.status) }
    }

    /// Mounts what tests and developers call.
    package func mountControl(on routes: inout Routes) {
        routes.on(DevelopmentIdentityAPI.oneTimeCode) { query, _ in try oneTimeCode(query) }
        routes.on(DevelopmentIdentityAPI.endSessions) { end, _ in await endSessions(of: end.user) }
        routes.on(DevelopmentIdentityAPI.behaviour) { behaviour, _ in
            state.with { $0.behaviour = behaviour }
            return NoContent()
        }
    }

    /// An answer for a program.
    static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, fields: HTTPFields = [:]
    ) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var response = Response.data(Array(try encoder.encode(value)), type: .json)
        response.status = status
        for field in fields { response.headers[field.name] = field.value }
        return response
    }

    /// Answers, unless the provider was told to be slow, broken or away.
    private func behaving(_ answer: () async throws -> Response) async throws -> Response {
        let behaviour = state.with { $0.behaviour }
        switch behaviour.kind {
        case .well: break
        case .slow: try await Task.sleep(for: .seconds(behaviour.seconds ?? 5))
        case .broken: return Response(status: HTTPResponse.Status(code: behaviour.status ?? 500))
        case .away: throw ConnectionLost()
        }
        var response = try await answer()
        // A developer's browser would refuse plain HTTP from all of localhost's ports for two years.
        response.headers[.strictTransportSecurity] = nil
        return response
    }
}
