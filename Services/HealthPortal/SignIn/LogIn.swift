import HTTPContract
import Pages
import Running
import Serving

/// `GET /login`: sends the browser to the identity provider, with PKCE (RFC 7636) and a nonce.
///
/// A provider that takes requests beforehand is given this one by the portal itself (RFC 9126), so that it isn't in the address.
struct LogIn: Sendable {
    let discovery: Discovery
    let calls: ProviderCalls
    let origins: Origins
    let keys: SessionKeys
    let limit: AttemptLimit
    let languages: Languages
    let metrics: PortalMetrics
    let clock: WallClock

    func handle(_ request: Request, _ exchange: Exchange) async throws -> Response {
        do {
            try limit.admit(exchange.remoteAddress)
            guard let origin = origins.origin(of: exchange) else { throw Refusal.malformed }
            let document = try await discovery.newest()
            let attempt = SignInAttempt(at: clock.now)
            let provider = discovery.provider
            var query: URLEncodedValues = [
                "response_type": "code", "client_id": provider.client, "scope": provider.scope,
                "redirect_uri": Callback.address(at: origin), "state": attempt.state, "nonce": attempt.nonce,
                "code_challenge": attempt.challenge, "code_challenge_method": "S256",
                "ui_locales": languages.language(of: request).rawValue,
            ]
            if !provider.contexts.isEmpty { query["acr_values"] = provider.contexts.joined(separator: " ") }
            query["max_age"] = provider.maxAge.map { "\($0)" }
            do {
                query = try await calls.query(for: query, at: document)
            } catch {
                // There is no grant yet that could be invalid.
                throw error == .away ? Refusal.providerAway : .misconfigured
            }
            return .seeOther(
                try Location(https: document.authorization, query: query), cookies: [try attempt.cookie(keys)])
        } catch let refusal as Refusal {
            if refusal == .misconfigured { metrics.count(.misconfigured) }
            if refusal == .providerAway { metrics.count(.providerAway) }
            if case .tooMany = refusal { metrics.count(.limited) }
            throw refusal
        }
    }
}
