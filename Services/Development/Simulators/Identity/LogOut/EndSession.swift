import DevelopmentIdentityAPI
import HTTPContract
import Pages
import Serving

/// `GET` and `POST /logout`: ends a session for a client (OpenID Connect RP-Initiated Logout, section 2).
///
/// The hint must be an ID token of ours, which may have expired. Without it, any site could sign people out.
extension IdentityProvider {
    func endSession(_ values: URLEncodedValues) async throws -> Response {
        guard let hint = values["id_token_hint"],
            let claims = state.with({ $0.keys.claims(of: hint, as: IDTokenClaims.self) }),
            claims.iss == registry.issuer, claims.typ == "ID", let client = registry.client(claims.aud),
            values["client_id"] == nil || values["client_id"] == client.id
        else { return views.logOutRefused() }
        let target = values["post_logout_redirect_uri"]
        if let target, !client.logoutRedirectURIs.contains(target) { return views.logOutRefused() }
        let session = state.with { contents in
            defer { contents.sessions[claims.sid] = nil }
            return contents.sessions[claims.sid]
        }
        if let session { _ = await backChannel.tell(clientsOf: session) }
        guard let target else { return views.loggedOut() }
        var query: URLEncodedValues = [:]
        query["state"] = values["state"]
        return .seeOther(try Location(https: target, query: query), cookies: [.removed("identity")])
    }

    /// Ends all sessions of a user, as an administrator would.
    func endSessions(of user: String) async -> EndedSessions {
        let ended = state.with { contents in
            let ended = contents.sessions.all.filter { $0.user.name == user }
            for session in ended { contents.sessions[session.id] = nil }
            return ended
        }
        var notified = 0
        for session in ended { notified += await backChannel.tell(clientsOf: session) }
        return EndedSessions(count: ended.count, notified: notified)
    }
}
