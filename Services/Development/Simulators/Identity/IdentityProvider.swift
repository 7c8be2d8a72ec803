import DevelopmentIdentityAPI
import FoundationEssentials
import HTTPContract
import HTTPTypes
import Pages
package import Running
package import Serving
import Synchronization

/// The simulated provider, for any listener.
package struct IdentityProvider: Sendable {
    let registry: Registry
    let clock: WallClock
    let state: ProviderState
    let backChannel: BackChannel
    let views: Views

    /// - Parameter notify: posts a log-out token to an address of a client, and returns the status of the answer; nil if there
    ///   was none.
    package init(
        _ registry: Registry, clock: WallClock, notify: @escaping @Sendable (String, String) async -> Int?
    ) throws {
        self.registry = registry
        let state = ProviderState(registry.key)
        self.state = state
        let moved: @Sendable () -> TimeInterval = { Double(state.clockAhead.load(ordering: .relaxed)) }
        self.clock = WallClock({ clock.now.addingTimeInterval(moved()) }, movedBy: { clock.movedBy + moved() })
        backChannel = BackChannel(registry: registry, state: state, clock: self.clock, notify: notify)
        views = try Views(clientOrigins: registry.clientOrigins)
    }

    /// Mounts what browsers and clients call.
    package func mount(on routes: inout Routes) {
        var router = PageRouter()
        router.get(
            "/.well-known/openid-configuration", use: page { _ in try Self.json(ProviderMetadata(registry.issuer)) })
        router.get("/keys", use: page { _ in try keys() })
        router.post("/par", use: page { try pushAuthorization($0) })
        router.get("/authorize", use: page { try authorize($0, $0.queryValues()) })
        router.post("/authorize", use: page { try authorize($0, $0.form()) })
        router.post("/log-in", use: page { try logIn($0, $0.form()) })
        router.post("/second-factor", use: page { try secondFactor($0, $0.form()) })
        router.post("/token", use: page { try token($0) })
        router.get("/logout", use: page { try await endSession($0.queryValues()) })
        router.post("/logout", use: page { try await endSession($0.form()) })
        router.get(views.style)
        // Other sites may send their forms here, as to Keycloak: a form names the sign-in that it belongs to.
        routes.pages(router) { error, _ in views.refusal(status: error.problem.status) }
    }

    /// Mounts what tests and developers call.
    package func mountControl(on routes: inout Routes) {
        routes.on(DevelopmentIdentityAPI.oneTimeCode) { query, _ in try oneTimeCode(query) }
        routes.on(DevelopmentIdentityAPI.endSessions) { end, _ in await endSessions(of: end.user) }
        routes.on(DevelopmentIdentityAPI.behaviour) { behaviour, _ in
            state.with { $0.behaviour = behaviour }
            state.clockAhead.store(behaviour.clockAhead ?? 0, ordering: .relaxed)
            return NoContent()
        }
        routes.on(DevelopmentIdentityAPI.rotateKey) { rotation, _ in
            state.with { $0.keys.rotate(removingOld: rotation.removesOld == true) }
            return RotatedKey(key: state.signingKey.id)
        }
        routes.on(DevelopmentIdentityAPI.disable) { change, _ in
            state.with { contents in
                if change.enabled == true {
                    contents.disabled.remove(change.user)
                } else if registry.user(change.user) != nil {
                    contents.disabled.insert(change.user)
                }
            }
            return NoContent()
        }
    }

    private func keys() throws -> Response {
        try state.with { contents in
            let omits = contents.behaviour.omitsAlgorithms == true
            return Response.data(try contents.keys.published(omittingAlgorithms: omits), type: .json)
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

    /// A handler that answers unless the provider was told to be broken or away, and late if it was told to be slow.
    private func page(_ answer: @escaping @Sendable (Request) async throws -> Response) -> PageRouter.Handler {
        { request, _ in
            let behaviour = state.with { $0.behaviour }
            switch behaviour.kind {
            case .broken: return Response(status: HTTPResponse.Status(code: behaviour.status ?? 500))
            case .away: throw ConnectionLost()
            case .well, .slow: break
            }
            var response = try await answer(request)
            // What was asked has happened: a refresh token is spent, even if its client doesn't wait for the next one.
            if behaviour.kind == .slow { try await Task.sleep(for: .seconds(behaviour.seconds ?? 5)) }
            // A developer's browser would refuse plain HTTP from all of localhost's ports for two years.
            response.headers[.strictTransportSecurity] = nil
            return response
        }
    }
}
