import Credentials
import HTTPContract
import HTTPTypes
import Pages
import Serving

/// `POST /logout`: ends the session here, then sends the browser to the provider to end the one there.
///
/// Without the second step the provider's own cookie would sign the next person at this computer in (OpenID Connect RP-Initiated
/// Logout 1.0).
struct LogOut: Sendable {
    let discovery: Discovery
    let sessions: Sessions
    let origins: Origins

    func handle(_ request: Request, _ exchange: Exchange) async throws -> Response {
        _ = try request.form()
        guard let origin = origins.origin(of: exchange) else { throw Refusal.malformed }
        let officer = try await sessions.end(request)
        var location = PagePath.start.location
        if let officer, let endpoint = try? await discovery.newest().endSession {
            location = try Location(
                https: endpoint,
                query: [
                    "id_token_hint": officer.idToken, "client_id": discovery.provider.client,
                    "post_logout_redirect_uri": "\(origin.text)/", "state": [UInt8].random().hex,
                ])
        }
        var response = Response.seeOther(location, cookies: [Sessions.removal])
        response.headers[.clearSiteData] = "\"cache\""
        return response
    }
}

extension HTTPField.Name {
    /// What a browser has to forget (Clear Site Data, section 3.1).
    fileprivate static let clearSiteData = known("Clear-Site-Data")
}
