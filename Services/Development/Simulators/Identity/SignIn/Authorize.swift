import FoundationEssentials
import HTTPContract
import Pages
import Running
import Serving

/// `GET` and `POST /authorize`: asks who it is, or sends somebody who has signed in before straight back with a code.
extension IdentityProvider {
    func authorize(_ request: Request, _ values: URLEncodedValues) throws -> Response {
        let wanted: AuthorizationRequest
        do throws(AuthorizationRequest.Refusal) {
            wanted = try self.wanted(values)
        } catch {
            switch error {
            case .page: return views.unknownClient()
            case .client(let error): return try tell(error)
            }
        }
        if let session = try session(of: request), isFresh(session, for: wanted) {
            return try sendBack(session, wanted)
        }
        guard !wanted.prompt.contains("none") else {
            return try tell(
                AuthorizationRequest.RedirectedError(
                    redirectURI: wanted.redirectURI, error: "login_required", description: "nobody has signed in",
                    state: wanted.state))
        }
        // Two tabs of a browser may sign in at the same time: the browser has one cookie, and each form its own number.
        let browser = try request.cookie("identity-browser") ?? Base64URL.random()
        let number = Base64URL.random()
        state.with { $0.pending[number] = PendingSignIn(request: wanted, browser: browser, begun: clock.now) }
        return views.password(
            number: number, words: wanted.words, cookies: [try HostCookie("identity-browser", browser)])
    }

    private func isFresh(_ session: Session, for wanted: AuthorizationRequest) -> Bool {
        guard wanted.prompt.isDisjoint(with: ["login", "select_account"]) else { return false }
        return wanted.maxAge.map { clock.now.timeIntervalSince(session.begun) <= TimeInterval($0) } ?? true
    }

    /// The session that a browser's cookie names.
    private func session(of request: Request) throws -> Session? {
        let parts = try request.cookie("identity")?.split(separator: ".").map { String($0) } ?? []
        guard parts.count == 2 else { return nil }
        let session = state.with { $0.session(parts[0], at: clock.now) }
        return session?.secret == parts[1] ? session : nil
    }

    /// Sends a browser to the client with a new code.
    func sendBack(
        _ session: Session, _ request: AuthorizationRequest, cookies: [HostCookie] = []
    ) throws -> Response {
        let code = Base64URL.random()
        state.with {
            $0.sessions[session.id]?.lastUsed = clock.now
            $0.codes[code] = IssuedCode(request: request, session: session.id, issued: clock.now)
        }
        return .seeOther(
            try Location(
                https: request.redirectURI,
                query: [
                    "code": code, "state": request.state, "session_state": session.id, "iss": registry.issuer,
                ]),
            cookies: cookies)
    }

    private func tell(_ error: AuthorizationRequest.RedirectedError) throws -> Response {
        var query: URLEncodedValues = [
            "error": error.error, "error_description": error.description, "iss": registry.issuer,
        ]
        query["state"] = error.state
        return .seeOther(try Location(https: error.redirectURI, query: query))
    }
}
