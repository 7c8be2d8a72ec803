import Credentials
import FoundationEssentials
import HTTPContract
import OfficerIdentity
import Pages
import Running
import Serving

/// `GET /callback`: the browser returns from the identity provider (OpenID Connect Core 1.0, section 3.1.2.5).
///
/// Nothing in the address is believed before it is compared with what this browser was given at ``LogIn``. Whatever happens, the
/// attempt is over: its cookie is deleted.
struct Callback: Sendable {
    let discovery: Discovery
    let calls: ProviderCalls
    let rules: IDTokenRules
    let sessions: Sessions
    let origins: Origins
    let keys: SessionKeys
    let limit: AttemptLimit
    let pages: PageAnswers
    let metrics: PortalMetrics
    let log: IdentityLog
    let clock: WallClock

    /// The address to which the provider sends browsers, registered there.
    static func address(at origin: Origin) -> String { "\(origin.text)/callback" }

    func handle(_ request: Request, _ exchange: Exchange) async throws -> Response {
        do {
            try limit.admit(exchange.remoteAddress)
            let officer = try await officer(request, exchange)
            let session = try await sessions.begin(officer, replacing: request)
            metrics.count(.signedIn)
            let page = PagePath.allowed(to: officer.roles).first ?? .start
            return .seeOther(page.location, cookies: [session, SignInAttempt.removal])
        } catch {
            let refusal = refusal(for: error)
            metrics.count(Self.outcome(refusal))
            return pages.refusal(refusal, to: request, cookies: [SignInAttempt.removal])
        }
    }

    private func officer(_ request: Request, _ exchange: Exchange) async throws -> SignedInOfficer {
        let now = clock.now
        let answer = try request.queryValues()
        guard let origin = origins.origin(of: exchange), let attempt = try SignInAttempt(of: request, keys, at: now)
        else { throw IdentityFault.attempt }
        guard let state = answer["state"], Array(state.utf8).isEqual(to: Array(attempt.state.utf8)) else {
            throw IdentityFault.state
        }
        let document = try await discovery.newest()
        // Another provider's answer, mixed up with ours (RFC 9207).
        guard answer["iss"].map({ $0 == discovery.provider.issuer }) ?? !document.namesIssuer else {
            throw IdentityFault.returnIssuer
        }
        if let error = answer["error"] {
            log.note(IdentityFault(error: error))
            throw Refusal.signInRefused
        }
        guard let code = answer["code"], !code.isEmpty else { throw IdentityFault.returnForm }
        let issued: ProviderCalls.Tokens
        do {
            issued = try await calls.tokens(
                for: code, verifier: attempt.verifier, redirect: Self.address(at: origin))
        } catch {
            throw error.refusal
        }
        guard let idToken = issued.idToken else { throw IdentityFault.idTokenMissing }
        let claims = try await rules.claims(
            of: idToken, accessToken: issued.accessToken, nonce: attempt.nonce, at: clock.now)
        let officer = try SignedInOfficer(claims, idToken: idToken, issued, discovery.provider.rolesClaim)
        guard officer.canAct(at: clock.now) else { throw IdentityFault.accessTokenEnded }
        return officer
    }

    private func refusal(for error: any Error) -> Refusal {
        switch error {
        case let fault as IdentityFault:
            log.note(fault)
            return fault == .keysUnread ? .providerAway : .signInFailed
        case let refusal as Refusal: return refusal
        case is MalformedMessage:
            log.note(.returnForm)
            return .signInFailed
        default: return .unavailable
        }
    }

    private static func outcome(_ refusal: Refusal) -> PortalMetrics.SignIn {
        switch refusal {
        case .signInRefused: .refused
        case .providerAway: .providerAway
        case .misconfigured: .misconfigured
        case .tooMany: .limited
        default: .failed
        }
    }
}
